# SPDX-License-Identifier: Apache-2.0
"""The on-screen gamepad: what a browser says its fingers do, as messages of a pad. One browser holds it at a time."""

import math
from collections.abc import Collection, Mapping

from surefoot.teleop.delivery import DeliveryDelay
from surefoot.teleop.layout import PadLayout
from surefoot.teleop.writer import GONE, PadMessage, pad_message

LAYOUT = "page"
"""Name of the layout in config/gamepads."""

FRESH = 0.5
"""s of silence after which a browser loses the pad: its page is hidden, its network is gone, or it hangs."""

LATE = 0.3
"""s of delay on the way from a browser, against the fastest message so far, from which on only a stop is obeyed."""

STOP, DEAD_MAN = "stop", "dead_man"

GOODBYES = 5
"""How many times the loss of the pad is said, since one message may get lost."""


class OnScreenPad:
    """Holds what the fingers do, by any clock that does not go back, s.

    It says something only when its browser did, so that whoever hears it counts its silence from that of the browser. Each press is
    said, however short it was; a stop before all else.

    Args:
        layout: of its messages.
    """

    def __init__(self, layout: PadLayout) -> None:
        self._layout = layout
        self._holder: int | None = None
        self._delay = DeliveryDelay()
        self._heard_at = -math.inf
        self._spoke = self._news = self._introduced = False
        self._axes: Mapping[str, float] = {}
        self._down: frozenset[str] = frozenset()
        self._unsaid: frozenset[str] = frozenset()
        self._said_down: frozenset[str] = frozenset()
        self._goodbyes = 0

    @property
    def holder(self) -> int | None:
        """The browser that holds it."""
        return self._holder

    def take(self, browser: int, time: float) -> bool:
        """A browser wants it at a time, s; whether it has it now."""
        if self._holder is None:
            self._holder, self._heard_at, self._delay = browser, time, DeliveryDelay()
            self._spoke = self._introduced = False
        return self._holder == browser

    def leave(self, browser: int) -> None:
        """A browser lets go of it, or is gone."""
        if self._holder == browser:
            self._lose()

    def stop(self) -> None:
        """Somebody wants the robot to stop, whether or not he holds the pad."""
        self._unsaid |= {STOP}

    def say(self, browser: int, time: float, sent: float, axes: Mapping[str, object], pressed: Collection[object]) -> bool:
        """What the fingers of a browser do. What is not known or not a number is at rest.

        Args:
            browser: its number.
            time: at which it came, s.
            sent: by the clock of the browser, s: a network that stood still must not deliver later what was wanted before.
            axes: deflections by name.
            pressed: names of the buttons that are down.

        Returns:
            False if it does not hold the pad; then only a stop was obeyed.
        """
        if browser != self._holder:
            if STOP in pressed:
                self.stop()
            return False
        if not self._delay.of(sent, time) <= LATE:
            if STOP not in pressed:
                return True
            axes, pressed = {}, (STOP,)
        self._axes = {name: _deflection(axes.get(name)) for name in self._layout.axes}
        down = frozenset(str(name) for name in pressed) & frozenset(self._layout.buttons)
        # The dead-man switch is no press: it must not be said to be held for longer than it is.
        self._unsaid |= down - self._down - {DEAD_MAN}
        self._down, self._heard_at = down, time
        self._spoke = self._news = True
        return True

    def message(self, time: float) -> PadMessage | None:
        """The message that is due at a time, s; None while there is nothing new to say.

        A browser that falls silent, or never says anything, loses the pad: whoever wants to drive on must take it again.
        """
        if self._holder is not None and not time - self._heard_at <= FRESH:
            self._lose()
        if STOP in self._unsaid:
            return self._say_stop()
        if self._goodbyes > 0:
            self._goodbyes -= 1
            self._said_down, self._introduced = frozenset(), False
            return GONE
        if not self._news:
            return None
        if not self._introduced:
            # What is down in the first message of a pad counts as held all along, and is no press: each press is said after it.
            held = self._down & {DEAD_MAN}
            self._introduced, self._news = True, bool(self._unsaid) or held != self._down
            return self._said(self._axes, held)
        # A button that was let go of in between must be seen up before it is seen down again.
        again = self._unsaid & self._said_down
        down = (self._down | self._unsaid) - again
        # What is said to be down though it is up is put right by the next message.
        self._news, self._unsaid = down != self._down or bool(again), again
        return self._said(self._axes, down)

    def _say_stop(self) -> PadMessage:
        """A stop, for whose sake everything else is at rest, and what was pressed before it is forgotten."""
        self._unsaid = self._unsaid & self._said_down & {STOP}
        if self._holder is None:
            self._goodbyes = GOODBYES
        return self._said({}, frozenset() if self._unsaid else frozenset({STOP}))

    def _said(self, axes: Mapping[str, float], down: frozenset[str]) -> PadMessage:
        self._said_down = down
        return pad_message(self._layout, axes, down)

    def _lose(self) -> None:
        # A pad that never spoke is no loss to anybody.
        if self._spoke:
            self._goodbyes = GOODBYES
        self._holder, self._axes, self._down, self._spoke, self._news = None, {}, frozenset(), False, False
        self._unsaid &= {STOP}


def _deflection(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(1.0, max(-1.0, float(value)))
