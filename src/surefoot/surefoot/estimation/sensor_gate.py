# SPDX-License-Identifier: Apache-2.0
"""The one gate through which sensor data enters: by name and unchecked outside; ordered, finite and such as a robot can say inside."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.imu_words import not_measured
from surefoot.estimation.plausibility import CHANNELS, JumpWatch, SensorBounds
from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.sensor_repeats import SensorRepeats
from surefoot.estimation.settings import GateSettings
from surefoot.estimation.slot import FootForceMeasurement, ImuMeasurement, JointMeasurement
from surefoot.estimation.timing import StampGate
from surefoot.estimation.velocity_filter import VelocityFilter
from surefoot.robot.model import RobotModel

Array = NDArray[np.float64]
Numbers = Sequence[float] | Array

LONGEST_STEP = 0.1
"""s; the difference of two positions that are further apart says nothing about the velocity."""


@dataclass(frozen=True)
class RawJoints:
    """Joint data by name, in any order. Velocity and effort are empty, or NaN throughout, where they are not measured.

    Attributes:
        names: n joint names.
        position: (n,), rad.
        velocity: (n,) or (0,), rad/s.
        effort: (n,) or (0,), N m.
    """

    names: Sequence[str]
    position: Numbers
    velocity: Numbers = ()
    effort: Numbers = ()


@dataclass(frozen=True)
class RawImu:
    """What an IMU says in the axes of its link. Its own idea of the orientation, if it has one, is not asked for.

    Attributes:
        angular_velocity: (3,), rad/s.
        specific_force: +g upwards at rest (REP-145), (3,), m/s^2.
        angular_velocity_covariance, specific_force_covariance: row by row, (9,), or empty. Only a first value of -1 says something: that it
            is not measured (REP-145).
    """

    angular_velocity: Numbers
    specific_force: Numbers
    angular_velocity_covariance: Numbers = ()
    specific_force_covariance: Numbers = ()


@dataclass(frozen=True)
class RawFeet:
    """Foot forces by name, in any order; feet that are left out are not measured.

    Attributes:
        names: n foot names.
        force: force of the ground on each foot in the base frame, (n, 3), N.
    """

    names: Sequence[str]
    force: Sequence[Numbers] | Array


class SensorGate:
    """Turns raw sensor data into measurements, or refuses it and counts why. When a stamp is too late is for the estimator to say.

    Attributes:
        refusals: what was refused; kinds are unknown_joint, duplicate_joint, missing_joint, unknown_foot, duplicate_foot, wrong_length,
            not_finite, implausible, not_measured, frozen, velocity_missing, stamp_older, stamp_jumped.
    """

    def __init__(self, model: RobotModel, settings: GateSettings) -> None:
        """Args:
        model: whose joint and foot names count, and what its joints and feet can do.
        settings: what to do with incomplete data, and what is too much.
        """
        self.refusals = Refusals()
        self._joint_names, self._foot_names = model.joint_names, model.description.foot_names
        self._settings = settings
        self._differentiate = settings.missing_velocity == "differentiate"
        self._velocity_filter = VelocityFilter(settings.velocity_cutoff)
        self._stamps = StampGate(self.refusals, LONGEST_STEP, LONGEST_STEP)
        self._time = -math.inf
        self._derivative = np.zeros(len(self._joint_names))
        self._bounds = self._bounds_as_said = SensorBounds.of(model, settings)
        self._jumps = JumpWatch(self._bounds.upper[1], settings.position_jump)
        self._repeats = SensorRepeats(settings, len(self._joint_names))
        self._known_order: tuple[str, ...] = ()
        self._places = np.arange(len(self._joint_names))

    def admit_joints(self, time: float, joints: RawJoints) -> JointMeasurement | Refusal:
        """Check what the joints say; never raises.

        Args:
            time: of the physical sample, s.
            joints: exactly those of the robot.

        Returns:
            The measurement in the order of the description, or the refusal; what was refused changes nothing.
        """
        refusal = self._refuse_time(time) or self._refuse_names(joints.names)
        if refusal:
            return refusal
        position, velocity, effort = data = _numbers(joints.position), _numbers(joints.velocity), _numbers(joints.effort)
        if not self._plainly_right(*data):
            refusal = self._look_closely(joints.names, *data)
            if refusal:
                return refusal
        has_velocity, has_effort = _measured(velocity), _measured(effort)
        position = position[self._places]
        if problem := self._jumps.problem(time, position, self._joint_names):
            return self.refusals.add("implausible", problem)
        if self._differentiate:
            refusal = self._differentiated(time, position, has_velocity)
            if refusal:
                return refusal
        measured = velocity[self._places] if has_velocity else self._derivative.copy()
        effort = effort[self._places] if has_effort else np.full(len(self._joint_names), np.nan)
        self._jumps.believe(time, position)
        if hanging := self._repeats.joints(time, position):
            return self.refusals.add("frozen", *hanging, "joints")
        return JointMeasurement(time, position, measured, effort, has_velocity)

    def admit_imu(self, time: float, imu: RawImu) -> ImuMeasurement | Refusal:
        """Check what the IMU says; as `admit_joints`."""
        refusal = self._refuse_time(time)
        if refusal:
            return refusal
        if problem := (
            not_measured("angular velocity", imu.angular_velocity_covariance)
            or not_measured("linear acceleration", imu.specific_force_covariance)
        ):
            return self.refusals.add("not_measured", problem)
        rate, force = _numbers(imu.angular_velocity), _numbers(imu.specific_force)
        limits = self._settings
        for what, array, limit, unit in (
            ("angular velocity", rate, limits.angular_velocity_limit, "rad/s"),
            ("specific force", force, limits.specific_force_limit, "m/s^2"),
        ):
            if array.shape != (3,):
                return self.refusals.add("wrong_length", f"{what} has shape {array.shape}, not (3,)")
            # Stated as what is right, so that a NaN is wrong.
            if not all(abs(value) <= limit for value in array.tolist()):
                if not np.isfinite(array).all():
                    return self.refusals.add("not_finite", f"{what} of the IMU is {array.tolist()}")
                return self.refusals.add("implausible", f"{what} of the IMU is {array.tolist()}, beyond {limit:g} {unit}")
        if hanging := self._repeats.imu(time, rate, force):
            return self.refusals.add("frozen", *hanging)
        return ImuMeasurement(time, rate, force)

    def admit_feet(self, time: float, feet: RawFeet) -> FootForceMeasurement | Refusal:
        """Check what the force sensors of the feet say; as `admit_joints`."""
        refusal = self._refuse_time(time)
        if refusal:
            return refusal
        force = self._foot_force(feet)
        return force if isinstance(force, Refusal) else FootForceMeasurement(time, force)

    def _plainly_right(self, position: Array, velocity: Array, effort: Array) -> bool:
        """Whether everything is there and within bounds: what almost every sample is, seen at a glance."""
        if not position.shape == velocity.shape == effort.shape == (len(self._joint_names),):
            return False
        table = np.array((position, velocity, effort))
        # Stated as what is right, so that a NaN is wrong.
        return bool(((table >= self._bounds_as_said.lower) & (table <= self._bounds_as_said.upper)).all())

    def _look_closely(self, names: Sequence[str], position: Array, velocity: Array, effort: Array) -> Refusal | None:
        """What is wrong, in words; None if it is only that something is not measured."""
        count = len(self._joint_names)
        lengths = {
            "joint positions": (position.shape, (count,)),
            "joint velocities": (velocity.shape, (count,) if velocity.size else (0,)),
            "joint efforts": (effort.shape, (count,) if effort.size else (0,)),
        }
        for what, (given, right) in lengths.items():
            if given != right:
                return self.refusals.add("wrong_length", f"{what} have shape {given}, not {right}")
        if not _measured(velocity) and not self._differentiate:
            return self.refusals.add("velocity_missing", "joint velocities are not measured; set gate.missing_velocity: differentiate")
        for row, array in enumerate((position, velocity, effort)):
            if row > 0 and not _measured(array):
                continue
            if not np.isfinite(array).all():
                worst = int(np.argmin(np.isfinite(array)))
                return self.refusals.add("not_finite", f"joint {CHANNELS[row][0]} of '{names[worst]}' is {array[worst]}")
            if problem := self._bounds_as_said.problem(row, array, names):
                return self.refusals.add("implausible", problem)
        return None

    def _differentiated(self, time: float, position: Array, has_velocity: bool) -> Refusal | None:
        """Follow the velocity; where it is measured as well, a stamp that does not fit is only passed over."""
        if math.isfinite(self._time):
            if has_velocity and not 0.0 < time - self._time <= LONGEST_STEP:
                return None
            jumped = self._stamps.check("joints", time, self._time)
            if isinstance(jumped, Refusal):
                return jumped
            if jumped:
                self.reset()
            elif time <= self._time:
                return self.refusals.add("stamp_older", f"velocities are differentiated in order; {time} s comes after {self._time} s")
        # Two samples with stamps next to each other tell any speed.
        fastest = self._bounds.upper[1]
        self._derivative, self._time = np.clip(self._velocity_filter.update(time, position), -fastest, fastest), time
        return None

    def reset(self) -> None:
        """Accept any stamp next, as after a jump of the clock. The counts stay."""
        self._time = -math.inf
        self._velocity_filter.reset()
        self._jumps.reset()
        self._repeats.reset()

    def _refuse_time(self, time: float) -> Refusal | None:
        return None if math.isfinite(time) else self.refusals.add("not_finite", f"the stamp is {time}")

    def _refuse_names(self, names: Sequence[str]) -> Refusal | None:
        order = tuple(names)
        if order and order == self._known_order:
            return None
        kind = _name_problem(order, self._joint_names, "joint")
        if kind:
            return self.refusals.add(*kind)
        missing = [name for name in self._joint_names if name not in order]
        if missing:
            return self.refusals.add("missing_joint", f"nothing about joint {', '.join(repr(name) for name in missing)}")
        self._known_order, self._places = order, np.array([order.index(name) for name in self._joint_names])
        self._bounds_as_said = self._bounds.in_order(self._places)
        return None

    def _foot_force(self, feet: RawFeet) -> Array | Refusal:
        if not len(feet.names):
            return np.full((len(self._foot_names), 3), np.nan)
        force, most = _numbers(feet.force), self._bounds.foot_force
        if tuple(feet.names) == self._foot_names and force.shape == (len(feet.names), 3) and (np.abs(force) <= most).all():
            return force
        result = np.full((len(self._foot_names), 3), np.nan)
        problem = _name_problem(tuple(feet.names), self._foot_names, "foot")
        if problem:
            return self.refusals.add(*problem)
        if force.shape != (len(feet.names), 3):
            return self.refusals.add("wrong_length", f"foot forces have shape {force.shape}, not {(len(feet.names), 3)}")
        for name, vector in zip(feet.names, force, strict=True):
            if not np.isfinite(vector).all():
                return self.refusals.add("not_finite", f"force of foot '{name}' is {vector.tolist()}")
            if not (np.abs(vector) <= most).all():
                words = f"force of foot '{name}' is {vector.tolist()} N; believed is {most:.4g} N, many times the robot's weight"
                return self.refusals.add("implausible", words)
            result[self._foot_names.index(name)] = vector
        return result


def _measured(values: Array) -> bool:
    """Whether there are values at all; a sensor that is not there says nothing, or NaN throughout."""
    return values.size > 0 and not (math.isnan(values.flat[0]) and np.isnan(values).all())


def _numbers(values: object) -> Array:
    """An array of our own; what cannot be one has no shape that anything accepts."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.zeros((0, 0))


def _name_problem(given: tuple[str, ...], known: tuple[str, ...], kind: str) -> tuple[str, str] | None:
    """Kind and words of what is wrong with names, except for missing ones."""
    for name, times in Counter(given).items():
        if name not in known:
            return f"unknown_{kind}", f"'{name}' is not a {kind} of this robot; its {kind} names are {', '.join(known)}"
        if times > 1:
            return f"duplicate_{kind}", f"{kind} '{name}' is there {times} times"
    return None
