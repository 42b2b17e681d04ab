# SPDX-License-Identifier: Apache-2.0
"""From pad messages to presses (one per push of a button) and to whether somebody holds the pad."""

import math
from collections.abc import Sequence

from surefoot.teleop.layout import DRIVING_AXES
from surefoot.teleop.pad import PadReader, PadState
from surefoot.teleop.settings import OperatorSettings


class PadWatch:
    """Follows one pad: its last state, the presses since the last look, and its signs of life.

    Attributes:
        state: of the last message; None before the first, and again once the pad is known to be gone.
    """

    def __init__(self, reader: PadReader, settings: OperatorSettings) -> None:
        self.reader, self._settings = reader, settings
        self.state: PadState | None = None
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
        for action, button in self.reader.layout.actions.items():
            if button in state.pressed - before and (self._fits or action == "stop"):
                self._presses.append((stamp, action))
        self._stamp, self.state = stamp, state

    def unplugged(self) -> None:
        """The pad is known to be gone."""
        self.state = None

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
            return "no gamepad: no message of it has come, or it was unplugged"
        if not age <= settings.pad_timeout:
            return f"the gamepad has been silent for {age:.2f} s, limit {settings.pad_timeout:.2f} s"
        if not self._fits:
            return "the gamepad is not one of the chosen layout"
        if not self.down("dead_man"):
            return "the dead-man switch is open"
        frozen = time - self._same_since
        if settings.pad_frozen_after is not None and frozen > settings.pad_frozen_after and any(map(self.stick, DRIVING_AXES)):
            return f"the gamepad has said the very same for {frozen:.0f} s with a stick deflected; move the stick"
        return ""

    def _button(self, action: str) -> str:
        return self.reader.layout.actions[action]
