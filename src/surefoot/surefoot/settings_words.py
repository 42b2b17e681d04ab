# SPDX-License-Identifier: Apache-2.0
"""Type and range of a setting in words, as its class declares them."""

import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

WORDS: dict[object, str] = {str: "text", bool: "true or false", int: "whole number", float: "number", type(None): "none"}
BOUNDS = (("gt", "above"), ("ge", "from"), ("lt", "below"), ("le", "to"))


def type_of(field: FieldInfo) -> str:
    """What a setting is, as in "number" or "list of text"."""
    return _type_words(field.annotation)


def range_of(field: FieldInfo) -> str:
    """What values a setting may have beyond its type, as in "above 0 to 1" or "auto, on, off"; empty: any."""
    return "; ".join(dict.fromkeys(_ranges(field.annotation, field.metadata)))


def _type_words(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _type_words(inner[0])
    if origin in (Union, types.UnionType):
        return " or ".join(map(_type_words, inner))
    if origin is Literal:
        return WORDS[type(inner[0])] if len({type(value) for value in inner}) == 1 else "one of a few"
    if origin is dict:
        return f"{_type_words(inner[1])} by name"
    if origin is tuple and Ellipsis not in inner:
        return f"{len(inner)} {_plural(_type_words(inner[0]))}"
    if origin in (tuple, list):
        return f"list of {_plural(_type_words(inner[0]))}"
    return WORDS.get(kind) or str(getattr(kind, "__name__", kind))


def _plural(words: str) -> str:
    return {"number": "numbers", "whole number": "whole numbers", "text": "texts"}.get(words, words)


def _ranges(kind: Any, metadata: list[Any] | tuple[Any, ...] = ()) -> Iterator[str]:
    words = [f"{word} {value:g}" for one in _flat(metadata) for name, word in BOUNDS if (value := getattr(one, name, None)) is not None]
    if words:
        yield " ".join(words)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        yield from _ranges(inner[0], inner[1:])
    elif origin is Literal:
        yield ", ".join(map(str, inner))
    else:
        for part in inner:
            yield from _ranges(part)


def _flat(metadata: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    """Constraints, also those that still lie inside of a Field."""
    for one in metadata:
        if isinstance(one, FieldInfo):
            yield from one.metadata
        else:
            yield one
