# SPDX-License-Identifier: Apache-2.0
"""Which messages of a bag are of the types that are installed here: bytes of another version would be read as something else."""

from collections.abc import Mapping
from typing import Any

from surefoot.errors import SensorError
from surefoot.nodes.raw_read import message_of
from surefoot.recording.definitions import definition_of
from surefoot.recording.errors import BagError, OtherTypeError
from surefoot.recording.reader import Bag


def type_name(kind: Any) -> str:
    """Name of the type of a message class, such as sensor_msgs/msg/Imu."""
    return f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"


def robot_of(parameters: Mapping[str, Mapping[str, Any]], wanted: str = "") -> str:
    """Name or path of the robot of a bag: the one that is wanted; else that of the first node which had one.

    Args:
        parameters: of each node.
        wanted: empty: whatever the bag names.
    """
    return wanted or next((str(values["robot"]) for values in parameters.values() if "robot" in values), "hyq")


def unread(refused: int) -> list[str]:
    """In words, that so many messages could not be read; empty where all could."""
    return [f"{refused} messages cannot be read, and are left out"] if refused else []


def read(kind: Any, data: bytes) -> Any:
    """A message of a bag.

    Args:
        kind: its class.
        data: its bytes.

    Raises:
        BagError: they are cut off, or spoilt.
    """
    try:
        return message_of(data, kind)
    except SensorError as error:
        raise BagError(str(error)) from error


def other_type(bag: Bag, name: str, kind: Any) -> str:
    """Why what a bag has under a name cannot be read as messages of a class, in words; empty where it can, or is not there."""
    topic, ours = bag.topics.get(name), type_name(kind)
    if topic is None:
        return ""
    if topic.type != ours:
        return f"{name} is of the type {topic.type}, not {ours}"
    if topic.hash and definition_of(ours)[1] not in ("", topic.hash):
        return f"{name} was recorded with another version of {ours}; use the version of Surefoot that recorded it"
    return ""


def refuse_other_types(bag: Bag, kinds: Mapping[str, Any]) -> None:
    """Raises OtherTypeError where something in a bag cannot be read as messages of the class that its topic is given here."""
    if wrong := [words for name, kind in kinds.items() if (words := other_type(bag, name, kind))]:
        raise OtherTypeError(f"{bag.path}: {'; '.join(wrong)}")


def of_another_type(bag: Bag, kinds: Mapping[str, Any], needed: str) -> dict[str, str]:
    """Topics that cannot be read, and in words why.

    Args:
        bag: to be read.
        kinds: message classes by topic.
        needed: topic without which nothing can be shown.

    Raises:
        BagError: that one is not in the bag, or is of another type.
    """
    if not bag.counts.get(needed):
        have = ", ".join(sorted(name for name, count in bag.counts.items() if count)) or "nothing"
        raise BagError(f"{bag.path} has no {needed}, so there is no robot to be shown; it has: {have}")
    wrong = {name: words for name, kind in kinds.items() if (words := other_type(bag, name, kind))}
    if needed in wrong:
        raise BagError(f"{bag.path}: {wrong[needed]}")
    return {name: f"left out: {words}" for name, words in wrong.items()}
