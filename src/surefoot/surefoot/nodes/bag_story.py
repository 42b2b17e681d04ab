# SPDX-License-Identifier: Apache-2.0
"""What a page needs of a bag, read once, and where on its time line something happened."""

import math
import tempfile
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

from surefoot.errors import SurefootError
from surefoot.nodes.bag_types import of_another_type, read, robot_of, unread
from surefoot.nodes.page_ears import KINDS, PageEars
from surefoot.nodes.replay.session import recorded_parameters
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.timeline import clock_topic, with_time
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


class BagStory:
    """Everything of a bag that a page may show.

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
        self._kept = {topic: Entries(STEP if topic in MOMENTS else 0.0) for topic in KINDS}
        self._left_out = of_another_type(bag, KINDS, "/robot_state")
        self.time_line = self._read()
        self._faults = [mark for mark in self.time_line.marks if mark.kind == "fault"]

    def between(self, after: float, until: float) -> Iterator[Entry]:
        """What was said later than one time and not later than another, s, in its order."""
        return in_order(*(kept.between(after, until) for kept in self._kept.values()))

    def leading_to(self, time: float) -> Iterator[Entry]:
        """What has to be heard so that a page that knows nothing shows a time, s, in its order."""
        kept, begin = self._kept, time - WINDOW
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
        return [*self._bag.problems, *self._left_out.values(), *unread(self.refused)]

    def faults(self, time: float) -> list[Mark]:
        """The last ones that are not later than a time, s."""
        end = bisect_right(self._faults, time, key=lambda mark: mark.time)
        return self._faults[max(0, end - VERDICTS_KEPT) : end]

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
        wanted = {*KINDS, clock} - {""}
        state = PageState(effort_limit=self.model.effort_limit)
        ears = PageEars(self.model.description, state)
        marks: list[Mark] = []
        said: dict[str, bytes] = {}
        time, begin = 0.0, math.inf
        for number, (nanoseconds, message) in enumerate(with_time(self._bag.messages(wanted), clock)):
            time, topic = nanoseconds / SECOND, message.topic
            begin = min(begin, time)
            if topic not in KINDS or topic in self._left_out:
                continue
            # After its stamp, what stays the same is the same to the byte.
            if topic in STAYS and said.get(topic) == message.data[12:]:
                continue
            said[topic] = message.data[12:]
            self._kept[topic].add(Entry(time, number, topic, message.data))
            if topic not in MOMENTS and topic not in ("/traces", "/swing"):
                marks += self._news(ears, topic, message.data, time)
        return TimeLine(min(begin, time), time, tuple(marks))

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
