# SPDX-License-Identifier: Apache-2.0
"""The text of message types, as it is installed beside the code that speaks them."""

import json
import os
import sys
from functools import cache
from pathlib import Path

from surefoot.recording.errors import BagError

PRIMITIVES = {
    "bool", "byte", "char", "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "string", "wstring",
}  # fmt: skip
_LINE = "=" * 80


@cache
def definition_of(type_name: str) -> tuple[str, str]:
    """Definition and hash of a type such as sensor_msgs/msg/Imu.

    Returns:
        The text of the message and of every message that it contains, in the form of MCAP's encoding ros2msg; its RIHS01 hash, or empty.

    Raises:
        BagError: the type is not installed.
    """
    parts, seen, wanted = [], {type_name}, [type_name]
    while wanted:
        name = wanted.pop(0)
        text = _file_of(name, ".msg").read_text()
        parts.append(text if name == type_name else f"{_LINE}\nMSG: {name.replace('/msg/', '/')}\n{text}")
        for needed in _needs(name, text):
            if needed not in seen:
                seen.add(needed)
                wanted.append(needed)
    return "\n".join(parts), _hash_of(type_name)


def _needs(type_name: str, text: str) -> list[str]:
    """The types of the fields of a message that are messages."""
    package, result = type_name.split("/")[0], []
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if len(words) < 2:
            continue
        # A bound may follow, of a string (string<=10), or of a sequence (Gait[<=1]).
        kind = words[0].split("[")[0].split("<")[0]
        if kind not in PRIMITIVES:
            result.append(kind.replace("/", "/msg/") if "/" in kind else f"{package}/msg/{kind}")
    return result


def _file_of(type_name: str, suffix: str) -> Path:
    package, *_, name = type_name.split("/")
    if type_name != f"{package}/msg/{name}":
        raise BagError(f"'{type_name}' is not the type of a topic; one looks like sensor_msgs/msg/Imu")
    for prefix in (*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sys.prefix):
        path = Path(prefix or sys.prefix) / "share" / package / "msg" / f"{name}{suffix}"
        if path.is_file():
            return path
    raise BagError(f"the type {type_name} is not installed: no share/{package}/msg/{name}{suffix} in AMENT_PREFIX_PATH")


def _hash_of(type_name: str) -> str:
    try:
        hashes = json.loads(_file_of(type_name, ".json").read_text())["type_hashes"]
    except (BagError, KeyError, ValueError):
        return ""
    return next((str(entry["hash_string"]) for entry in hashes if entry["type_name"] == type_name), "")
