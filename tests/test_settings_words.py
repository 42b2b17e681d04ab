# SPDX-License-Identifier: Apache-2.0
from typing import Annotated, Literal

import pytest
from pydantic import Field

from surefoot.settings import Settings
from surefoot.settings_words import range_of, type_of

Part = Annotated[float, Field(gt=0.0, le=1.0)]


class Example(Settings):
    """Of every kind."""

    plain: str
    part: Part
    maybe: Part | None
    three: tuple[Part, Part, Part]
    some: tuple[Annotated[float, Field(ge=0.0, lt=1.0)], ...]
    few: Annotated[list[int], Field(min_length=1)]
    choice: Literal["auto", "off"]
    choices: list[Literal["a", "b"]]
    named: dict[str, Part]
    switch: bool = False


@pytest.mark.parametrize(
    ("name", "words", "allowed"),
    [
        ("plain", "text", ""),
        ("part", "number", "above 0 to 1"),
        ("maybe", "number or none", "above 0 to 1"),
        ("three", "3 numbers", "above 0 to 1"),
        ("some", "list of numbers", "from 0 below 1"),
        ("few", "list of whole numbers", ""),
        ("choice", "text", "auto, off"),
        ("choices", "list of texts", "a, b"),
        ("named", "number by name", "above 0 to 1"),
        ("switch", "true or false", ""),
    ],
)
def test_type_and_range_in_words(name: str, words: str, allowed: str) -> None:
    field = Example.model_fields[name]
    assert (type_of(field), range_of(field)) == (words, allowed)
