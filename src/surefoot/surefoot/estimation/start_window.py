# SPDX-License-Identifier: Apache-2.0
"""Averages of the first samples, from which the filter starts."""

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.intake import PLACE
from surefoot.estimation.settings import StartSettings
from surefoot.estimation.start_checks import start_problems
from surefoot.estimation.start_stamps import StartStamps
from surefoot.robot.model import RobotModel

Array = NDArray[np.float64]

NOT_STARTED = "not started: the robot has to lie or stand still first"

KEPT = {"imu": ("specific_force", "angular_velocity"), "joints": ("joint_position", "joint_velocity")}
"""Of a slot, by sensor."""
VELOCITY_MEASURED = PLACE["velocity_measured"].start


class StartWindow:
    """Keeps the last samples of the IMU and of the joints, until both span the wanted time, and knows why there was no start so far.

    Attributes:
        reason: why there was none, but for what the stamps themselves show.
    """

    def __init__(self, duration: float, longest_gap: float) -> None:
        """Args:
        duration: s.
        longest_gap: between two samples of one sensor, after a longer one it starts again, and between the last ones of the two, s.
        """
        self._duration, self._longest_gap = duration, longest_gap
        self._times: dict[str, list[float]] = {"imu": [], "joints": []}
        self._rows: dict[str, list[Array]] = {"imu": [], "joints": []}
        self.reset(NOT_STARTED)

    def reset(self, reason: str) -> None:
        """Forget everything, for a reason that is said until there is a start or another one."""
        self.clear()
        self.reason, self._stamps = reason, StartStamps(self._longest_gap)

    def add(self, sensor: str, time: float, slot: Array) -> None:
        """One sample of "imu" or "joints", in the numbers of a SLOT: of its specific force and angular velocity, positions and velocities.

        One that is no later than the last, as after a jump of the clock, starts again.
        """
        row = np.concatenate([slot[PLACE[name]] for name in KEPT[sensor]])
        if sensor == "joints" and slot.item(VELOCITY_MEASURED) == 0.0:
            row[12:] = np.nan
        self._stamps.note(sensor, time)
        times = self._times[sensor]
        if times and not 0.0 < time - times[-1] <= self._longest_gap:
            self.clear()
        self._times[sensor].append(time)
        self._rows[sensor].append(row)
        # As many rows as span the wanted time: what was before it says nothing about a robot that has been moved since.
        while len(self._times[sensor]) > 1 and self._times[sensor][1] <= time - self._duration:
            del self._times[sensor][0], self._rows[sensor][0]

    @property
    def full(self) -> bool:
        """Whether the samples of both sensors span the wanted time, and the same one: further apart they would be too old to walk on."""
        times = list(self._times.values())
        if not all(one and one[-1] - one[0] >= self._duration for one in times):
            return False
        return abs(times[0][-1] - times[1][-1]) <= self._longest_gap

    @property
    def why_not(self) -> str:
        """Why there was no start so far, for a person."""
        lacks = self._stamps.lacks
        if not lacks:
            return self.reason
        return f"not started: {lacks}" if self.reason == NOT_STARTED else f"{self.reason}; {lacks}"

    @property
    def time(self) -> float:
        """Until which both sensors spoke, s."""
        return min(times[-1] for times in self._times.values())

    def mean(self) -> tuple[Array, Array, Array, Array]:
        """Averaged specific force (3,), angular velocity (3,), joint positions and joint velocities (12,)."""
        imu, joints = np.mean(self._rows["imu"], axis=0), np.mean(self._rows["joints"], axis=0)
        return imu[:3], imu[3:], joints[:12], joints[12:]

    def problems(self, model: RobotModel, settings: StartSettings) -> tuple[str, ...]:
        """What speaks against starting from these samples, as `start_problems`."""
        limits = model.position_lower, model.position_upper
        return start_problems(*self.mean(), self.joint_travel(), model.joint_names, *limits, settings)

    def joint_travel(self) -> Array:
        """How far each joint went, from its least to its largest position, (12,), rad."""
        rows = np.array(self._rows["joints"])[:, :12]
        return np.asarray(rows.max(axis=0) - rows.min(axis=0))

    def last(self, sensor: str) -> Array:
        """The last row of a sensor."""
        return self._rows[sensor][-1]

    def clear(self) -> None:
        """Start to collect again."""
        for sensor in self._times:
            self._times[sensor].clear()
            self._rows[sensor].clear()
