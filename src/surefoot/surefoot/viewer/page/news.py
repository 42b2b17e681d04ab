# SPDX-License-Identifier: Apache-2.0
"""What goes on, as JSON that every browser can read: it knows no infinity and no NaN, and of a text with one it reads nothing at all."""

import json
import math
from typing import Any


def json_of(news: dict[str, Any]) -> str:
    """The news in JSON; numbers that are none, also such as came out of sound ones that are absurd, are told as missing (null)."""
    try:
        return json.dumps(news, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_without_infinities(news), separators=(",", ":"), allow_nan=False)


def _without_infinities(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_infinities(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_without_infinities(part) for part in value]
    return value
