# SPDX-License-Identifier: Apache-2.0
"""What pytest remembers of a run in which tests failed."""

import json
from pathlib import Path

FEW = 4
"""So many tests may have met a busy machine; more of them at once are broken."""

TESTS_FAILED = 1
"""What pytest exits with when it has run everything and some of it failed."""


def failed_tests(cache: Path) -> list[str]:
    """The tests that failed in the last run with a cache folder of pytest, in order; none where it remembers nothing."""
    memory = cache / "v" / "cache" / "lastfailed"
    try:
        return sorted(json.loads(memory.read_text()))
    except (OSError, ValueError):
        return []
