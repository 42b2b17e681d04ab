# SPDX-License-Identifier: Apache-2.0
"""When what is in a bag happened, on the clock of its samples.

A bag of a simulation in lockstep holds two clocks: that of the samples, by which the robot walks, and that of the wall, by which the
machine got through it. A replay goes by the first.
"""

from collections.abc import Collection, Iterable, Iterator

from surefoot.recording.reader import Bag
from surefoot.recording.stamps import has_header, stamp_of
from surefoot.recording.types import RawMessage

CLOCK = "/joint_states"
"""The topic whose samples are the ticks of a robot."""

JUMP = 1_000_000_000
"""By how much the time of the samples goes back where a robot was started again, ns: less is a sample that came late."""


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


def with_run(messages: Iterable[RawMessage], clock: str, stamped: Collection[str]) -> Iterator[tuple[int, RawMessage]]:
    """Each message with the number of the run that it belongs to, from 0; a run ends where the robot was started again.

    That is where two samples in a row are older than those before. What was said between the last sample of a run and the first one of the
    next belongs to the one that its stamp is nearer to, and to the next without a stamp.

    Args:
        messages: in the order in which they were sent.
        clock: topic of the samples, which have stamps.
        stamped: topics whose messages begin with a header.
    """
    number, newest, suspected = 0, 0, False
    waiting: list[RawMessage] = []
    for message in messages:
        stamp = stamp_of(message.data) if message.topic == clock else 0
        back = 0 < stamp < newest - JUMP
        if not stamp or (back and not suspected):
            suspected = suspected or back
            waiting.append(message)
            continue
        if back:
            late = [early for early in waiting if early.topic in stamped and _nearer(stamp_of(early.data), newest, stamp)]
            yield from ((number, early) for early in late)
            number, newest = number + 1, 0
            kept = {id(early) for early in late}
            waiting = [early for early in waiting if id(early) not in kept]
        yield from ((number, early) for early in waiting)
        yield number, message
        newest, suspected, waiting = max(newest, stamp), False, []
    yield from ((number, early) for early in waiting)


def _nearer(time: int, one: int, other: int) -> bool:
    """Whether a time is nearer to one than to another."""
    return abs(time - one) < abs(time - other)
