# SPDX-License-Identifier: Apache-2.0
"""The state estimator: one sample in, one state out, the same states for the same samples."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import RobotDescriptionError
from surefoot.estimation.contact import ContactDetector
from surefoot.estimation.filter import tick
from surefoot.estimation.filter_state import Records, filter_parameters, resting_state
from surefoot.estimation.ground_torque import GroundTorque
from surefoot.estimation.output import base_estimate
from surefoot.estimation.refusals import Refusals
from surefoot.estimation.rest import RestDetector
from surefoot.estimation.rotation import quaternion_from_rotation
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.start_checks import start_problems
from surefoot.estimation.start_window import StartWindow
from surefoot.estimation.validity import doubts
from surefoot.robot.description import RobotDescription
from surefoot.robot.leg_kinematics import foot_jacobian_in_base
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.robot.state import RobotState, SensorSample
from surefoot.robot.tree import leg_tree

Array = NDArray[np.float64]

NOT_STARTED = "not started: the robot has to lie or stand still first"


class StateEstimator:
    """Estimates the state of the base from IMU, legs and contact, and says how sure it is.

    It starts from rest above the origin of odom with yaw 0. It never raises on samples and never gives out a NaN: a sample that cannot
    be used is counted and leaves the estimate as it was.

    Attributes:
        refusals: samples that were not used; kinds are not_finite, stamp_not_newer and diverged.
    """

    def __init__(self, description: RobotDescription, model: RobotModel, settings: EstimatorSettings) -> None:
        """Args:
        description: names and noise of the sensors.
        model: kinematics, limits and the place of the IMU.
        settings: config/estimator.yaml.

        Raises:
            RobotDescriptionError: the URDF has no IMU link, or not on the base.
        """
        self.refusals = Refusals()
        self._description, self._model, self._settings = description, model, settings
        imu = model.attached_frame(description.sensors.imu_link)
        if imu.body != description.base:
            raise RobotDescriptionError(f"IMU link '{imu.name}' is carried by '{imu.body}'; fix it to the base '{description.base}'")
        self._base_from_imu = imu.body_from_frame_rotation
        self._parameters = filter_parameters(description, imu.body_from_frame_translation, settings.filter, settings.rest)
        self._trees = np.array([leg_tree(model)])
        self._rest = RestDetector(description.sensors, settings.rest)
        self._contact = ContactDetector(description.control.foot_force_threshold, settings.contact)
        self._ground_torque = GroundTorque(model, settings.contact.torque_time_constant)
        self._start = StartWindow(settings.start.duration)
        self._ground_height, self._ground_offset, self._ground_normal = 0.0, 0.0, np.array([0.0, 0.0, 1.0])
        self._joint_position_variance = np.full(12, self._parameters["joint_position_variance"][0])
        self._joint_velocity_variance = np.full(12, self._parameters["joint_velocity_variance"][0])
        self._joint_position_variance.flags.writeable = self._joint_velocity_variance.flags.writeable = False
        self.reset()

    def reset(self) -> None:
        """Forget everything but the counts; the next sample is the first."""
        self._states: Records | None = None
        self._last: RobotState | None = None
        self._place, self._place_variance = np.zeros(3), np.full(3, 1e-8)
        self._trust_after, self._silence = -math.inf, 0.0
        self._resting = False
        self._begin_start(NOT_STARTED)

    def warm_up(self) -> None:
        """Compile, or read from the cache, everything that an update calls. The estimator that did this is not to be used further."""
        still = self._model.lie_joint_position
        nothing = np.full(12, np.nan)
        gravity = self._base_from_imu.T @ np.array((0.0, 0.0, GRAVITY))
        step = 1.0 / self._description.control.rate
        for k in range(round(2.0 * self._settings.start.duration / step) + 2):
            self.update(SensorSample(k * step, still, np.zeros(12), nothing, np.zeros(3), gravity, np.full((4, 3), np.nan)))

    def believe_ground(self, height: float, normal: Array) -> None:
        """Set the plane that the feet stand on.

        Args:
            height: in odom, at the robot, m.
            normal: unit vector out of the ground in odom, (3,).
        """
        place = np.zeros(3) if self._last is None else self._last.base_position
        self._ground_height, self._ground_normal = float(height), np.array(normal, dtype=np.float64)
        self._ground_offset = float(self._ground_normal @ (place[0], place[1], height))

    @property
    def started(self) -> bool:
        """Whether the filter runs."""
        return self._states is not None

    @property
    def resting(self) -> bool:
        """Whether the robot counted as not moving at the last sample."""
        return self._resting

    @property
    def gyroscope_bias(self) -> Array:
        """In base axes, (3,), rad/s."""
        return np.zeros(3) if self._states is None else np.array(self._states["gyroscope_bias"][0])

    @property
    def accelerometer_bias(self) -> Array:
        """In base axes, (3,), m/s^2."""
        return np.zeros(3) if self._states is None else np.array(self._states["accelerometer_bias"][0])

    def update(self, sample: SensorSample) -> RobotState:
        """Take one sample in.

        Args:
            sample: later than all before; samples may be lost in between.

        Returns:
            The state at the sample's time; the last state unchanged if the sample was refused.
        """
        if self._refused(sample):
            return self._last if self._last is not None else self._unstarted(sample, "no sample that can be used came yet")
        rate = self._base_from_imu @ sample.angular_velocity_imu
        force = self._base_from_imu @ sample.specific_force_imu
        step = 0.0 if self._last is None else sample.time - self._last.time
        validity = self._settings.validity
        if self._states is not None and step > validity.restart_gap:
            self._keep_place(self._states)
            self._states = None
            self._begin_start(f"no sensor data came for {step:.2f} s: starting again, the robot has to lie or stand still")
        elif self._states is None and step > validity.sensor_timeout:
            self._start.clear()
        if self._states is None:
            self._last = self._try_start(sample, rate, force)
            return self._last
        if step > validity.sensor_timeout:
            self._silence = step
            self._trust_after = sample.time + validity.recovery_time
        self._last = self._advance(sample, rate, force, step)
        return self._last

    def silent(self, now: float) -> RobotState | None:
        """The last state, declared invalid if no sample came for too long; None before the first sample.

        Args:
            now: on the clock of the samples, s.
        """
        if self._last is None or now - self._last.time <= self._settings.validity.sensor_timeout:
            return self._last
        return replace(self._last, invalid_reason=f"no sensor data for {now - self._last.time:.3f} s")

    def _refused(self, sample: SensorSample) -> bool:
        if self._last is not None and not sample.time > self._last.time:
            self.refusals.add("stamp_not_newer", f"stamp {sample.time:.6f} s is not newer than {self._last.time:.6f} s")
            return True
        parts = (sample.joint_position, sample.joint_velocity, sample.angular_velocity_imu, sample.specific_force_imu)
        if not (math.isfinite(sample.time) and np.isfinite(np.concatenate(parts)).all()):
            self.refusals.add("not_finite", f"the sample of {sample.time:.6f} s has a value that is not finite")
            return True
        return False

    def _begin_start(self, reason: str) -> None:
        self._start.clear()
        self._rest.reset()
        self._contact.reset()
        self._ground_torque.reset()
        self._start_reason = reason

    def _keep_place(self, states: Records) -> None:
        """Remember x, y and yaw for the next start, so that odom does not jump."""
        estimate = base_estimate(states, self._parameters)
        self._place = np.array([*estimate.position[:2], math.atan2(estimate.rotation[1, 0], estimate.rotation[0, 0])])
        self._place_variance = np.diag(estimate.pose_covariance)[[0, 1, 5]].copy()

    def _try_start(self, sample: SensorSample, rate: Array, force: Array) -> RobotState:
        self._start.add(sample.time, force, rate, sample.joint_position)
        if not self._start.full:
            return self._unstarted(sample, self._start_reason)
        mean_force, mean_rate, mean_joints = self._start.mean()
        self._start.clear()
        model, start = self._model, self._settings.start
        problems = start_problems(mean_force, mean_rate, mean_joints, model.joint_names, model.position_lower, model.position_upper, start)
        if problems:
            self._start_reason = "not started: " + "; ".join(problems)
            return self._unstarted(sample, self._start_reason)
        states = resting_state(
            mean_force,
            model.feet_in_base(mean_joints),
            self._ground_height,
            self._parameters,
            self._description,
            start.height_standard_deviation**2,
            self._place,
            self._place_variance,
        )
        states["angular_velocity"], states["specific_force"] = rate, force
        self._states, self._numbers = states, states.view(np.float64)
        self._good = self._numbers.copy()
        return self._advance(sample, rate, force, 0.0)

    def _advance(self, sample: SensorSample, rate: Array, force: Array, step: float) -> RobotState:
        states = self._states
        assert states is not None
        self._resting = self._rest.update(step, rate - states["gyroscope_bias"][0], sample.joint_position)
        normal_base = self._ground_normal @ states["rotation"][0]
        probability = self._contact.update(sample.foot_force, *self._torques(states, sample, rate, step), normal_base)
        if step > 0.0:
            self._tick(states, sample, rate, force, step)
        diverged = not np.isfinite(self._numbers).all()
        if diverged:
            self.refusals.add("diverged", f"the filter left the finite at {sample.time:.6f} s; its last good state was put back")
            self._numbers[:] = self._good
            self._trust_after = sample.time + self._settings.validity.recovery_time
            self._silence = step
        else:
            self._good[:] = self._numbers
        estimate = base_estimate(states, self._parameters)
        left_out_for = float(states["all_left_out"][0])
        reasons = list(doubts(estimate.pose_covariance, estimate.twist_covariance, left_out_for, self._settings.validity))
        if sample.time < self._trust_after:
            reasons.append(f"recovering from {self._silence:.3f} s without usable sensor data")
        return RobotState(
            time=sample.time,
            base_position=estimate.position,
            base_quaternion=estimate.quaternion,
            base_linear_velocity=estimate.linear_velocity,
            base_angular_velocity=estimate.angular_velocity,
            joint_position=sample.joint_position,
            joint_velocity=sample.joint_velocity,
            joint_effort=sample.joint_effort,
            contact_probability=probability,
            foot_force=sample.foot_force @ estimate.rotation.T,
            pose_covariance=estimate.pose_covariance,
            twist_covariance=estimate.twist_covariance,
            joint_position_variance=self._joint_position_variance,
            joint_velocity_variance=self._joint_velocity_variance,
            invalid_reason="; ".join(reasons),
        )

    def _tick(self, states: Records, sample: SensorSample, rate: Array, force: Array, step: float) -> None:
        tick(
            states,
            self._parameters,
            self._trees,
            rate,
            force,
            sample.joint_position,
            sample.joint_velocity,
            self._contact.in_contact,
            self._resting,
            self._ground_offset,
            self._ground_normal,
            step,
        )

    def _torques(self, states: Records, sample: SensorSample, rate: Array, step: float) -> tuple[Array, Array]:
        """Torques against the ground and foot Jacobians, where a foot force has to come from them; they are not looked at elsewhere."""
        jacobians = np.zeros((4, 3, 3))
        if not np.isnan(sample.foot_force).any():
            return sample.joint_effort, jacobians
        for leg in np.flatnonzero(np.isnan(sample.foot_force).any(axis=1)).tolist():
            jacobians[leg] = foot_jacobian_in_base(self._trees[0], leg, sample.joint_position[3 * leg : 3 * leg + 3])
        rotation = states["rotation"][0]
        turning = rotation @ (rate - states["gyroscope_bias"][0])
        attitude = quaternion_from_rotation(rotation)
        torque = self._ground_torque.update(step, attitude, turning, sample.joint_position, sample.joint_velocity, sample.joint_effort)
        return torque, jacobians

    def _unstarted(self, sample: SensorSample, reason: str) -> RobotState:
        zero = np.zeros(3)
        usable = all(np.isfinite(part).all() for part in (sample.joint_position, sample.joint_velocity))
        joints = (sample.joint_position, sample.joint_velocity) if usable else (np.zeros(12), np.zeros(12))
        unknown = np.diag(np.full(6, 1e6))
        return RobotState(
            time=sample.time,
            base_position=zero,
            base_quaternion=np.array([0.0, 0.0, 0.0, 1.0]),
            base_linear_velocity=zero,
            base_angular_velocity=zero,
            joint_position=joints[0],
            joint_velocity=joints[1],
            joint_effort=sample.joint_effort,
            contact_probability=np.zeros(4),
            pose_covariance=unknown,
            twist_covariance=unknown.copy(),
            joint_position_variance=self._joint_position_variance,
            joint_velocity_variance=self._joint_velocity_variance,
            invalid_reason=reason,
        )
