# SPDX-License-Identifier: Apache-2.0
"""The contact-aided invariant extended Kalman filter [Hartley et al. 2020], right-invariant and world-centric, to be compared with.

The state is one element X of SE_{N+2}(3), with rotation R, velocity v, position p and the N feet d in contact, beside the biases of the
gyroscope and of the accelerometer. The error is exp(xi) = X_estimate X^-1, in the order rotation, velocity, position, feet, biases.
Without biases the error moves by a matrix that does not depend on the estimate [Eq. 31], and kinematics are a right-invariant
observation [Eq. 19]. The paper's feet are points; ours are balls that roll, which is 7 % of the way of an A1, so theirs roll here as well.
"""

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.rotation import rotation_from_vector
from surefoot.evaluation.sensor_faults import SensorFaults
from surefoot.robot.leg_kinematics import foot_terms_in_base
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.robot.tree import leg_tree

Array = NDArray[np.float64]

DOWN = np.array([0.0, 0.0, -GRAVITY])

START_SAMPLES = 100
"""Of the IMU, from which roll and pitch are taken."""


class InvariantFilter:
    """Attributes:
    rotation, velocity, position: of the IMU in odom, (3, 3), m/s and m; its axes are those of the base.
    covariance: of the error, rotation velocity position, the feet in contact, gyroscope bias, accelerometer bias.
    """

    def __init__(self, model: RobotModel, faults: SensorFaults, joint_position: Array, contact_walk: float, foot_deviation: float) -> None:
        """Args:
        model: kinematics and the place of the IMU.
        faults: what the noise of the sensors is.
        joint_position: of the robot that stands, (12,), rad.
        contact_walk: of a foot in contact, m/sqrt(s).
        foot_deviation: of a foot in the base beyond encoder noise, m.
        """
        imu = model.attached_frame(model.description.sensors.imu_link)
        self._tree, self._base_from_imu, self._arm = leg_tree(model), imu.body_from_frame_rotation, imu.body_from_frame_translation
        noise = faults.noise
        self._noise, self._faults, self._contact_walk, self._foot_deviation = noise, faults, contact_walk, foot_deviation
        feet, self._radius = model.feet_in_base(joint_position), model.description.foot_radius
        self.rotation, self.velocity = np.eye(3), np.zeros(3)
        self.position = np.array([0.0, 0.0, model.description.foot_radius - feet[:, 2].min()]) + self._arm
        self._gyroscope_bias, self._accelerometer_bias = np.zeros(3), np.zeros(3)
        self._feet: dict[int, Array] = {}
        tilt = (noise.accelerometer.bias_standard_deviation / GRAVITY) ** 2 + 1e-6
        parts = [tilt, tilt, 1e-8, *[1e-4] * 3, 1e-8, 1e-8, 1e-4]
        parts += [noise.gyroscope.bias_standard_deviation**2] * 3 + [noise.accelerometer.bias_standard_deviation**2] * 3
        self.covariance = np.diag(parts)
        self._forces: list[Array] = []
        self._rate = np.zeros(3)

    def _level(self) -> None:
        """Take roll and pitch from the specific force averaged at rest."""
        up = np.mean(self._forces, axis=0)
        self.rotation = rotation_from_vector(*np.cross(up / np.linalg.norm(up), np.array([0.0, 0.0, 1.0])))

    @property
    def base_position(self) -> Array:
        """Of the base in odom, (3,), m."""
        return self.position - self.rotation @ self._arm

    @property
    def base_velocity(self) -> Array:
        """Of the base in odom, (3,), m/s."""
        result: Array = self.velocity - self.rotation @ np.cross(self._rate, self._arm)
        return result

    def imu(self, angular_velocity_imu: Array, specific_force_imu: Array, step: float, resting: bool) -> None:
        """Predict by one sample of the IMU, (3,) each, held for the time since the last one, s; the first of a resting robot level it."""
        force = self._base_from_imu @ specific_force_imu
        if len(self._forces) < START_SAMPLES and resting:
            self._forces.append(force)
            self._level()
            return
        force = force - self._accelerometer_bias
        self._rate = rate = self._base_from_imu @ angular_velocity_imu - self._gyroscope_bias
        n, rotation = len(self._feet), self.rotation
        size = 9 + 3 * n
        # A = [[0, 0, 0 | -R, 0], [g x, 0, 0 | -v x R, -R], [0, I, 0 | -p x R, 0], [0, 0, 0 | -d x R, 0]], biases do not move [Eqs. 31, 62].
        matrix = np.zeros((size + 6, size + 6))
        matrix[3:6, :3], matrix[6:9, 3:6] = _cross(DOWN), np.eye(3)
        matrix[:3, size : size + 3], matrix[3:6, size + 3 :] = -rotation, -rotation
        places = [self.velocity, self.position, *self._feet.values()]
        for k, place in enumerate(places):
            matrix[3 * k + 3 : 3 * k + 6, size : size + 3] = -_cross(place) @ rotation
        # The adjoint of X carries the noise of body axes into the error.
        adjoint = np.zeros((size + 6, size + 6))
        for k in range(3 + n):
            adjoint[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = rotation
            if k > 0:
                adjoint[3 * k : 3 * k + 3, :3] = _cross(places[k - 1]) @ rotation
        adjoint[size:, size:] = np.eye(6)
        noise, faults = self._noise, self._faults
        # Samples of white noise, each held for a step, have the density variance x step.
        densities = [noise.gyroscope.standard_deviation**2 * step] * 3 + [noise.accelerometer.standard_deviation**2 * step] * 3 + [0.0] * 3
        densities += [self._contact_walk**2] * (3 * n) + [faults.gyroscope_bias_walk**2] * 3 + [faults.accelerometer_bias_walk**2] * 3
        transition = np.eye(size + 6) + matrix * step + 0.5 * (matrix @ matrix) * step**2
        spread = transition @ adjoint
        self.covariance = transition @ self.covariance @ transition.T + (spread * np.array(densities)) @ spread.T * step
        half = rotation @ rotation_from_vector(*(0.5 * step * rate))
        acceleration = half @ force + DOWN
        self.position = self.position + step * self.velocity + 0.5 * step**2 * acceleration
        self.velocity = self.velocity + step * acceleration
        self.rotation = rotation @ rotation_from_vector(*(step * rate))

    def joints(self, position: Array, velocity: Array, in_contact: NDArray[np.bool_], step: float) -> None:
        """Correct by forward kinematics of the feet in contact, drop those that left it and add those that came [section 6].

        Args:
            position, velocity: (12,), rad and rad/s; the velocity only says how the feet roll.
            in_contact: (4,).
            step: since the last sample, s.
        """
        for leg in [leg for leg in self._feet if not in_contact[leg]]:
            place = 9 + 3 * list(self._feet).index(leg)
            self.covariance = np.delete(np.delete(self.covariance, range(place, place + 3), 0), range(place, place + 3), 1)
            del self._feet[leg]
        arms, noises = {}, {}
        up = np.array([0.0, 0.0, 1.0])
        foot, jacobian, axes = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
        joint = self._noise.joint_position
        variance = joint.standard_deviation**2 + joint.bias_standard_deviation**2
        for leg in np.flatnonzero(in_contact).tolist():
            foot_terms_in_base(self._tree, leg, position[3 * leg : 3 * leg + 3], foot, jacobian, axes)
            arms[leg] = foot - self._arm
            if leg in self._feet:
                shank = self.rotation @ (self._rate + axes @ velocity[3 * leg : 3 * leg + 3])
                self._feet[leg] = self._feet[leg] + step * self._radius * np.cross(shank, up)
            noises[leg] = self.rotation @ (jacobian @ jacobian.T * variance + np.eye(3) * self._foot_deviation**2) @ self.rotation.T
        self._correct({leg: arms[leg] for leg in self._feet}, noises)
        for leg in arms:
            if leg not in self._feet:
                self._add(leg, arms[leg], noises[leg])

    def _correct(self, arms: dict[int, Array], noises: dict[int, Array]) -> None:
        """H = [0, 0, -I, ..., I, ...] for each foot, in odom axes, and the state moves by the exponential [Eqs. 19 to 21]."""
        if not arms:
            return
        size = len(self.covariance)
        seen, innovation = np.zeros((3 * len(arms), size)), np.zeros(3 * len(arms))
        spread = np.zeros((3 * len(arms), 3 * len(arms)))
        for k, (leg, arm) in enumerate(arms.items()):
            rows = slice(3 * k, 3 * k + 3)
            seen[rows, 6:9], seen[rows, 9 + 3 * k : 12 + 3 * k] = -np.eye(3), np.eye(3)
            innovation[rows] = self.rotation @ arm - (self._feet[leg] - self.position)
            spread[rows, rows] = noises[leg]
        gain = np.linalg.solve(seen @ self.covariance @ seen.T + spread, seen @ self.covariance).T
        change = gain @ innovation
        rest = np.eye(size) - gain @ seen
        self.covariance = rest @ self.covariance @ rest.T + gain @ spread @ gain.T
        turn, left = rotation_from_vector(*change[:3]), _left_jacobian(change[:3])
        self.rotation = turn @ self.rotation
        self.velocity = turn @ self.velocity + left @ change[3:6]
        self.position = turn @ self.position + left @ change[6:9]
        for k, leg in enumerate(self._feet):
            self._feet[leg] = turn @ self._feet[leg] + left @ change[9 + 3 * k : 12 + 3 * k]
        self._gyroscope_bias = self._gyroscope_bias + change[-6:-3]
        self._accelerometer_bias = self._accelerometer_bias + change[-3:]

    def _add(self, leg: int, arm: Array, noise: Array) -> None:
        """A new foot has the error of the position, and that of the kinematics in odom axes [Eqs. 38, 39]."""
        place = 9 + 3 * len(self._feet)
        growth = np.zeros((len(self.covariance) + 3, len(self.covariance)))
        growth[:place, :place] = np.eye(place)
        growth[place : place + 3, 6:9] = np.eye(3)
        growth[place + 3 :, place:] = np.eye(6)
        self.covariance = growth @ self.covariance @ growth.T
        self.covariance[place : place + 3, place : place + 3] += noise
        self._feet[leg] = self.position + self.rotation @ arm


def _cross(v: Array) -> Array:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _left_jacobian(phi: Array) -> Array:
    """Of SO(3), (3, 3)."""
    angle, matrix = float(np.linalg.norm(phi)), _cross(phi)
    if angle < 1e-6:
        return np.eye(3) + 0.5 * matrix
    first, second = (1.0 - np.cos(angle)) / angle**2, (angle - np.sin(angle)) / angle**3
    result: Array = np.eye(3) + first * matrix + second * matrix @ matrix
    return result
