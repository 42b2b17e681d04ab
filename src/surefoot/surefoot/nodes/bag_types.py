# SPDX-License-Identifier: Apache-2.0
"""Which messages of a bag are of the types that are installed here: bytes of another version would be read as something else."""

from collections.abc import Mapping
from typing import Any

from surefoot.recording.definitions import definition_of
from surefoot.recording.errors import BagError
from surefoot.recording.reader import Bag


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
    found = {}
    for name, kind in kinds.items():
        topic = bag.topics.get(name)
        if topic is None:
            continue
        ours = f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"
        if topic.type != ours:
            found[name] = f"{name} is of the type {topic.type}, not {ours}, and is left out"
        elif topic.hash and definition_of(ours)[1] not in ("", topic.hash):
            found[name] = f"{name} was recorded with another version of {ours}, and is left out; use the version that recorded it"
    if needed in found:
        raise BagError(f"{bag.path}: {found[needed]}")
    return found
