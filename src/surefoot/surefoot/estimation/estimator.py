# SPDX-License-Identifier: Apache-2.0
"""The state estimator: measurements in, each with its own time, states out; the same states for the same measurements."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import RobotDescriptionError
from surefoot.estimation.filter import advance, look_ahead, replay
from surefoot.estimation.filter_state import FILTER_STATE, Records, filter_parameters, finite_columns, resting_state
from surefoot.estimation.intake import SENSORS, Intake
from surefoot.estimation.output import base_estimate
from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import MEASURED, SLOT, FootForceMeasurement, ImuMeasurement, JointMeasurement, Measurement
from surefoot.estimation.start_checks import start_problems
from surefoot.estimation.start_window import StartWindow
from surefoot.estimation.timing import StampGate
from surefoot.estimation.validity import doubts
from surefoot.estimation.window import ReplayWindow
from surefoot.robot.description import RobotDescription
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.robot.state import RobotState, SensorSample
from surefoot.robot.tree import leg_tree

Array = NDArray[np.float64]

NOT_STARTED = "not started: the robot has to lie or stand still first"


class StateEstimator:
    """Estimates the state of the base from IMU, legs and contact, and says how sure it is.

    Each measurement belongs to the time at which it was sampled. One that comes late, or out of order, is put where it belongs and what
    follows is computed again; one that was lost is simply not there. It starts from rest above the origin of odom with yaw 0. It never
    raises on measurements and never gives out a NaN: what cannot be used is counted and leaves the estimate as it was.

    Attributes:
        refusals: measurements that were not used; kinds are not_finite, stamp_repeated, stamp_too_old, stamp_jumped and diverged.
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
        self._parameters = filter_parameters(description, imu.body_from_frame_translation, settings)
        self._trees = np.array([leg_tree(model)])
        self._window = ReplayWindow(SLOT, FILTER_STATE, settings.window.duration)
        self._numbers = self._window.memories.view(np.float64).reshape(len(self._window.memories), -1)
        # Torques of the ground are not a number where the effort is not measured, and times of what never came are infinite.
        self._have_to_be_finite = finite_columns(FILTER_STATE)
        self._first = np.zeros(1, SLOT)[0]
        self._intake = Intake(imu.body_from_frame_rotation)
        self._start = StartWindow(settings.start.duration, settings.validity.sensor_timeout)
        self._stamps = StampGate(self.refusals, settings.validity.restart_gap)
        self._ground_height, self._ground_offset, self._ground_normal = 0.0, 0.0, np.array([0.0, 0.0, 1.0])
        self._newest = -math.inf
        self._heard: dict[str, float] = {}
        self._joints = np.zeros(1, SLOT)[0]
        self.reset()

    def reset(self) -> None:
        """Forget everything but the counts; the next measurement is the first."""
        self._place, self._place_variance = np.zeros(3), np.full(3, self._settings.start.place_standard_deviation**2)
        self._doubt_until, self._doubt = -math.inf, ""
        self._begin_start(NOT_STARTED)

    def warm_up(self) -> None:
        """Compile, or read from the cache, everything that an update calls. The estimator that did this is not to be used further."""
        still = self._model.lie_joint_position
        nothing = np.full(12, np.nan)
        gravity = self._base_from_imu.T @ np.array((0.0, 0.0, GRAVITY))
        step = 1.0 / self._description.control.rate
        count = round(2.0 * self._settings.start.duration / step) + 2
        for k in range(count):
            self.update(SensorSample(k * step, still, np.zeros(12), nothing, np.zeros(3), gravity, np.full((4, 3), np.nan)))
        self.state(count * step)

    def believe_ground(self, height: float, normal: Array) -> None:
        """Set the plane that the feet stand on, from the newest measurement on.

        Args:
            height: in odom, at the robot, m.
            normal: unit vector out of the ground in odom, (3,).
        """
        x, y = self._memory["position"][0, :2] if self.started else (0.0, 0.0)
        self._ground_height, self._ground_normal = float(height), np.array(normal, dtype=np.float64)
        self._ground_offset = float(self._ground_normal @ (x, y, height))

    @property
    def started(self) -> bool:
        """Whether the filter runs."""
        return self._window.end > 0

    def age(self, sensor: str, time: float) -> float:
        """How old the newest measurement of a sensor ("imu", "joints", ...) is at a time, s; infinite before the first."""
        return time - self._heard[sensor]

    @property
    def resting(self) -> bool:
        """Whether the robot counted as not moving at the last measurement."""
        return self.started and bool(self._memory["quiet_for"][0] >= self._settings.rest.time)

    @property
    def gyroscope_bias(self) -> Array:
        """In base axes, (3,), rad/s."""
        return np.array(self._memory["gyroscope_bias"][0]) if self.started else np.zeros(3)

    @property
    def accelerometer_bias(self) -> Array:
        """In base axes, (3,), m/s^2."""
        return np.array(self._memory["accelerometer_bias"][0]) if self.started else np.zeros(3)

    @property
    def innovations(self) -> tuple[float, float]:
        """Sums, since the start, of the normalised squared innovations of the feet and of their dimensions."""
        self._catch_up()
        return float(self._memory["innovation_distance"][0]), float(self._memory["innovation_size"][0])

    def update(self, sample: SensorSample) -> RobotState:
        """Take the measurements of one instant in together: all of them or none.

        Args:
            sample: of any time within the window; samples may be lost in between.

        Returns:
            The state at the newest time; it is the same as before if the sample was refused.
        """
        self.take(
            ImuMeasurement(sample.time, sample.angular_velocity_imu, sample.specific_force_imu),
            JointMeasurement(sample.time, sample.joint_position, sample.joint_velocity, sample.joint_effort),
            FootForceMeasurement(sample.time, sample.foot_force),
        )
        return self.state(self._newest if math.isfinite(self._newest) else sample.time)

    def take(self, *measurements: Measurement) -> Refusal | None:
        """Take measurements in, together: all of them or, if one cannot be used, none. Their times are their own.

        Returns:
            Why they were refused; None if they were taken.
        """
        for measurement in measurements:
            sensor = SENSORS[type(measurement)][0]
            if not self._intake.finite(measurement):
                return self.refusals.add("not_finite", f"the sample of {sensor} of {measurement.time:.6f} s has a value that is not finite")
        for measurement in measurements:
            refusal = self._refused(measurement)
            if refusal is not None:
                return refusal
        for measurement in measurements:
            self._newest = max(self._newest, measurement.time)
            self._heard[SENSORS[type(measurement)][0]] = max(self._heard[SENSORS[type(measurement)][0]], measurement.time)
            if self.started:
                self._put(measurement)
            else:
                self._collect(measurement)
        if not self.started and self._start.full:
            self._try_start()
        return None

    def state(self, time: float) -> RobotState:
        """The state at a time, or at the newest measurement if that is later, plus the configured lead.

        Args:
            time: on the clock of the measurements, s.
        """
        if not self.started:
            return self._unstarted(time)
        self._catch_up()
        settings, time = self._settings, max(time, self._newest)
        ages = {sensor: self.age(sensor, time) for sensor in ("imu", "joints")}
        memory = self._memory.copy()
        # Nobody may walk on a longer guess, and it would only run away.
        ahead = min(time + settings.window.lead - memory["time"][0], 2.0 * settings.validity.sensor_timeout)
        if ahead > 0.0:
            look_ahead(memory, self._parameters, memory["time"][0] + ahead)
        estimate = base_estimate(memory, self._parameters)
        late = settings.validity.sensor_timeout
        reasons = [f"no sensor data came from {sensor} for {age:.3f} s" for sensor, age in ages.items() if not age <= late]
        reasons += doubts(estimate.pose_covariance, estimate.twist_covariance, float(memory["all_left_out"][0]), settings.validity)
        if time < memory["trust_after"][0]:
            reasons.append(f"recovering from {memory['silence'][0]:.3f} s without usable sensor data")
        if time < self._doubt_until:
            reasons.append(self._doubt)
        slot = self._joints
        joint_ahead = min(time + settings.window.lead - slot["time"], 2.0 * settings.validity.sensor_timeout)
        position, velocity = slot["joint_position"].copy(), slot["joint_velocity"].copy()
        position_variance = np.full(12, self._parameters["joint_position_variance"][0])
        velocity_variance = np.full(12, self._parameters["joint_velocity_variance"][0])
        if joint_ahead > 0.0:
            position += joint_ahead * velocity
            error = (settings.window.held_joint_acceleration * joint_ahead) ** 2
            position_variance += joint_ahead**2 * (velocity_variance + 0.25 * error)
            velocity_variance += error
        force = np.where(memory["foot_force_time"][0, :, None] > -np.inf, memory["foot_force"][0], np.nan)
        return RobotState(
            time=time,
            base_position=estimate.position,
            base_quaternion=estimate.quaternion,
            base_linear_velocity=estimate.linear_velocity,
            base_angular_velocity=estimate.angular_velocity,
            joint_position=position,
            joint_velocity=velocity,
            joint_effort=slot["joint_effort"].copy(),
            contact_probability=memory["contact_probability"][0].copy(),
            foot_force=force @ estimate.rotation.T,
            pose_covariance=estimate.pose_covariance,
            twist_covariance=estimate.twist_covariance,
            joint_position_variance=position_variance,
            joint_velocity_variance=velocity_variance,
            invalid_reason="; ".join(reasons),
        )

    @property
    def _memory(self) -> Records:
        """The last memory, (1,)."""
        return self._window.memories[self._window.end - 1 : self._window.end]

    def _refused(self, measurement: Measurement) -> Refusal | None:
        """Look at the time of a measurement; may start everything again."""
        sensor, has = SENSORS[type(measurement)]
        if not math.isfinite(self._newest) and math.isfinite(measurement.time):
            return None
        jumped = self._stamps.check(sensor, measurement.time, self._newest)
        if isinstance(jumped, Refusal):
            return jumped
        if jumped:
            gap = measurement.time - self._newest
            if self.started:
                self._keep_place()
            what = f"no sensor data came for {gap:.2f} s" if gap > 0.0 else f"the clock went back by {-gap:.2f} s"
            self._begin_start(f"{what}: starting again, the robot has to lie or stand still")
        if not self.started:
            return self._refused_before_start(sensor, measurement.time)
        if measurement.time <= self._window.base_time:
            return self._stamps.too_old(sensor, measurement.time, self._window.base_time)
        index = self._window.find(measurement.time)
        if index is not None and self._window.slots[index][has] > 0.0:
            return self.refusals.add("stamp_repeated", f"stamp {measurement.time:.6f} s of {sensor} came twice")
        return None

    def _refused_before_start(self, sensor: str, time: float) -> Refusal | None:
        last = self._heard[sensor]
        if time > last:
            return None
        if time == last:
            self._start_reason = f"not started: no clock: the stamps of {sensor} stand still at {time:.3f} s"
            return self.refusals.add("stamp_repeated", f"stamp {time:.6f} s of {sensor} came twice")
        return self._stamps.too_old(sensor, time, last)

    def _put(self, measurement: Measurement) -> None:
        """Write a measurement into its slot."""
        window = self._window
        index = window.find(measurement.time)
        if index is None:
            if window.full:
                self._catch_up()
            index = window.insert(measurement.time)
            if index is None:
                self._stamps.too_old(SENSORS[type(measurement)][0], measurement.time, window.base_time)
                return
            slot = window.slots[index]
            for has in MEASURED:
                slot[has] = 0.0
            if index == window.end - 1:
                slot["ground_offset"], slot["ground_normal"] = self._ground_offset, self._ground_normal
        self._intake.write(window.slots[index], measurement)
        if isinstance(measurement, JointMeasurement) and measurement.time >= self._joints["time"]:
            self._joints = window.slots[index].copy()
        if isinstance(measurement, ImuMeasurement):
            # What lies between this sample of the IMU and the one before it was guessed without it.
            while index > window.begin + 1 and window.slots["has_imu"][index - 1] == 0.0:
                index -= 1
        window.mark(index)

    def _catch_up(self) -> None:
        """Compute what does not answer to its slot, and freeze what is older than the window."""
        window = self._window
        if window.first_dirty == window.end:
            return
        replay(window.memories, window.slots, window.first_dirty, window.end, self._parameters, self._trees)
        if not np.isfinite(self._numbers[window.end - 1, self._have_to_be_finite]).all():
            self._put_back()
        window.first_dirty = window.end
        # Only a sample of the IMU closes the past: until the next one, what is between them is a guess.
        window.freeze(window.slots["has_imu"][window.begin : window.end] > 0.0)

    def _put_back(self) -> None:
        """Drop what led out of the finite, and doubt what follows for a while."""
        window = self._window
        time = window.newest_time
        self.refusals.add("diverged", f"the filter left the finite at {time:.6f} s; its last good state was put back")
        good = window.end - 1
        while good > window.begin and not np.isfinite(self._numbers[good, self._have_to_be_finite]).all():
            good -= 1
        window.truncate(good + 1)
        self._doubt_until, self._doubt = time + self._settings.validity.recovery_time, "recovering from samples that led out of the finite"

    def _begin_start(self, reason: str) -> None:
        self._start.clear()
        self._window.end = 0
        self._newest = -math.inf
        self._heard = {sensor: -math.inf for sensor, _ in SENSORS.values()}
        self._joints = np.zeros(1, SLOT)[0]
        self._start_reason = reason

    def _keep_place(self) -> None:
        """Remember x, y and yaw for the next start, so that odom does not jump."""
        self._catch_up()
        estimate = base_estimate(self._memory, self._parameters)
        self._place = np.array([*estimate.position[:2], math.atan2(estimate.rotation[1, 0], estimate.rotation[0, 0])])
        self._place_variance = np.diag(estimate.pose_covariance)[[0, 1, 5]].copy()

    def _collect(self, measurement: Measurement) -> None:
        """Keep a measurement for the start."""
        self._intake.write(self._first, measurement)
        if isinstance(measurement, ImuMeasurement):
            self._start.add("imu", measurement.time, np.concatenate((self._first["specific_force"], self._first["angular_velocity"])))
        elif isinstance(measurement, JointMeasurement):
            self._start.add("joints", measurement.time, measurement.position)
            self._first["time"] = measurement.time
            self._joints = self._first.copy()

    def _try_start(self) -> None:
        mean_force, mean_rate, mean_joints = self._start.mean()
        time = self._start.time
        self._start.clear()
        model, start = self._model, self._settings.start
        problems = start_problems(mean_force, mean_rate, mean_joints, model.joint_names, model.position_lower, model.position_upper, start)
        if problems:
            self._start_reason = "not started: " + "; ".join(problems)
            return
        memory = resting_state(
            mean_force,
            model.feet_in_base(mean_joints),
            self._ground_height,
            self._parameters,
            self._description,
            start.height_standard_deviation**2,
            self._place,
            self._place_variance,
        )
        memory["angular_velocity"], memory["specific_force"], memory["time"] = (
            self._first["angular_velocity"],
            self._first["specific_force"],
            time,
        )
        window = self._window
        index = window.start(time, memory)
        window.slots[index] = self._first
        window.slots["time"][index], window.slots["has_imu"][index], window.slots["has_joints"][index] = time, 1.0, 1.0
        window.slots["ground_offset"][index], window.slots["ground_normal"][index] = self._ground_offset, self._ground_normal
        advance(window.memories, window.slots, index, window.end, self._parameters, self._trees)

    def _unstarted(self, time: float) -> RobotState:
        zero = np.zeros(3)
        unknown = np.diag(np.full(6, 1e6))
        return RobotState(
            time=time,
            base_position=zero,
            base_quaternion=np.array([0.0, 0.0, 0.0, 1.0]),
            base_linear_velocity=zero,
            base_angular_velocity=zero,
            joint_position=self._joints["joint_position"].copy(),
            joint_velocity=self._joints["joint_velocity"].copy(),
            joint_effort=self._joints["joint_effort"].copy(),
            contact_probability=np.zeros(4),
            pose_covariance=unknown,
            twist_covariance=unknown.copy(),
            joint_position_variance=np.full(12, self._parameters["joint_position_variance"][0]),
            joint_velocity_variance=np.full(12, self._parameters["joint_velocity_variance"][0]),
            invalid_reason=self._start_reason,
        )
