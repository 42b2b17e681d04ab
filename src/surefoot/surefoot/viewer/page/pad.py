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
"""s after which what a browser said no longer counts: its page is hidden, its network is gone, or it hangs."""

LATE = 0.3
"""s of delay on the way from a browser, against the fastest message so far, from which on only a stop is obeyed."""

STOP = "stop"

GOODBYES = 5
"""How many times the loss of the pad is said, since one message may get lost."""


class OnScreenPad:
    """Holds what the fingers do, by any clock that does not go back, s.

    Args:
        layout: of its messages.
    """

    def __init__(self, layout: PadLayout) -> None:
        self._layout = layout
        self._holder: int | None = None
        self._delay = DeliveryDelay()
        self._said_at = -math.inf
        self._axes: Mapping[str, float] = {}
        self._pressed: frozenset[str] = frozenset()
        self._goodbyes = 0

    @property
    def holder(self) -> int | None:
        """The browser that holds it."""
        return self._holder

    def take(self, browser: int) -> bool:
        """A browser wants it; whether it has it now."""
        if self._holder is None:
            self._holder, self._said_at, self._delay = browser, -math.inf, DeliveryDelay()
        return self._holder == browser

    def leave(self, browser: int) -> None:
        """A browser lets go of it, or is gone."""
        if self._holder == browser:
            self._lose()

    def say(self, browser: int, time: float, sent: float, axes: Mapping[str, object], pressed: Collection[object]) -> bool:
        """What the fingers of a browser do. False if it does not hold the pad; what is not known or not a number is at rest.

        Args:
            browser: its number.
            time: at which it came, s.
            sent: by the clock of the browser, s: a network that stood still must not deliver later what was wanted before.
            axes: deflections by name.
            pressed: names of the buttons that are down.
        """
        if browser != self._holder:
            return False
        if not self._delay.of(sent, time) <= LATE:
            if STOP not in pressed:
                return True
            axes, pressed = {}, (STOP,)
        self._axes = {name: _deflection(axes.get(name)) for name in self._layout.axes}
        self._pressed = frozenset(str(name) for name in pressed) & frozenset(self._layout.buttons)
        self._said_at = time
        return True

    def message(self, time: float) -> PadMessage | None:
        """The message that is due at a time; None while nobody holds the pad, or has not yet said anything.

        A browser that falls silent loses the pad: whoever wants to drive on must take it again.
        """
        if self._holder is not None and time - self._said_at <= FRESH:
            return pad_message(self._layout, self._axes, self._pressed)
        if self._holder is not None and math.isfinite(self._said_at):
            self._lose()
        if self._goodbyes > 0:
            self._goodbyes -= 1
            return GONE
        return None

    def _lose(self) -> None:
        # A pad that never spoke is no loss to anybody.
        self._goodbyes = GOODBYES if math.isfinite(self._said_at) else 0
        self._holder, self._axes, self._pressed, self._said_at = None, {}, frozenset(), -math.inf


def _deflection(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(1.0, max(-1.0, float(value)))
