# SPDX-License-Identifier: Apache-2.0
"""What really happened on a walk, and what perfect sensors would have said: recorded once, then spoilt as often as one likes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.robot.model import RobotModel
from surefoot.rotation import rotation_matrix
from surefoot.simulation.robot import SimulatedRobot
from surefoot.terrain.world import World

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SensorStream:
    """n instants, one control period apart.

    Attributes:
        time: (n,), s.
        position, quaternion: of the base in the world, (n, 3) m and (n, 4) x y z w.
        linear_velocity, angular_velocity: of the base in the axes of the world, (n, 3), m/s and rad/s.
        joint_position, joint_velocity, joint_effort: (n, 12), rad, rad/s, N m.
        angular_velocity_imu, specific_force_imu: in the axes of the IMU link, (n, 3), rad/s and m/s^2.
        foot_force_base: of the ground on each foot in base axes, (n, 4, 3), N.
    """

    time: Array
    position: Array
    quaternion: Array
    linear_velocity: Array
    angular_velocity: Array
    joint_position: Array
    joint_velocity: Array
    joint_effort: Array
    angular_velocity_imu: Array
    specific_force_imu: Array
    foot_force_base: Array

    def way(self) -> Array:
        """How far the base has gone along the ground until each instant, (n,), m."""
        steps = np.linalg.norm(np.diff(self.position[:, :2], axis=0), axis=1)
        return np.concatenate((np.zeros(1), np.cumsum(steps)))

    def part(self, first: int, count: int) -> "SensorStream":
        """`count` instants from `first` on; their times stay."""
        return SensorStream(*(getattr(self, name)[first : first + count] for name in self.__dataclass_fields__))

    def save(self, path: Path) -> None:
        """Keep it in a file of numpy."""
        np.savez_compressed(path, allow_pickle=False, **{name: getattr(self, name) for name in self.__dataclass_fields__})

    @classmethod
    def load(cls, path: Path) -> "SensorStream":
        """The stream of a file that `save` wrote."""
        with np.load(path) as arrays:
            return cls(**{name: arrays[name] for name in cls.__dataclass_fields__})


def record_walk(
    model: RobotModel, seconds: float, gait: str = "trot", speed: float = 0.3, standing: float = 3.0, turn_rate: float = 0.4,
    turn_period: float = 20.0, world: World | None = None,
) -> SensorStream:
    """Let a robot stand and then walk with turns to both sides, driven by the truth, so that no estimator has a part in it.

    Args:
        model: the robot.
        seconds: of walking.
        gait: its name in the robot's gait set.
        speed: forward, m/s.
        standing: before the walk, s.
        turn_rate: largest, rad/s; the turn swings from side to side.
        turn_period: of that, s.
        world: the ground; flat if None.
    """
    loop = ClosedLoop(model, seed=0, world=world, perfect_sensors=True)
    robot = loop.robot
    assert isinstance(robot, SimulatedRobot)
    rows: list[tuple[Array, ...]] = []

    def note() -> None:
        sample, _ = robot.sense()
        truth = robot.truth()
        force = robot.foot_forces() @ rotation_matrix(truth.base_quaternion)
        rows.append(
            (
                np.array(truth.time), truth.base_position, truth.base_quaternion, truth.base_linear_velocity, truth.base_angular_velocity,
                truth.joint_position, truth.joint_velocity, truth.joint_effort,
                sample.angular_velocity_imu, sample.specific_force_imu, force,
            )
        )  # fmt: skip

    note()
    for k in range(round((standing + seconds) / robot.period)):
        walked = k * robot.period - standing
        if abs(walked) < 0.5 * robot.period:
            loop.change_gait(gait)
        turn = turn_rate * np.sin(2.0 * np.pi * walked / turn_period)
        loop.run(robot.period, (speed, 0.0, turn) if walked > 0.0 else (0.0, 0.0, 0.0))
        note()
        if loop.fallen:
            break
    return SensorStream(*(np.array(column) for column in zip(*rows, strict=True)))
