# SPDX-License-Identifier: Apache-2.0
"""What an objective gets to see of traces that are over."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.model import RobotModel
from surefoot.robot.spatial import rotation_from_quaternion

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FinishedTraces:
    """Traces of n particles, from the snapshot to their ends.

    Attributes:
        model: the believed robot.
        path: base position in odom and quaternion w x y z at each tick, (n, ticks + 1, 7).
        twist: yaw of the base from the heading, in which commands count, as planned at each tick, (n, ticks + 1), rad.
        qpos, qvel: as `view.TraceView` has them, at the end, heights in odom, (n, 19) and (n, 18).
        new_tick: from which the new gait runs alone.
        period: s between ticks.
        command: wanted forward and left speed, m/s, and turn rate, rad/s, (3,).
    """

    model: RobotModel
    path: NDArray[np.float32]
    twist: Array
    qpos: Array
    qvel: Array
    new_tick: int
    period: float
    command: Array

    @cached_property
    def feet(self) -> Array:
        """Foot centres in odom at the end, by the believed robot's own lengths, (n, 4, 3), m."""
        result = np.empty((len(self.qpos), 4, 3))
        turn = np.empty((3, 3))
        for i, (position, joints) in enumerate(zip(self.qpos[:, :7], self.qpos[:, 7:], strict=True)):
            rotation_from_quaternion(position[[4, 5, 6, 3]], turn)
            result[i] = position[:3] + self.model.feet_in_base(joints) @ turn.T
        return result
