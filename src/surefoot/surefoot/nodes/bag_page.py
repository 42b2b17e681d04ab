# SPDX-License-Identifier: Apache-2.0
"""The page over a bag: no node, nothing of it leaves the process, and the robot that it shows is one that was."""

import contextlib
import math
import time

from surefoot.errors import SurefootError
from surefoot.gait.of_robot import gaits_of
from surefoot.nodes.bag_story import BagStory
from surefoot.nodes.bag_types import read
from surefoot.nodes.page_ears import KINDS, PageEars
from surefoot.recording.playback import Playback
from surefoot.recording.reader import SECOND
from surefoot.robot.locate import shared_directory
from surefoot.teleop.layout import read_layout
from surefoot.terrain.world import World
from surefoot.viewer.page.access import Access
from surefoot.viewer.page.messages import OpenMark, Play, Seek, Speed
from surefoot.viewer.page.pad import LAYOUT
from surefoot.viewer.page.page import RATE, Page
from surefoot.viewer.page.recorded import Entry
from surefoot.viewer.page.rehearsal import RehearsalShown, rehearsal_of_record
from surefoot.viewer.page.state import PageState

LEAP = 1.0
"""s of the bag between two drawings from which on what lies between is not gone through."""


class BagPage:
    """Serves from the moment it is built.

    Args:
        story: what is in the bag.
        access: who may look; nobody may command.
        world: what is known of the ground.

    Attributes:
        refused: messages that could not be read, so far.
    """

    def __init__(self, story: BagStory, access: Access, world: World | None) -> None:
        self._story, self.refused = story, 0
        line = story.time_line
        self._playback = Playback(round(line.start * SECOND), round(line.end * SECOND), paused=True)
        config, model = shared_directory() / "config", story.model
        gaits = gaits_of(model)
        self.page = Page(model, gaits, read_layout(config / "gamepads", LAYOUT), access, world, line)
        self._ears = PageEars(model.description, self.page.state)
        self._time = -math.inf
        self._recorded: RehearsalShown | None = None
        self._go_to(line.start)

    def tick(self, wall: float) -> None:
        """Do what browsers want, and show the moment that it is time for; wall: s, it does not go back."""
        self.page.listen()
        moves, self.page.moves = self.page.moves, []
        for move in moves:
            self._playback.look(wall)
            if isinstance(move, Play):
                if move.playing and self._playback.position >= self._playback.end:
                    self._playback.seek(self._playback.start)
                self._playback.pause(not move.playing)
            elif isinstance(move, Speed):
                self._playback.set_speed(move.speed)
            elif isinstance(move, Seek):
                self._playback.seek(round(move.time * SECOND))
            elif isinstance(move, OpenMark):
                self._open(move.number)
        self._go_to(self._playback.look(wall) / SECOND)
        self._decide()
        playing = not self._playback.paused and self._playback.position < self._playback.end
        self.page.playback = {"time": round(self._time, 3), "playing": playing, "speed": self._playback.speed}
        self.page.show(wall)

    def run(self) -> None:
        """Go on until it is interrupted."""
        due = time.monotonic()
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                self.tick(time.monotonic())
                # By the clock, not by what is left of this beat: a sleep that is a little long is made up for, a beat that was lost is not.
                due = max(due + 1.0 / RATE, time.monotonic() - 1.0 / RATE)
                time.sleep(max(0.0, due - time.monotonic()))

    def close(self) -> None:
        """End the servers of the page."""
        self.page.close()

    def _open(self, number: int) -> None:
        marks = self._story.time_line.marks
        if number < len(marks):
            self._playback.pause()
            self._playback.seek(math.ceil(marks[number].time * SECOND))

    def _go_to(self, moment: float) -> None:
        """The state at a time, s: by what came since, or anew."""
        if moment == self._time:
            return
        if self._time <= moment < self._time + LEAP and self._story.run_at(moment) == self._story.run_at(self._time):
            entries = self._story.between(self._time, moment)
        else:
            self._ears.state = self.page.state = PageState(effort_limit=self._story.model.effort_limit)
            self.page.state.rates = self._story.rates()
            entries = self._story.leading_to(moment)
        for entry in entries:
            self._hear(entry)
        self._time = moment
        self.page.state.faults = self._story.faults(moment)

    def _hear(self, entry: Entry) -> None:
        try:
            self._ears.hear(entry.topic, read(KINDS[entry.topic], entry.data), math.inf)
        except SurefootError:
            self.refused += 1

    def _decide(self) -> None:
        """A decision with a record is shown by that: it has every trace, and no message of it was lost."""
        shown = self.page.state.rehearsal
        if shown is None or shown is self._recorded or shown.verdict is None:
            return
        self._recorded = shown
        record = self._story.record(shown.verdict.record)
        if record is not None:
            recorded = rehearsal_of_record(record)
            recorded.request_id, recorded.time = shown.request_id, shown.time
            recorded.answer(shown.verdict, shown.heard_at)
            self._recorded = self.page.state.rehearsal = recorded
