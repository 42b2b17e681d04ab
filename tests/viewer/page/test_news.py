# SPDX-License-Identifier: Apache-2.0
"""News reach browsers whatever numbers are in them."""

import json
import math

from surefoot.viewer.page.news import json_of


def strictly(text: str) -> object:
    """Read as a browser does."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_sound_numbers_are_told_as_they_are() -> None:
    news = {"kind": "state", "speed": 0.25, "feet": [1, 2.5, None], "words": "NaN", "well": True}
    assert strictly(json_of(news)) == news


def test_numbers_that_are_none_are_missing_and_the_rest_is_told() -> None:
    told = strictly(json_of({"use": [0.5, math.inf, (-math.inf, 1.0)], "more": {"deep": math.nan}, "kept": 3}))
    assert told == {"use": [0.5, None, [None, 1.0]], "more": {"deep": None}, "kept": 3}
