# SPDX-License-Identifier: Apache-2.0
"""Two bags beside each other, sample by sample and field by field."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from surefoot.errors import UnknownNameError
from surefoot.recording.decoder import Decoder
from surefoot.recording.errors import BagError
from surefoot.recording.fields import Value, differing, flat
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.stamps import has_header, stamp_of
from surefoot.recording.types import Topic


@dataclass
class FieldDifference:
    """How one field differs.

    Attributes:
        path: of the field.
        count: samples at which it differs.
        largest: largest difference; infinite for texts, for numbers beside NaN, and where only one side has the field.
        first: stamp of the first sample at which it differs, s.
        values: what it was there.
        times, sizes: of every difference, s and the field's unit, for plots.
    """

    path: str
    count: int = 0
    largest: float = 0.0
    first: float = math.nan
    values: tuple[Value | None, Value | None] = (None, None)
    times: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class TopicComparison:
    """How one topic compares.

    Attributes:
        topic: its name.
        same: pairs of messages of one sample that are equal to the last bit.
        different: pairs that are not.
        only_a, only_b: messages of samples that the other bag does not have.
        first: stamp of the first pair that differs, s; NaN where none does.
        fields: those that differ, the one that differs first in front.
    """

    topic: str
    same: int
    different: int
    only_a: int
    only_b: int
    first: float
    fields: tuple[FieldDifference, ...]


def compare(a: Bag, b: Bag, topics: Collection[str] | None = None, tolerance: float = 0.0) -> tuple[TopicComparison, ...]:
    """Compare two bags, the topic that parts first in front.

    Messages meet by the time of their sample (header.stamp); those of types without one by their place in the order.

    Args:
        a, b: the bags.
        topics: to compare; None: all that both have.
        tolerance: differences of numbers up to this are none.

    Raises:
        UnknownNameError: a topic that is not in both.
        BagError: a type cannot be decoded, or the two bags have nothing in common.
    """
    common = {name for name in a.topics.keys() & b.topics.keys() if a.counts.get(name) and b.counts.get(name)}
    for name in topics or ():
        if name not in common:
            raise UnknownNameError("topic of both bags", name, common)
    wanted = common if topics is None else set(topics)
    if not wanted:
        raise BagError(f"{a.path} and {b.path} have no topic in common")
    sides = [_by_sample(bag, wanted) for bag in (a, b)]
    results = [_topic(a.topics[name], b.topics[name], sides[0][name], sides[1][name], tolerance) for name in wanted]
    return tuple(sorted(results, key=lambda result: (math.isnan(result.first), result.first, result.topic)))


def _by_sample(bag: Bag, topics: Collection[str]) -> dict[str, dict[int, list[bytes]]]:
    stamped = {name: has_header(bag.topics[name].definition) for name in topics}
    result: dict[str, dict[int, list[bytes]]] = {name: defaultdict(list) for name in topics}
    for message in bag.messages(topics):
        samples = result[message.topic]
        samples[stamp_of(message.data) if stamped[message.topic] else len(samples)].append(message.data)
    return result


def _topic(
    topic_a: Topic, topic_b: Topic, samples_a: dict[int, list[bytes]], samples_b: dict[int, list[bytes]], tolerance: float
) -> TopicComparison:
    decoder, found = Decoder(), dict[str, FieldDifference]()
    scale = SECOND if has_header(topic_a.definition) else 1
    same = different = only_a = only_b = 0
    first = math.nan
    for stamp in sorted(samples_a.keys() | samples_b.keys()):
        side_a, side_b = samples_a.get(stamp, []), samples_b.get(stamp, [])
        shared = min(len(side_a), len(side_b))
        only_a, only_b = only_a + len(side_a) - shared, only_b + len(side_b) - shared
        for data_a, data_b in zip(side_a, side_b, strict=False):
            time, parted = stamp / scale, False
            if data_a != data_b or topic_a.type != topic_b.type:
                rows = flat(decoder.decode(topic_a, data_a)), flat(decoder.decode(topic_b, data_b))
                for path, size in _differences(*rows):
                    if not size <= tolerance:
                        parted = True
                        _note(found.setdefault(path, FieldDifference(path)), time, size, (rows[0].get(path), rows[1].get(path)))
            same, different = same + (not parted), different + parted
            if parted and math.isnan(first):
                first = time
    fields = tuple(sorted(found.values(), key=lambda entry: (entry.first, -entry.largest)))
    return TopicComparison(topic_a.name, same, different, only_a, only_b, first, fields)


def _differences(a: dict[str, Value], b: dict[str, Value]) -> Iterator[tuple[str, float]]:
    for path, left, right in differing(a, b):
        if isinstance(left, int | float) and isinstance(right, int | float) and not (math.isnan(left) or math.isnan(right)):
            yield path, abs(left - right)
        else:
            yield path, math.inf


def _note(entry: FieldDifference, time: float, size: float, values: tuple[Value | None, Value | None]) -> None:
    if entry.count == 0:
        entry.first, entry.values = time, values
    entry.count += 1
    entry.largest = max(entry.largest, size)
    entry.times.append(time)
    entry.sizes.append(size)
