# SPDX-License-Identifier: Apache-2.0
"""How often the servos are really reached, and which gaits that is enough for."""

import math
from collections import deque

import numpy as np

from surefoot.gait.parameters import Gait
from surefoot.servos.settings import BridgeSettings

REMEMBERED = 50
"""Samples that the rate is taken over."""

LOOKED_EVERY = 10
"""Samples after which it is worked out anew: each of them asks for it, and one more changes little."""

SAMPLES_BEFORE_STALE = 3
"""That have to fit into stale_after for walking."""

KNOTS = 8
"""Targets that a swinging foot needs on its way: the path turns twice, and each turn wants two targets on either side of it."""


class RateMeter:
    """The rate of samples by their stamps.

    Attributes:
        rate: Hz, by the median of the gaps: a single pause is no slower rate. NaN until ten samples have come.
    """

    def __init__(self) -> None:
        self._stamps: deque[float] = deque(maxlen=REMEMBERED)
        self._new, self.rate = 0, math.nan

    def note(self, stamp: float) -> None:
        """A sample came; its stamp, s. One that is not newer is the same sample again."""
        if self._stamps and not stamp > self._stamps[-1]:
            return
        self._stamps.append(stamp)
        self._new += 1
        if self._new == LOOKED_EVERY:
            self._new, self.rate = 0, float(1.0 / np.median(np.diff(np.array(self._stamps))))

    def reset(self) -> None:
        """Forget."""
        self._stamps.clear()
        self._new, self.rate = 0, math.nan


class Rates:
    """How often something new is heard of the servos, and told to them: whoever walks needs both.

    Attributes:
        states: of the joints.
        commands: of the balance controller.
    """

    def __init__(self) -> None:
        self.states, self.commands = RateMeter(), RateMeter()

    def restart(self) -> None:
        """Forget: the clock began anew."""
        self.states.reset()
        self.commands.reset()

    def too_slow(self, settings: BridgeSettings) -> str:
        """Why nobody may walk at these rates, in words with the way out; empty if one may, or they are not known."""
        # Where fewer samples fit into stale_after, a lost one or two take the torque away.
        least = max(settings.least_rate, SAMPLES_BEFORE_STALE / settings.stale_after)
        limits = f"lower least_rate and raise stale_after (it holds {SAMPLES_BEFORE_STALE} samples)"
        for what, meter, way_out in (
            ("joint states", self.states, "raise the baud rate of the bus"),
            ("commands of the balance controller", self.commands, "take a faster controller or computer"),
        ):
            if meter.rate < least:
                return f"{what} come at {meter.rate:.0f} Hz, and walking needs {least:.0f} Hz; {way_out}, or {limits}"
        return ""


def slowest_rate(gait: Gait) -> float:
    """Rate of targets below which the feet of a gait cannot follow their paths, Hz; 0 for a gait that lifts none."""
    swings = [gait.period * (1.0 - duty) for duty in gait.duty_factor.values() if duty < 1.0]
    return KNOTS / min(swings) if swings else 0.0


def rate_problem(gait: Gait, rate: float) -> str:
    """Why a gait cannot be walked at a rate of the servos (Hz), in words with the way out; empty if it can, or the rate is not known."""
    least = slowest_rate(gait)
    if not rate < least:
        return ""
    swing = KNOTS / least
    return (
        f"gait '{gait.name}' swings a foot in {swing:.3f} s, which is {rate * swing:.1f} targets at the {rate:.0f} Hz at which the servos "
        f"are reached, and needs {KNOTS}: at least {least:.0f} Hz, or a longer period"
    )
