# SPDX-License-Identifier: Apache-2.0
"""What a page needs of a bag, read once, and where on its time line something happened."""

import math
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from surefoot.errors import SurefootError
from surefoot.nodes.bag_types import of_another_type, read, robot_of, unread
from surefoot.nodes.page_ears import KINDS, PageEars
from surefoot.nodes.replay.session import recorded_parameters
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.stamps import has_header
from surefoot.recording.timeline import clock_topic, with_run, with_time
from surefoot.recording.types import RawMessage
from surefoot.robot.load import load_robot
from surefoot.traces.decision.record import RecordedDecision, read_record
from surefoot.viewer.page.recorded import STEP, WINDOW, Entries, Entry, Mark, TimeLine, in_order
from surefoot.viewer.page.state import VERDICTS_KEPT, PageState

MOMENTS = ("/motion_plan", "/joint_command", "/robot_state")
"""Topics that speak at every tick; not each of their messages is kept."""
STAYS = ("/robot_mode", "/operator_command", "/gait_status")
"""Of these the newest is true until the next: what is said again and again is kept once."""
PASSES = ("/swing", "/diagnostics")
"""What these said is true for a while."""
DECISIONS = "decisions/"
"""Before the names of the decision records that a recorder put into the bag."""
PLAN = "/motion_plan"
MARKED = tuple(topic for topic in KINDS if topic not in (*MOMENTS, "/traces", "/swing"))
"""All of what these say is looked at for marks; of PLAN, which says as well what went wrong, what is kept."""
GAP = 1.0
"""s on the time line between a run of the robot and the next one."""


@dataclass(frozen=True)
class _Run:
    """What was said from one start of the robot to the next, by topic.

    Attributes:
        kept: of each topic.
        start: on the time line, s.
        shift: from the time of its samples to that on the time line, s.
    """

    kept: dict[str, Entries]
    start: float
    shift: float


class BagStory:
    """Everything of a bag that a page may show. Where the robot was started again, its runs are one after the other on the time line.

    Args:
        bag: to read; all of it is read once.
        robot: name or path; empty: the one that the bag names.

    Attributes:
        robot: name or path.
        model: of it.
        world: name or path of the ground, as far as the bag names it; else empty.
        time_line: with its marks.
        refused: messages that could not be read.

    Raises:
        BagError: it has nothing that a page could show.
        ConfigurationError, UnknownNameError: the robot is not known here.
    """

    def __init__(self, bag: Bag, robot: str = "") -> None:
        parameters = recorded_parameters(bag)
        self.robot = robot_of(parameters, robot)
        self.world = str(parameters.get("simulator", {}).get("world", ""))
        self.model = load_robot(self.robot)
        self.refused = 0
        self._bag = bag
        self._runs: list[_Run] = []
        self._read_so_far = 0
        self._left_out = of_another_type(bag, KINDS, "/robot_state")
        self.time_line = self._read()
        self._faults = [mark for mark in self.time_line.marks if mark.kind == "fault"]

    def between(self, after: float, until: float) -> Iterator[Entry]:
        """What was said later than one time and not later than another, s, in its order."""
        return in_order(*(kept.between(after, until) for run in self._runs for kept in run.kept.values()))

    def run_at(self, time: float) -> int:
        """Number of the run that a time, s, belongs to: who comes from another one knows nothing of this one."""
        return max(0, bisect_right(self._runs, time, key=lambda run: run.start) - 1)

    def leading_to(self, time: float) -> Iterator[Entry]:
        """What has to be heard so that a page that knows nothing shows a time, s, in its order."""
        kept, begin = self._runs[self.run_at(time)].kept, time - WINDOW
        verdicts = kept["/verdict"].newest(time, VERDICTS_KEPT + 1)
        # The traces of the last decision, and of the one that may be on its way.
        since = verdicts[-2].time if len(verdicts) > 1 else -math.inf
        return in_order(
            *(kept[topic].between(begin, time) for topic in (*MOMENTS, *PASSES)),
            *(kept[topic].newest(time, 1) for topic in STAYS),
            verdicts,
            kept["/traces"].between(since, time),
        )

    def rates(self) -> dict[str, float]:
        """Messages a second of each topic that is kept, of the whole bag."""
        seconds = max(self.time_line.end - self.time_line.start, 1e-3)
        return {topic: self._bag.counts[topic] / seconds for topic in KINDS if self._bag.counts.get(topic)}

    @property
    def problems(self) -> list[str]:
        """What of the bag is not shown, and why."""
        again = [f"the robot was started {len(self._runs)} times; its runs are one after the other"] if len(self._runs) > 1 else []
        return [*self._bag.problems, *self._left_out.values(), *unread(self.refused), *again]

    def faults(self, time: float) -> list[tuple[float, str]]:
        """The last ones of a run that are not later than a time, s: each with the time of the robot, s, newest first."""
        run, end = self._runs[self.run_at(time)], bisect_right(self._faults, time, key=lambda mark: mark.time)
        last = [mark for mark in self._faults[max(0, end - VERDICTS_KEPT) : end] if mark.time >= run.start]
        return [(mark.time - run.shift, mark.words) for mark in reversed(last)]

    def record(self, name: str) -> RecordedDecision | None:
        """The decision record that a verdict names, out of the bag or from beside it; None where there is none that can be read."""
        file = Path(name).name
        if not file:
            return None
        content = self._bag.attachments.get(DECISIONS + file)
        with tempfile.TemporaryDirectory() as folder:
            inside = Path(folder) / file
            if content is not None:
                inside.write_bytes(content)
            for path in (inside, self._bag.path / file, self._bag.path.parent / file, Path(name)):
                try:
                    return read_record(path)
                except SurefootError:
                    continue
        return None

    def _read(self) -> TimeLine:
        clock = clock_topic(self._bag)
        stamped = {name for name, topic in self._bag.topics.items() if has_header(topic.definition)}
        messages = self._bag.messages({*KINDS, clock} - {""})
        marks: list[Mark] = []
        begin = end = 0.0
        # Without samples nothing tells one run from the next.
        told = with_run(messages, clock, stamped) if clock else ((0, message) for message in messages)
        for number, run in groupby(told, itemgetter(0)):
            first, end = self._read_run((message for _, message in run), clock, None if number == 0 else end + GAP, marks)
            begin = first if number == 0 else begin
        if not self._runs:
            self._read_run((), clock, None, marks)
        return TimeLine(begin, end, tuple(marks))

    def _read_run(self, messages: Iterable[RawMessage], clock: str, start: float | None, marks: list[Mark]) -> tuple[float, float]:
        """Keep what was said in one run, and mark what happened; where it begins and ends on the time line, s.

        Args:
            messages: of the run.
            clock: topic of the samples.
            start: where it is to begin; None: at the time of its first sample.
            marks: of the time line, to be added to.
        """
        ears = PageEars(self.model.description, PageState(effort_limit=self.model.effort_limit))
        kept = {topic: Entries(STEP if topic in MOMENTS else 0.0) for topic in KINDS}
        said: dict[str, bytes] = {}
        shift, begin, time = 0.0, math.nan, 0.0
        for number, (nanoseconds, message) in enumerate(with_time(messages, clock), self._read_so_far):
            self._read_so_far = number + 1
            if math.isnan(begin):
                shift = 0.0 if start is None else start - nanoseconds / SECOND
                begin = nanoseconds / SECOND + shift
            time, topic = nanoseconds / SECOND + shift, message.topic
            if topic not in KINDS or topic in self._left_out:
                continue
            # After its stamp, what stays the same is the same to the byte.
            if topic in STAYS and said.get(topic) == message.data[12:]:
                continue
            said[topic] = message.data[12:]
            new = kept[topic].add(Entry(time, number, topic, message.data))
            if topic in MARKED or (topic == PLAN and new):
                marks += self._news(ears, topic, message.data, time)
        begin = 0.0 if math.isnan(begin) else begin
        if self._runs:
            marks.insert(bisect_left(marks, begin, key=lambda mark: mark.time), Mark(begin, "start", "the robot was started again"))
        self._runs.append(_Run(kept, begin, shift))
        return begin, time

    def _news(self, ears: PageEars, topic: str, data: bytes, time: float) -> Iterator[Mark]:
        """What is to be marked of a message."""
        state = ears.state
        before, answered = state.status, _answered(state)
        state.faults = []
        try:
            ears.hear(topic, read(KINDS[topic], data), math.inf)
        except SurefootError:
            self.refused += 1
            return
        status, verdict = state.status, None if state.rehearsal is None else state.rehearsal.verdict
        if status.state == "REHEARSING" and (status.request_id, status.state) != (before.request_id, before.state):
            yield Mark(time, "request", f"asked for {status.requested_gait} while in {status.gait}")
        if verdict is not None and state.rehearsal is not None and _answered(state) != answered:
            change = f"{state.rehearsal.gait_from} → {state.rehearsal.gait_to}"
            yield Mark(time, "verdict", f"{change} {'accepted' if verdict.accepted else 'vetoed'}: {verdict.reason}", verdict.accepted)
        for _, words in reversed(state.faults):
            yield Mark(time, "fault", words)


def _answered(state: PageState) -> tuple[int, float] | None:
    """Which rehearsal was the last one to be answered."""
    shown = state.rehearsal
    return None if shown is None or shown.verdict is None else (shown.request_id, shown.time)
