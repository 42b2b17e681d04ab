# SPDX-License-Identifier: Apache-2.0
"""From pad messages to presses (one per push of a button) and to whether somebody holds the pad."""

import math
from collections.abc import Sequence

from surefoot.teleop.layout import DRIVING_AXES
from surefoot.teleop.pad import PadReader, PadState
from surefoot.teleop.posture import LEVEL, Posture
from surefoot.teleop.settings import OperatorSettings

PAGE = "page:"
"""Prefix of the presses that count on the tuning page; alone, the way into it and out."""

NO_PAD_YET = "no gamepad: no message of it has come; launch with gamepad:=true, or start ./surefoot drive"
DEAD_MAN_OPEN = "the dead-man switch is open"
"""Why nobody counts as holding the pad, where nothing is wrong with it."""


class PadWatch:
    """Follows one pad: its last state, the presses since the last look, and its signs of life.

    Attributes:
        state: of the last message; None before the first, and again once the pad is known to be gone.
        lost: it was unplugged or silent for long: nobody drives with it until it is armed again.
    """

    def __init__(self, reader: PadReader, settings: OperatorSettings) -> None:
        self.reader, self._settings = reader, settings
        self.state: PadState | None = None
        self.lost = False
        self._centred = False
        self._leans = False
        self._stamp = -math.inf
        self._raw: tuple[tuple[float, ...], tuple[int, ...]] = ((), ())
        self._same_since = -math.inf
        self._fits = True
        self._presses: list[tuple[float, str]] = []

    def message(self, stamp: float, axes: Sequence[float], buttons: Sequence[int]) -> None:
        """Take one message, stamped in s. Older ones than the last are dropped and counted."""
        if not (math.isfinite(stamp) and stamp >= self._stamp):
            self.reader.counters["out_of_order"] += 1
            return
        state = self.reader.read(axes, buttons)
        raw = (tuple(axes), tuple(buttons))
        if raw != self._raw:
            self._raw, self._same_since = raw, stamp
        self._fits = self.reader.fits(len(axes), len(buttons))
        # After a silence nobody knows when a button that is down was pushed, so it is no press; except stop, which is always one.
        known = self.state is not None and stamp - self._stamp <= self._settings.pad_timeout
        before = self.state.pressed if known and self.state else state.pressed - {self._button("stop")}
        self._presses += [(stamp, action) for action in self._pressed(before, state.pressed) if self._fits or action == "stop"]
        self._stamp, self.state = stamp, state
        at_rest = not any(map(self.stick, DRIVING_AXES))
        self._centred = self._centred or at_rest
        # What leaned the body must not drive it off once the trigger is let go.
        layout = self.reader.layout
        self._leans = layout.posture is not None and layout.posture.hold != "" and (self._holds_posture() or (self._leans and not at_rest))

    def unplugged(self) -> None:
        """The pad is known to be gone."""
        if self.state is not None:
            self._lose()
        self.state = None

    def rearm(self) -> None:
        """It was armed: it counts again if it was lost."""
        self.lost = False

    def take_presses(self) -> list[tuple[float, str]]:
        """Presses since the last call: time of the message (s) and action, oldest first."""
        presses, self._presses = self._presses, []
        return presses

    def down(self, action: str) -> bool:
        """Whether the button of an action is down in the last message."""
        return self.state is not None and self._button(action) in self.state.pressed

    def stick(self, direction: str) -> float:
        """Deflection of one of DRIVING_AXES in the last message, -1 to 1."""
        return 0.0 if self.state is None else self.state.axes[self.reader.layout.driving[direction]]

    def driving(self, direction: str) -> float:
        """The same, but 0 while the sticks carry the body instead, and then until they have been let go."""
        return 0.0 if self._leans else self.stick(direction)

    def posture(self) -> Posture:
        """Deflections of the axes that carry the body in the last message."""
        if self.state is None or self.reader.layout.posture is None or not self._holds_posture():
            return LEVEL
        names, axes = self.reader.layout.posture, self.state.axes
        return Posture(axes[names.height], -axes[names.roll], axes[names.pitch], axes[names.yaw])

    def age(self, time: float) -> float:
        """Age of the last message at a time, s; infinite before the first."""
        if self._stamp > time + self._settings.pad_timeout:
            # A stamp from the future would keep a dead pad fresh, and would have all that follows dropped as older.
            self._stamp, self.state = -math.inf, None
        return time - self._stamp

    def absence(self, time: float) -> str:
        """Why nobody counts as holding the pad at a time (s), in words; empty if somebody does."""
        age, settings = self.age(time), self._settings
        if self.state is None:
            return "no gamepad: it was unplugged" if self.lost else NO_PAD_YET
        if not age <= settings.pad_timeout:
            if age > settings.pad_lost_after:
                self._lose()
            return f"the gamepad has been silent for {age:.2f} s, limit {settings.pad_timeout:.2f} s"
        if not self._fits:
            return "the gamepad is not one of the chosen layout"
        if self.lost:
            return "the gamepad was lost and is back; let go of the sticks and press arm"
        if not self.down("dead_man"):
            return DEAD_MAN_OPEN
        if not self._centred:
            return "a stick has been deflected ever since the gamepad came; let go of it once"
        frozen = time - self._same_since
        if settings.pad_frozen_after is not None and frozen > settings.pad_frozen_after and any(map(self.stick, DRIVING_AXES)):
            return f"the gamepad has said the very same for {frozen:.0f} s with a stick deflected; move the stick"
        return ""

    def _holds_posture(self) -> bool:
        posture = self.reader.layout.posture
        if self.state is None or posture is None:
            return False
        return posture.hold == "" or self.state.axes.get(posture.hold, 0.0) > 0.5 or posture.hold in self.state.pressed

    def _lose(self) -> None:
        self.lost, self._centred = True, False

    def _pressed(self, before: frozenset[str], now: frozenset[str]) -> list[str]:
        """What the buttons that went down mean: an action, and on the tuning page another one with the prefix of PAGE."""
        layout = self.reader.layout
        actions = [action for action, button in layout.actions.items() if button in now - before]
        if layout.page is not None:
            actions += [PAGE + action for action, button in layout.page.presses.items() if button in now - before]
            if now.issuperset(layout.page.enter) and not before.issuperset(layout.page.enter):
                actions.append(PAGE)
        return actions

    def _button(self, action: str) -> str:
        return self.reader.layout.actions[action]
