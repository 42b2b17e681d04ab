# SPDX-License-Identifier: Apache-2.0
"""A keyboard as a gamepad. A terminal tells only that a key came, never that it was let go: the key has to keep coming."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from surefoot.teleop.layout import PadLayout
from surefoot.teleop.writer import PadMessage, pad_message

AXES = ("forward", "strafe", "turn", "height", "roll", "pitch", "yaw")
"""Axes of the layout `keyboard`."""

DRIVING: Mapping[str, Mapping[str, float]] = {
    "w": {"forward": 1.0},
    "s": {"forward": -1.0},
    "a": {"turn": 1.0},
    "d": {"turn": -1.0},
    "q": {"forward": 1.0, "turn": 1.0},
    "e": {"forward": 1.0, "turn": -1.0},
    "z": {"strafe": 1.0},
    "c": {"strafe": -1.0},
    "x": {},
    "h": {"height": 1.0},
    "j": {"height": -1.0},
    "[": {"roll": 1.0},
    "]": {"roll": -1.0},
    "=": {"pitch": 1.0},
    "-": {"pitch": -1.0},
    ",": {"yaw": 1.0},
    ".": {"yaw": -1.0},
}
"""Deflections of the keys that hold the dead-man switch while they repeat."""

PRESSES: Mapping[str, str] = {
    " ": "stop",
    "m": "arm",
    "t": "stand",
    "g": "sit",
    "v": "walk",
    "n": "ground_next",
    "b": "ground_previous",
    "1": "gait_1",
    "2": "gait_2",
    "3": "gait_3",
    "4": "gait_4",
    "l": "level",
    "y": "accept",
    "p": "page",
    "down": "page_next",
    "up": "page_previous",
    "right": "page_more",
    "left": "page_less",
    "k": "page_take",
    "u": "page_undo",
    "o": "page_save",
}
"""Button of the layout `keyboard` of each key that is a press."""

HELP = """\
  hold to drive, let go to stop     SPACE  emergency stop: motors only damp
    q  w  e   turn and forward      m      arm          t  stand up    g  sit down
    a  s  d   turn, back, turn      v      walking on and off
    z  x  c   left, still, right    1-4    gait         n b  the ground ahead
  r f  faster, slower               p      tuning page: arrows choose and change,
  hold to carry the body                   k  ask for it   u  undo   o  save
    h j  up, down    [ ]  lean      l      level again
    = -  nose down, up   , .  turn  y      accept what was offered after a veto   Ctrl-C  leave"""
"""Every key, for the screen."""

FIRST_HOLD = 0.6
"""Time for which a key counts as held once it came, s: keyboards wait about that long before they repeat."""

REPEAT_HOLD = 0.2
"""The same for a key that repeats, s."""

APART = 3.0
"""A driving key that repeats is held for at least so many times the longest time between two of it, up to FIRST_HOLD: on a busy machine
keys come in bursts."""

HELD_UP = 0.1
"""Time since the last message from which on this program was held up, s, and the keys perhaps with it."""

PRESS_TIME = 0.1
"""Time for which a pressed button is down, s."""

LONGEST_WAIT = 0.5
"""Age at which a press that waits for its turn is dropped, s: what is typed must not act long after the hand is gone."""

STEPS = ("page_next", "page_previous", "page_more", "page_less", "page_undo")
"""Buttons that are pressed again and again while their key repeats; every other one is pressed once, as on a pad."""

SPEEDS = (0.25, 0.5, 0.75, 1.0)
"""Deflections that r and f choose."""


class _Held(NamedTuple):
    key: str
    came: float
    until: float
    repeats: bool
    apart: float = 0.0
    """Longest time between two of it, without the first, s."""


class KeyboardPad:
    """Keys in, messages of a pad out. Times in s, by any clock that does not go back."""

    def __init__(self, layout: PadLayout) -> None:
        self._layout = layout
        self._held = _Held("", 0.0, 0.0, False)
        self._repeating = self._held
        self._presses: list[tuple[float, str]] = []
        self._down, self._down_until = "", 0.0
        self._said_at = math.inf
        self._speed = 1

    def key(self, time: float, key: str) -> bool:
        """Take one key by the name that `terminal.KeyDecoder` gives it; whether it means anything.

        A key that comes again before another one, and soon, is held. A held key is one press of its button, unless it is one of STEPS.
        """
        self._repeating = self._follow(self._repeating, time, key)
        if key in DRIVING:
            self._held = self._follow(self._held, time, key, FIRST_HOLD)
        elif PRESSES.get(key) == "stop":
            # It comes before everything, and lets go of everything.
            self._held, self._presses, self._down_until = _Held("", 0.0, 0.0, False), [(time, "stop")], 0.0
        elif key in PRESSES:
            repeats = self._repeating.repeats and PRESSES[key] not in STEPS
            if not repeats and PRESSES[key] not in [button for _, button in self._presses]:
                self._presses.append((time, PRESSES[key]))
        elif key in ("r", "f"):
            self._speed = max(0, min(len(SPEEDS) - 1, self._speed + (1 if key == "r" else -1)))
        else:
            return False
        return True

    @staticmethod
    def _follow(before: _Held, time: float, key: str, longest: float = REPEAT_HOLD) -> _Held:
        """How long a key that came now counts as held; `longest` is for one that repeats, s."""
        repeats = key == before.key and time <= before.until
        if not repeats:
            return _Held(key, time, time + FIRST_HOLD, repeats=False)
        apart = max(before.apart, time - before.came) if before.repeats else 0.0
        return _Held(key, time, time + max(REPEAT_HOLD, min(longest, APART * apart)), repeats, apart)

    def message(self, time: float) -> PadMessage:
        """The pad at a time. Two presses of one button are told apart by a message between them in which it is up."""
        pressed = set()
        if time - self._said_at > HELD_UP:
            # A busy machine must not look like a hand that lets go; but no key counts for longer than the first one does.
            latest = self._held.came + FIRST_HOLD
            self._held = self._held._replace(until=max(self._held.until, min(self._held.until + time - self._said_at, latest)))
        self._said_at = time
        self._presses = [(since, button) for since, button in self._presses if button == "stop" or time - since <= LONGEST_WAIT]
        if time >= self._down_until:
            released, self._down = self._down, ""
            if self._presses and self._presses[0][1] != released:
                self._down, self._down_until = self._presses.pop(0)[1], time + PRESS_TIME
        if self._down:
            pressed.add(self._down)
        axes = dict.fromkeys(AXES, 0.0)
        if self._held.key and time <= self._held.until:
            pressed.add("dead_man")
            axes |= {axis: SPEEDS[self._speed] * value for axis, value in DRIVING[self._held.key].items()}
        return pad_message(self._layout, axes, pressed)

    def status(self, time: float) -> str:
        """One line for the screen."""
        held = self._held.key if self._held.key and time <= self._held.until else "-"
        return f"driving key {held}  stick {SPEEDS[self._speed]:.0%}  pressed {self._down or '-'}"
