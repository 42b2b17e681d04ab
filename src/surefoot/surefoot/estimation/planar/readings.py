# SPDX-License-Identifier: Apache-2.0
"""Samples with times of their own, sorted to the steps of a filter that goes in whole steps."""

from collections.abc import Iterator

import numpy as np

from surefoot.estimation.planar.body import PlanarBody
from surefoot.estimation.planar.process import Array
from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.slot import ImuMeasurement, JointMeasurement, Measurement, PoseMeasurement
from surefoot.rotation import rotation_matrix

IN_PLANE = [0, 2, 4]
"""Of the variance of a pose: x, z and the turn about y."""


class PlanarReadings:
    """Keeps what has not been given to the filter yet: of each sensor and step the sample that was taken nearest to the step."""

    def __init__(self, body: PlanarBody, base_from_imu: Array, period: float) -> None:
        """Args:
        body: whose joints are taken in pairs.
        base_from_imu: rotation (3, 3).
        period: of a step, s.
        """
        self._body, self._lateral, self._period = body, base_from_imu[1], period
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.begin(0.0, 0.0)

    def begin(self, time: float, rate: float) -> None:
        """Step 0 is at a time, s; there the gyroscope reads a rate at rest, rad/s in the plane, which is its bias."""
        self._time, self._bias = time, rate
        self._waiting: dict[tuple[str, int], tuple[float, Array]] = {}
        self._nearest: dict[tuple[str, int], float] = {}

    def time_of(self, step: int) -> float:
        """Of a step, s."""
        return self._time + step * self._period

    def note(self, sensor: str, measurement: Measurement, oldest: int) -> bool:
        """Keep a sample for its step. Returns False where that is before the oldest step that still hears anything."""
        step = round((measurement.time - self._time) / self._period)
        if step < max(oldest, 1):
            return step == 0  # What was taken as the filter began is in its first state.
        away = measurement.time - self.time_of(step)
        key = sensor, step
        if abs(away) < self._nearest.get(key, np.inf):
            self._nearest[key] = abs(away)
            self._waiting[key] = abs(away), self._reading(measurement, away)
        for old in [one for one in self._nearest if one[1] < oldest]:
            del self._nearest[old]
        return True

    def until(self, step: int) -> Iterator[tuple[str, int, Array]]:
        """Hand over what belongs to steps up to one: sensor, step and reading."""
        for key in sorted(key for key in self._waiting if key[1] <= step):
            yield *key, self._waiting.pop(key)[1]

    @staticmethod
    def incomplete(measurement: Measurement, refusals: Refusals) -> Refusal | None:
        """Refuse a pose that does not say all of x, z and pitch."""
        if isinstance(measurement, PoseMeasurement) and not np.isfinite(measurement.variance[IN_PLANE]).all():
            return refusals.add("pose_incomplete", "a planar model needs x, z and pitch of a pose; this one leaves one of them out")
        return None

    def rate(self, measurement: ImuMeasurement) -> float:
        """Of the pitch, rad/s: from x to y of the plane, which is a turn against y of odom."""
        return -float(self._lateral @ measurement.angular_velocity_imu) - self._bias

    def _reading(self, measurement: Measurement, away: float) -> Array:
        match measurement:
            case JointMeasurement():
                return self._body.joints(measurement.position) - away * self._body.joint_rates(measurement.velocity)
            case ImuMeasurement():
                return np.array([self.rate(measurement)])
            case PoseMeasurement():
                up = rotation_matrix(measurement.quaternion)[2, 0]
                return np.array([measurement.position[0], measurement.position[2], np.arcsin(min(max(up, -1.0), 1.0))])
        raise AssertionError(f"nobody hears {type(measurement).__name__}")
