# SPDX-License-Identifier: Apache-2.0
"""When what is in a bag happened, on the clock of its samples.

A bag of a simulation in lockstep holds two clocks: that of the samples, by which the robot walks, and that of the wall, by which the
machine got through it. A replay goes by the first.
"""

from collections.abc import Iterable, Iterator

from surefoot.recording.reader import Bag
from surefoot.recording.stamps import has_header, stamp_of
from surefoot.recording.types import RawMessage

CLOCK = "/joint_states"
"""The topic whose samples are the ticks of a robot."""


def clock_topic(bag: Bag, known: dict[str, str] | None = None) -> str:
    """The topic that tells the time of a bag: its ticks, or the stamped topic with most messages; empty where none has stamps.

    Args:
        bag: the bag.
        known: our names of topics by theirs.
    """
    ours = known or {}
    stamped = [name for name, topic in bag.topics.items() if has_header(topic.definition) and bag.counts.get(name)]
    ticks = [name for name in stamped if ours.get(name, name) == CLOCK]
    return next(iter(ticks), max(stamped, key=lambda name: bag.counts[name], default=""))


def with_time(messages: Iterable[RawMessage], clock: str) -> Iterator[tuple[int, RawMessage]]:
    """Each message with the time of the newest sample when it was sent, ns, which never goes back.

    Args:
        messages: in the order in which they were sent.
        clock: see `clock_topic`; empty: the times at which they were recorded.
    """
    now = 0
    waiting: list[RawMessage] = []
    for message in messages:
        if not clock:
            now = max(now, message.log_time)
        elif message.topic == clock:
            now = max(now, stamp_of(message.data))
        elif not now:
            # Before the first sample there is no time yet.
            waiting.append(message)
            continue
        for early in waiting:
            yield now, early
        waiting.clear()
        yield now, message
    for early in waiting:
        yield now, early
