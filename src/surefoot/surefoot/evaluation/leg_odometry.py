# SPDX-License-Identifier: Apache-2.0
"""The plain way to know where a robot is: a complementary filter for the attitude, and legs that push the ground backwards."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.rotation import rotation_from_vector
from surefoot.robot.leg_kinematics import foot_terms_in_base
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.robot.tree import leg_tree

Array = NDArray[np.float64]

ATTITUDE_TIME, BIAS_TIME, VELOCITY_TIME = 2.0, 30.0, 0.01
"""s. Time constants: of tilt by gravity, of the gyroscope's bias by the same error, and of the low-pass on the velocity."""


class LegOdometry:
    """Turns with the gyroscope, comes upright with gravity [Mahony 2008], and moves as the mean of the feet in contact does not.

    Attributes:
        base_position, base_velocity: in odom, (3,), m and m/s.
        rotation: odom_from_base, (3, 3).
    """

    def __init__(self, model: RobotModel, joint_position: Array) -> None:
        """Args:
        model: kinematics and the place of the IMU.
        joint_position: of the robot that stands, (12,), rad.
        """
        self._tree, self._radius = leg_tree(model), model.description.foot_radius
        self._base_from_imu = model.attached_frame(model.description.sensors.imu_link).body_from_frame_rotation
        feet = model.feet_in_base(joint_position)
        self.base_position = np.array([0.0, 0.0, self._radius - float(feet[:, 2].min())])
        self.base_velocity, self.rotation = np.zeros(3), np.eye(3)
        self._bias, self._rate = np.zeros(3), np.zeros(3)

    def imu(self, angular_velocity_imu: Array, specific_force_imu: Array, step: float, resting: bool) -> None:
        """One sample of the IMU, (3,) each, and the time since the last one, s; at rest the gyroscope shows its bias."""
        force = self._base_from_imu @ specific_force_imu
        rate = self._base_from_imu @ angular_velocity_imu
        if resting:
            self._bias += step / 0.5 * (rate - self._bias)
        up, size = self.rotation[2], float(np.linalg.norm(force))
        correction = np.cross(force / size, up) if abs(size - GRAVITY) < 0.3 * GRAVITY else np.zeros(3)
        self._bias -= step / (ATTITUDE_TIME * BIAS_TIME) * correction
        self._rate = rate - self._bias
        turn = step * (self._rate + correction / ATTITUDE_TIME)
        self.rotation = self.rotation @ rotation_from_vector(*turn)

    def joints(self, position: Array, velocity: Array, in_contact: NDArray[np.bool_], step: float) -> None:
        """One sample of the joints, (12,) each, the feet in contact, (4,), and the time since the last one, s."""
        speeds, heights = [], []
        foot, jacobian, axes = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
        for leg in np.flatnonzero(in_contact).tolist():
            joints = slice(3 * leg, 3 * leg + 3)
            foot_terms_in_base(self._tree, leg, position[joints], foot, jacobian, axes)
            shank = self.rotation @ (self._rate + axes @ velocity[joints])
            roll = self._radius * np.array([shank[1], -shank[0], 0.0])
            speeds.append(roll - self.rotation @ (np.cross(self._rate, foot) + jacobian @ velocity[joints]))
            heights.append(self._radius - float((self.rotation @ foot)[2]))
        if speeds:
            share = 1.0 - math.exp(-step / VELOCITY_TIME)
            self.base_velocity = self.base_velocity + share * (np.mean(speeds, axis=0) - self.base_velocity)
            self.base_position[2] += (1.0 - math.exp(-step / 0.1)) * (float(np.mean(heights)) - self.base_position[2])
        self.base_position[:2] += step * self.base_velocity[:2]
