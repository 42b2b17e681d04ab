# SPDX-License-Identifier: Apache-2.0
"""Garbage by the million: to one node by itself, to which is played what it heard in a company that walked."""

import math
import os
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message

from surefoot.errors import SurefootError
from surefoot.evaluation.faults.matrix import INTERRUPTED
from surefoot.nodes.faults.beside import BESIDE, Beside
from surefoot.nodes.faults.by_itself import ByItself, read
from surefoot.nodes.faults.company import NODES, TRACES, Company
from surefoot.nodes.faults.fuzz import CALM, COPIES, STORM, TIME_OVER
from surefoot.nodes.faults.garbage import Garbage
from surefoot.nodes.faults.messages import garbled
from surefoot.nodes.faults.raw import Places, with_other_bytes, with_other_numbers
from surefoot.nodes.faults.tape import Heard, Tape

ALONE = (*(name for name in NODES if name not in BESIDE), *BESIDE)
"""Nodes that can be had by themselves."""

TAPE, LONGEST_LEAD = 1500, 20000
"""Ticks of the company, from the first step of the robot on, that are recorded, and in which it has to come so far."""

NUMBERS, BYTES = 0.6, 0.3
"""Shares of the garbage that is other numbers, and other bytes; the rest is lists of another length as well."""

AT_WORK_FIRST, LONGEST_WAIT = 0.7, 4000
"""Share of the storms that wait until the node is at work again, and the ticks that they wait at most. The tape begins anew for it, with a
robot that lies and is switched on."""

AT_WORK = (1, 300)
"""Ticks that it is at work before such a storm begins, from and to."""

FIRES, SELDOM = 0.05, 0.2
"""Share of the ticks in which a timer fires, and of those of a storm in which there is garbage on a topic that is silent in that tick."""

PAUSE, LONGEST_PAUSE = 0.01, 0.5
"""Share of the ticks before which nothing comes for a while, up to so many s."""

SECONDS_A_TICK = 0.004

LAST_RESORTS = ("bridge_exceptions", "broken_rehearsals", "traces_not_shown")
"""What nodes count where they caught whatever it was."""


@dataclass
class FuzzedAlone(Garbage):
    """What came of the garbage to one node by itself.

    Attributes:
        unreadable: pieces that could not be read as a message any more; such a one reaches no node, and counts as none, unless the node
            hears bytes: then it counts here too.
        by_topic: those received, by topic.
        at_work: ticks of the tape in which the node was.
        storms: how many.
        said: messages that left it, by topic, all of them judged.
        seconds: of the processor, without the company.
    """

    unreadable: int = 0
    by_topic: dict[str, int] = field(default_factory=dict)
    at_work: int = 0
    storms: int = 0
    said: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def idle(self) -> str:
        """See Garbage."""
        return "" if self.at_work else "the node was never at work"


def fuzz_alone(
    robot: str,
    nodes: Sequence[str],
    messages: int,
    seed: int,
    progress: Callable[[FuzzedAlone], None] = lambda so_far: None,
    within: float = math.inf,
) -> list[FuzzedAlone]:
    """Give garbage to nodes, each by itself, one after the other. The same seed gives the same garbage.

    One call in a process: nodes cannot be ended without ending it. What is interrupted from the keyboard gives what was seen until then.

    Args:
        robot: its name.
        nodes: of ALONE.
        messages: pieces of garbage to each.
        seed: of the garbage, and of the robot's sensors.
        progress: called after each storm.
        within: s of the wall after which it is cut off.

    Raises:
        SurefootError: the robot does not walk, or something is raised without any garbage.
    """
    over = time.monotonic() + within
    done = [FuzzedAlone(name, messages) for name in nodes]
    tape = Tape()
    with TemporaryDirectory() as folder, open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        beside = {name: BESIDE[name]() for name in nodes if name in BESIDE}
        company = Company(
            robot, seed, traces=TRACES in nodes, overhear=tape.hear,
            beside={name: one.make for name, one in beside.items() if name not in NODES},
            parameters={name: one.parameters(_made(Path(folder) / name)) for name, one in beside.items()},
        )  # fmt: skip
        try:
            _record(company, tape)
            for one in done:
                generator = np.random.default_rng((seed, ALONE.index(one.node)))
                _Storms(company, one, beside.get(one.node), tape, generator, over, progress).run()
                if one.stopped == INTERRUPTED:
                    break
        except KeyboardInterrupt:
            pass
        finally:
            company.close()
    for one in done:
        if one.received < one.asked and not one.stopped:
            one.stopped = INTERRUPTED
    return done


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _record(company: Company, tape: Tape) -> None:
    """Let the company walk."""
    left = TAPE
    while left > 0:
        tape.record(company)
        left -= company.stepping or left < TAPE
        if len(tape.ticks) > LONGEST_LEAD:
            raise SurefootError(f"the robot does not walk within {LONGEST_LEAD} ticks: {dict(company.modes)}")
    if company.exceptions or company.illegal:
        raise SurefootError(f"without any garbage: {dict(company.exceptions)}, {dict(company.illegal)}")


class _Storms:
    """Plays the tape to one node over and over, with garbage in place of what is on it or beside it."""

    def __init__(
        self, company: Company, done: FuzzedAlone, beside: Beside | None, tape: Tape, generator: np.random.Generator, over: float,
        progress: Callable[[FuzzedAlone], None],
    ) -> None:  # fmt: skip
        self._done, self._generator, self._over, self._progress = done, generator, over, progress
        self._node = ByItself(company, done.node, self._spoilt_answer, beside)
        self._tape: list[list[Heard]] = tape.of(self._node.kinds)
        on_tape = {topic for tick in self._tape for topic, _ in tick}
        self._silent = [topic for topic in self._node.kinds if topic not in on_tape]
        self._newest: dict[str, bytes] = {}
        self._place, self._later = 0, 0.0
        self._storm, self._pieces = False, 0

    def run(self) -> None:
        """Until it has received enough, or the time is over."""
        done, begin = self._done, time.process_time()
        try:
            while done.received < done.asked:
                if time.monotonic() > self._over:
                    done.stopped = TIME_OVER
                    break
                self._calm()
                self._gust()
                self._node.look_through()
                done.seconds = time.process_time() - begin
                self._note()
                self._progress(done)
        except KeyboardInterrupt:
            done.stopped = INTERRUPTED
        self._node.look_through(over=True)
        self._note()

    def _note(self) -> None:
        done, node = self._done, self._node
        done.said, done.at_work = dict(node.said), node.at_work
        told = {key: int(value) for key, value in node.node.health().items() if value.isdigit()}
        done.refused = dict(node.node.counters) | told
        last_resort = {f"caught as a last resort: {name}": done.refused[name] for name in LAST_RESORTS if done.refused.get(name)}
        done.exceptions, done.illegal = dict(node.exceptions) | last_resort, dict(node.illegal)

    def _calm(self) -> None:
        self._storm, generator = False, self._generator
        left = int(generator.integers(*CALM))
        if self._node.at_work and generator.random() >= AT_WORK_FIRST:
            for _ in range(left):
                self._tick()
            return
        if not self._tick():
            self._rewind()
        left, longest = int(generator.integers(*AT_WORK)), LONGEST_WAIT
        while left > 0 and longest > 0:
            left, longest = left - self._tick(), longest - 1

    def _gust(self) -> None:
        self._storm = True
        self._done.storms += 1
        most = round(COPIES ** self._generator.random())
        for _ in range(int(self._generator.integers(*STORM))):
            self._pieces = most
            self._tick()
            if self._done.received >= self._done.asked:
                break

    def _rewind(self) -> None:
        self._place, self._later = 0, self._later + SECONDS_A_TICK * (self._place + 1)

    def _tick(self) -> bool:
        node, generator = self._node, self._generator
        if self._place == len(self._tape):
            self._rewind()
        pause = generator.random() < PAUSE
        node.step_clock(LONGEST_PAUSE * generator.random() if pause else SECONDS_A_TICK)
        for number in range(node.timers):
            if pause or generator.random() < FIRES:
                node.fire(number)
        node.go_on()
        heard = [(topic, node.stamped(topic, data, self._later)) for topic, data in self._tape[self._place]]
        self._newest.update(heard)
        if self._storm and (not heard or generator.random() < SELDOM):
            # Nobody says often enough what is seldom said.
            topics = (*self._silent, *self._newest)
            heard.append((topics[int(generator.integers(len(topics)))], b""))
        for topic, data in heard:
            self._hear(topic, data)
        self._place += 1
        self._done.ticks += 1
        return node.end_tick()

    def _hear(self, topic: str, data: bytes) -> None:
        """Let it hear what is on the tape, or garbage instead of it, or beside it."""
        node, generator = self._node, self._generator
        kind, instead = node.kinds[topic], not data
        if self._storm:
            sound = data or self._newest.get(topic) or bytes(serialize_message(kind()))
            many = int(generator.integers(0, self._pieces + 1))
            self._pieces -= many
            instead = instead or (many > 0 and generator.random() < 0.5)
            if many:
                places = Places.of(sound, kind)
                for _ in range(many):
                    self._piece(topic, kind, sound, places)
        if not instead:
            node.hear(topic, data if topic in node.raw else deserialize_message(data, kind))

    def _piece(self, topic: str, kind: Any, sound: bytes, places: Places) -> None:
        """Let it hear one piece of garbage. What came out of the garbling as it was is none."""
        generator, how, raw = self._generator, self._generator.random(), topic in self._node.raw
        if how < NUMBERS and places.any:
            made = with_other_numbers(sound, places, generator)
            message, changed = made if raw else deserialize_message(made, kind), made != sound
        elif how < NUMBERS + BYTES:
            made = with_other_bytes(sound, generator)
            message, changed = read(kind, made), made != sound
            if message is None:
                self._done.unreadable += 1
                if not raw:
                    return
            message = made if raw else message
        else:
            before = deserialize_message(sound, kind)
            message = garbled(before, generator)
            changed = message != before
            message = bytes(serialize_message(message)) if raw else message
        if changed:
            self._received(topic)
        self._node.hear(topic, message)

    def _received(self, topic: str) -> None:
        self._done.received += 1
        self._done.by_topic[topic] = self._done.by_topic.get(topic, 0) + 1

    def _spoilt_answer(self, verdict: Any) -> Any:
        """An answer that one node waits for is garbage as well, in a storm."""
        if not self._storm:
            return verdict
        self._received("/score_transitions")
        return garbled(verdict, self._generator)
