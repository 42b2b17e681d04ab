# SPDX-License-Identifier: Apache-2.0
"""Sensors that repeat their last sample under new stamps, each held against another one that shows that the robot moves.

What is measured has noise, and differs in its last digits from one sample to the next. An IMU may hang as a whole, or one of its two
sensors alone, and so may the driver of the joints. The joints witness for both vectors of the IMU. For the joints it is the IMU: where it
turns or accelerates, the legs of a robot that nobody carries move.
"""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.settings import GateSettings
from surefoot.robot.frozen import SAMPLE_HOLD, FrozenWatch
from surefoot.robot.model import GRAVITY

Array = NDArray[np.float64]

WORST_BIAS = 0.1
"""rad/s that a gyroscope shows at rest at most."""
BIAS_TIME = 5.0
"""s in which what it shows while it turns by less is learned as its bias."""
RESTING_RATE, RESTING_FORCE = 0.01, 1.0
"""rad/s beside its bias, and m/s^2 beside gravity, that an IMU shows at rest at most."""
SMOOTHING = 0.05
"""s over which it is averaged first: a robot that trembles does not move."""
CHANGE_OF_SPEED = 0.05
"""m/s beyond what rest shows that counts as motion; of turns it is half of GateSettings.frozen_motion, by which some joint gets further."""
QUIET = 0.5
"""s of rest after which joints that say the same are believed (again): a robot may have been carried, with joints that friction holds."""
LONGEST_STEP = 0.1
"""s between two samples of the IMU, of which nobody knows what was between them if they are further apart."""


class ImuMotion:
    """How far an IMU has turned about each of its axes and has sped up, beyond what rest shows, since it was heard first.

    A robot that trembles turns there and back, and has not moved: turns are added up with their signs.

    Attributes:
        way: turns and change of speed, (4,), in units of what counts as motion; never changed in place.
        quiet_for: s.
    """

    def __init__(self, turn: float) -> None:
        """Args:
        turn: that counts as motion, rad.
        """
        self._turn = turn
        self.reset()

    def reset(self) -> None:
        """Begin again."""
        self.way, self.quiet_for = np.zeros(4), 0.0
        self._time, self._mean, self._bias = -math.inf, [0.0] * 6, [0.0] * 3

    def follow(self, time: float, rate: list[float], force: list[float]) -> None:
        """Take in one sample: angular velocity, (3,), rad/s, and specific force, (3,), m/s^2."""
        step, first, self._time = time - self._time, self._time == -math.inf, time
        if not 0.0 < step <= LONGEST_STEP:
            self._mean, self.quiet_for = [*rate, *force], 0.0
            if first and math.hypot(*rate) < WORST_BIAS:
                self._bias = rate
            return
        weight = step / (step + SMOOTHING)
        self._mean = mean = [old + weight * (new - old) for old, new in zip(self._mean, (*rate, *force), strict=True)]
        turning = [now - rest for now, rest in zip(mean, self._bias, strict=False)]
        if math.hypot(*mean[:3]) < WORST_BIAS:
            self._bias = [rest + step / BIAS_TIME * beside for rest, beside in zip(self._bias, turning, strict=True)]
        pushing = max(0.0, abs(math.hypot(*mean[3:]) - GRAVITY) - RESTING_FORCE)
        if math.hypot(*turning) <= RESTING_RATE:
            if pushing == 0.0:
                self.quiet_for += step
                return
            turning = [0.0] * 3
        self.quiet_for = 0.0
        self.way = self.way + step * np.array([*(one / self._turn for one in turning), pushing / CHANGE_OF_SPEED])


class SensorRepeats:
    """One watch for each vector.

    Args:
        settings: how far joints or IMU have to move.
        joints: how many there are.
    """

    def __init__(self, settings: GateSettings, joints: int) -> None:
        self._rate, self._force = (FrozenWatch(SAMPLE_HOLD, settings.frozen_motion) for _ in range(2))
        self._joints, self._motion = FrozenWatch(SAMPLE_HOLD, 1.0), ImuMotion(0.5 * settings.frozen_motion)
        # Where the joints are is not known before they are heard.
        self._position = np.full(joints, np.nan)

    def reset(self) -> None:
        """Forget what was said, as after a jump of the clock."""
        for watch in (self._rate, self._force, self._joints, self._motion):
            watch.reset()

    def imu(self, time: float, rate: Array, force: Array) -> tuple[str, float] | None:
        """Take in a sample of the IMU.

        Returns:
            None where nothing hangs, else what does, in words, and since when what was said is not true, s.
        """
        self._motion.follow(time, rate.tolist(), force.tolist())
        looks = (
            ("angular velocity", self._rate, self._rate.look(time, rate.tobytes(), self._position)),
            ("specific force", self._force, self._force.look(time, force.tobytes(), self._position)),
        )
        hanging = [(what, watch) for what, watch, frozen in looks if frozen]
        if not hanging:
            return None
        what, watch = " and ".join(what for what, _ in hanging), hanging[0][1]
        words = f"the IMU says the same {what} to the last digit for {time - watch.since:.3f} s"
        return f"{words}, while a joint moved by {watch.moved:.3f} rad", min(watch.moved_at for _, watch in hanging)

    def joints(self, time: float, position: Array) -> tuple[str, float] | None:
        """Take in positions of the joints, (n,), rad, never changed in place; as `imu`."""
        self._position = position
        if self._motion.quiet_for >= QUIET:
            self._joints.reset()
        if not self._joints.look(time, position.tobytes(), self._motion.way):
            return None
        words = f"the joints say the same positions to the last digit for {time - self._joints.since:.3f} s"
        return f"{words}, while the IMU turns or accelerates", self._joints.moved_at
