# SPDX-License-Identifier: Apache-2.0
"""Which stamps may be believed: late ones within the window, none that were used already, and a clock that jumps only if it stays there."""

import math
from dataclasses import dataclass, field

from surefoot.estimation.refusals import Refusal, Refusals


@dataclass
class StampGate:
    """Watches the stamps of all sensors.

    A single stamp far from all others is a broken message; the second one in a row from the same sensor says that the clock has jumped.

    Attributes:
        refusals: where refused stamps are counted; kinds are not_finite, stamp_jumped and stamp_too_old.
        jump: distance from the newest stamp that is a jump, s.
    """

    refusals: Refusals
    jump: float
    _suspect: dict[str, float] = field(default_factory=dict)

    def check(self, sensor: str, time: float, newest: float) -> Refusal | bool:
        """Look at one stamp.

        Args:
            sensor: who stamped it.
            time: s.
            newest: the newest stamp of all sensors, s.

        Returns:
            False if nothing speaks against it, True if the clock has jumped and everything starts again with it, or the refusal.
        """
        if not math.isfinite(time):
            return self.refusals.add("not_finite", f"the stamp of {sensor} is {time}")
        distance = time - newest
        if abs(distance) <= self.jump:
            self._suspect.pop(sensor, None)
            return False
        before = self._suspect.get(sensor)
        self._suspect[sensor] = time
        if before is not None and 0.0 < time - before <= self.jump:
            self._suspect.clear()
            return True
        where = "after" if distance > 0.0 else "before"
        words = f"stamp {time:.6f} s of {sensor} is {abs(distance):.3f} s {where} the newest one, more than {self.jump:g}"
        return self.refusals.add("stamp_jumped", f"{words}: one such stamp is not believed, two in a row are a jump of the clock")

    def too_old(self, sensor: str, time: float, base: float) -> Refusal:
        """Refuse a stamp that is older than the window reaches."""
        return self.refusals.add("stamp_too_old", f"stamp {time:.6f} s of {sensor} is not newer than {base:.6f} s, where the window begins")
