# SPDX-License-Identifier: Apache-2.0
"""The time of a story beside that of the robot: who plays it looks whether the robot is armed and stands before going on."""

import math

from surefoot.teleop.script import Story

ARM, STAND = "arm", "stand"
LOOKS_AFTER = 0.3
"""s after a button was let go of, at which its player looks for what became of it."""


class StoryClock:
    """What a story says at a time, it does at that time of the robot, unless the robot is not ready for it.

    A press counts once, and one that is refused is lost: on a machine where nodes still start, or are late, all the rest of the story would
    be done to a robot that lies. So the story waits before it presses STAND for as long as the robot says that this has to wait, and goes
    back to the press of ARM or STAND that changed nothing. In lockstep neither happens to a robot that can be armed and can stand.

    Args:
        story: that is played.
    """

    def __init__(self, story: Story) -> None:
        self._arms, self._stands = ([step.at for step in story.steps if name in step.press] for name in (ARM, STAND))
        self._patience = story.press_time + LOOKS_AFTER
        self._delay = 0.0
        self._last: float | None = None
        self._armed = False

    def at(self, time: float, lacks: str = "", waits: bool = False) -> float:
        """The time of the story, s, which goes back where something has to be done again.

        Args:
            time: of the robot, s since the start.
            lacks: the action that the robot still needs before it can go on: ARM, STAND, or nothing.
            waits: it says that standing up has to wait.
        """
        now = time - self._delay
        last = now if self._last is None else self._last
        # Once only: a robot that is suddenly unarmed in the middle of a story is not for the story to arm again.
        self._armed = self._armed or lacks != ARM
        again: list[float] = []
        if not self._armed:
            again = [press for press in self._arms[:1] if press + self._patience <= now]
        elif lacks == STAND:
            again = [press for press in self._stands if (waits and last < press <= now) or last < press + self._patience <= now]
        if again:
            now = math.nextafter(again[0], -math.inf)
            self._delay = time - now
        self._last = now
        return now
