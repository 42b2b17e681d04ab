# SPDX-License-Identifier: Apache-2.0
"""A whole bag through some nodes, as fast as it goes, and what came of it."""

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from rclpy.context import Context

from surefoot.nodes.bag_types import other_type
from surefoot.nodes.conversions.common import nanoseconds_of
from surefoot.nodes.discovery import NOBODY, found_by
from surefoot.nodes.quick_read import read_message
from surefoot.nodes.replay.canonical import canonical
from surefoot.nodes.replay.session import ABOUT_THE_PROCESS, FOR_WHO_LOOKS, Parameters, Session
from surefoot.recording.fields import differing, flat
from surefoot.recording.outputs import OutputCheck, Part, TopicVerdict
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.stamps import has_header, stamp_of
from surefoot.recording.types import RawMessage


@dataclass(frozen=True)
class Replay:
    """What came of a replay.

    Attributes:
        verdicts: on each topic that the nodes say and the bag has.
        hash: over every value of every output.
        seconds: of the samples' clock that were replayed (of the recorder's, where no sample has a stamp).
        wall_seconds: that it took, the making of the nodes left out.
        processor_seconds: of this process meanwhile.
        messages: that were fed.
        without_verdict: enquiries that the bag has no verdict for.
        not_compared: outputs that were recorded as messages of another type, or of another version of it, in words.
    """

    verdicts: tuple[TopicVerdict, ...]
    hash: str
    seconds: float
    wall_seconds: float
    processor_seconds: float
    messages: int
    without_verdict: int
    not_compared: tuple[str, ...] = ()

    @property
    def identical(self) -> bool:
        """Whether every output is what was recorded, to the last bit."""
        return bool(self.verdicts) and not self.not_compared and all(verdict.identical for verdict in self.verdicts)

    @property
    def speed(self) -> float:
        """Times faster than real time."""
        return self.seconds / self.wall_seconds


def apart() -> Context:
    """A context whose nodes nobody can find: whatever a replay says, no robot hears it."""
    with found_by(NOBODY):
        context = Context()
        context.init(args=[])
        return context


def replay(
    bag: Bag,
    names: Sequence[str],
    changes: Parameters | None = None,
    start: float = 0.0,
    stop: float | None = None,
    context: Context | None = None,
    check: bool = True,
    on_output: Callable[[str, int, Any], None] | None = None,
) -> Replay:
    """Feed a bag to nodes.

    Args:
        bag: to feed from.
        names: of the nodes.
        changes: parameters by node that are to be others than those recorded.
        start, stop: s from the beginning of the bag; a start in its middle meets nodes that know nothing of what was before.
        context: see `apart`.
        check: whether to compare with what was recorded; it takes about as long as the rest.
        on_output: called with topic, time of the bag, ns, and message for each output.

    Raises:
        SurefootError: the bag, a node or a parameter is not what it has to be.
    """
    checks: dict[str, OutputCheck] = {}
    clock: Callable[[], int] = lambda: bag.start  # noqa: E731
    sums: dict[str, Any] = {}
    others: dict[str, str] = {}

    def compared(topic: str, kind: Any) -> OutputCheck | None:
        """What compares an output of a class with what was recorded; None where there is nothing to compare it with."""
        if check and topic not in checks.keys() | others.keys() | FOR_WHO_LOOKS and bag.counts.get(topic):
            if problem := other_type(bag, topic, kind):
                others[topic] = problem
            else:
                checks[topic] = _check(bag, topic, kind)
        return checks.get(topic)

    def note(node: str, topic: str, message: Any) -> None:
        if topic in ABOUT_THE_PROCESS:
            return
        if on_output is not None:
            on_output(topic, clock(), message)
        content = canonical(message)
        sums.setdefault(topic, hashlib.sha256()).update(len(content).to_bytes(8, "little") + content)
        if (one := compared(topic, type(message))) is not None:
            one.replayed(nanoseconds_of(message.header.stamp) if one.stamped else 0, (content, message))

    # What is said to listeners only is neither compared nor hashed.
    session = Session(bag, names, context or apart(), note, changes, unheard=FOR_WHO_LOOKS if on_output is None else ())
    with closing(session):
        clock = lambda: session.wire.time  # noqa: E731
        for topic, kind in session.outputs.items():
            compared(topic, kind)
        wanted = session.inputs | checks.keys() | {"/verdict"}
        begin, processor, messages = time.perf_counter(), time.process_time(), 0
        span = _Span(bag)
        for message in bag.messages(wanted, start, stop):
            session.feed(message)
            if message.topic in checks:
                checks[message.topic].recorded(stamp_of(message.data), message.data)
            messages += 1
            span.note(message)
        session.end()
        elapsed, spent = time.perf_counter() - begin, time.process_time() - processor
    return Replay(
        verdicts=tuple(checks[topic].verdict() for topic in sorted(checks)),
        hash=_sum_of(sums, session.outputs),
        seconds=span.seconds,
        wall_seconds=elapsed,
        processor_seconds=spent,
        messages=messages,
        without_verdict=session.traces.without,
        not_compared=tuple(others.values()),
    )


class _Span:
    """From the first sample to the last."""

    def __init__(self, bag: Bag) -> None:
        self._stamped = {name: has_header(topic.definition) for name, topic in bag.topics.items()}
        self._stamps, self._times = [0, 0], [0, 0]

    def note(self, message: RawMessage) -> None:
        self._times = [self._times[0] or message.publish_time, message.publish_time]
        if self._stamped.get(message.topic) and (stamp := stamp_of(message.data)):
            self._stamps = [min(self._stamps[0] or stamp, stamp), max(self._stamps[1], stamp)]

    @property
    def seconds(self) -> float:
        first, last = self._stamps if self._stamps[1] else self._times
        return (last - first) / SECOND


def _check(bag: Bag, topic: str, kind: Any) -> OutputCheck:
    def differences(then: bytes, now: tuple[bytes, Any]) -> Sequence[Part]:
        content, message = now
        recorded = read_message(then, kind)
        if canonical(recorded) == content:
            return ()
        return tuple(Part(*entry) for entry in differing(flat(recorded), flat(message)))

    return OutputCheck(topic, has_header(bag.topics[topic].definition), differences)


def _sum_of(sums: dict[str, Any], topics: Iterable[str]) -> str:
    total = hashlib.sha256()
    for topic in sorted(topics):
        if topic in sums:
            total.update(f"{topic}\0{sums[topic].hexdigest()}\0".encode())
    return total.hexdigest()
