# SPDX-License-Identifier: Apache-2.0
"""Joy messages turned into axes and buttons by name."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.teleop.layout import AxisMapping, ButtonMapping, PadLayout


@dataclass(frozen=True)
class PadState:
    """A gamepad at one instant.

    Attributes:
        axes: by name, after the dead zone: sticks -1 to 1, triggers 0 to 1.
        pressed: names of the buttons that are down.
    """

    axes: dict[str, float]
    pressed: frozenset[str]


class PadReader:
    """Reads messages of one layout; a bad message never raises.

    Attributes:
        warnings: what is worth telling the operator, each once, in the order of its discovery.
        counters: nan_axes, missing (numbers that a message did not have), other_shape (messages not of this layout).
    """

    def __init__(self, layout: PadLayout) -> None:
        self.layout = layout
        self.warnings: list[str] = []
        self.counters: Counter[str] = Counter()
        self._moved: set[str] = set()
        self._warned: set[str] = set()

    def read(self, axes: Sequence[float], buttons: Sequence[int]) -> PadState:
        """Read one message. What it does not have reads as 0 or released; so does what is not a number."""
        self._look_at_shape(len(axes), len(buttons))
        return PadState(
            {name: self._axis(name, mapping, axes) for name, mapping in self.layout.axes.items()},
            frozenset(name for name, mapping in self.layout.buttons.items() if self._button(name, mapping, axes, buttons)),
        )

    def fits(self, axes: int, buttons: int) -> bool:
        """Whether a message with so many axes and buttons can come from a pad of this layout."""
        return self.layout.axis_count in (None, axes) and self.layout.button_count in (None, buttons)

    def _axis(self, name: str, mapping: AxisMapping, axes: Sequence[float]) -> float:
        raw = self._number(f"axis '{name}'", mapping.index, axes)
        if raw is None:
            return 0.0
        # Drivers report 0 for a trigger until it first moves, which on a trigger that rests at 1 would read as half pressed.
        if raw == 0.0 and mapping.rest != 0.0 and name not in self._moved:
            return 0.0
        self._moved.add(name)
        value = (raw - mapping.rest) / (mapping.full - mapping.rest)
        value = min(1.0, max(0.0 if mapping.one_sided else -1.0, value))
        zone = self.layout.dead_zone
        return 0.0 if abs(value) <= zone else math.copysign((abs(value) - zone) / (1.0 - zone), value)

    def _button(self, name: str, mapping: ButtonMapping, axes: Sequence[float], buttons: Sequence[int]) -> bool:
        if mapping.axis is not None:
            raw = self._number(f"button '{name}'", mapping.axis, axes)
            return raw is not None and raw / mapping.value > 0.5
        raw = self._number(f"button '{name}'", mapping.index or 0, buttons)
        return raw is not None and raw != 0

    def _number(self, what: str, index: int, values: Sequence[float]) -> float | None:
        if index >= len(values):
            self.counters["missing"] += 1
            self._warn(
                what, f"{what} is number {index}, but a message has only {len(values)}: it reads as released. Is it the right layout?"
            )
            return None
        if not math.isfinite(values[index]):
            self.counters["nan_axes"] += 1
            return None
        return float(values[index])

    def _look_at_shape(self, axes: int, buttons: int) -> None:
        layout = self.layout
        if not self.fits(axes, buttons):
            self.counters["other_shape"] += 1
            self._warn(
                "shape",
                f"a message has {axes} axes and {buttons} buttons, a pad of this layout ({layout.title}) has {layout.axis_count} and "
                f"{layout.button_count}: only stop is obeyed. Choose the layout of this pad, or add one to config/gamepads.",
            )

    def _warn(self, key: str, text: str) -> None:
        if key not in self._warned:
            self._warned.add(key)
            self.warnings.append(text)
