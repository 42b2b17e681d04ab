# SPDX-License-Identifier: Apache-2.0
"""The state estimator: measurements in, each with its own time, states out; the same states for the same measurements."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import RobotDescriptionError
from surefoot.estimation.contact_doubts import contact_doubts
from surefoot.estimation.filter import advance, all_finite, look_ahead, replay
from surefoot.estimation.filter_state import FILTER_STATE, Records, filter_parameters, finite_columns, resting_state
from surefoot.estimation.flat import flat
from surefoot.estimation.guest_pace import GuestPace
from surefoot.estimation.intake import GROUND_PLACES, HAS, HAS_IMU, MEASURED_PLACES, PLACE, SENSORS, SLOT_SIZE, SLOT_TIME, Intake
from surefoot.estimation.joint_motion import joints_ahead
from surefoot.estimation.output import MEMORY, OUTSIDE, BaseEstimate, base_estimate, estimated_state, unstarted_state
from surefoot.estimation.plausibility import SensorBounds
from surefoot.estimation.refusals import Recount, Refusal, Refusals
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import SLOT, FootForceMeasurement, ImuMeasurement, JointMeasurement, Measurement
from surefoot.estimation.start_stamps import NEEDED
from surefoot.estimation.start_window import NOT_STARTED, StartWindow
from surefoot.estimation.timing import EARLY, GUESTS, RefusedRuns, StampGate
from surefoot.estimation.validity import doubts_of_attitude, doubts_of_itself, doubts_of_motion, doubts_of_use
from surefoot.estimation.whereabouts import Whereabouts
from surefoot.estimation.window import ReplayWindow
from surefoot.robot.description import RobotDescription
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState, SensorSample
from surefoot.robot.tree import leg_tree

Array = NDArray[np.float64]

LEAST_SLOTS = 256
"""Of the window; otherwise twice as many as the sensors fill that speak once in each control period, each at a time of its own."""


class StateEstimator:
    """Estimates the state of the base from IMU, legs and contact, and says how sure it is.

    Each measurement belongs to the time at which it was sampled. One that comes late, or out of order, is put where it belongs and what
    follows is computed again; one that was lost is simply not there. It starts from rest above the origin of odom with yaw 0. It never
    raises on measurements and never gives out a NaN: what cannot be used is counted and leaves the estimate as it was.

    Attributes:
        refusals: measurements that were not used; kinds are not_finite, stamp_repeated, stamp_too_old, stamp_jumped, too_often, diverged,
            pose_outside and field_outside, which lay outside of the gate, and lost, after which the filter started again.
        attitude_problem: why the attitude of the last state is not known either; empty where it is, also where nothing is known of the
            place and the velocity, as of a robot that hangs in the air.
    """

    def __init__(self, description: RobotDescription, model: RobotModel, settings: EstimatorSettings) -> None:
        """Args:
        description: names and noise of the sensors.
        model: kinematics, limits and the place of the IMU.
        settings: config/estimator.yaml.

        Raises:
            RobotDescriptionError: the URDF has no IMU link, or not on the base.
        """
        self.refusals, self.attitude_problem = Refusals(), "nothing was heard yet"
        self._outside = Recount(self.refusals, OUTSIDE)
        self._description, self._model, self._settings = description, model, settings
        imu = model.attached_frame(description.sensors.imu_link)
        if imu.body != description.base:
            raise RobotDescriptionError(f"IMU link '{imu.name}' is carried by '{imu.body}'; fix it to the base '{description.base}'")
        self._parameters = filter_parameters(description, imu.body_from_frame_translation, settings)
        self._trees, self._bounds = np.array([leg_tree(model)]), SensorBounds.of(model, settings.gate)
        duration, rate = settings.window.duration, description.control.rate
        self._window = ReplayWindow(SLOT, FILTER_STATE, duration, max(LEAST_SLOTS, round(2 * len(SENSORS) * duration * rate)))
        self._numbers, self._slot_numbers = flat(self._window.memories), flat(self._window.slots)
        self._ahead = np.zeros(1, FILTER_STATE)
        self._ahead_numbers = flat(self._ahead)[0]
        # Torques and what they say of contact are not a number where the effort is not measured, and times of what never came are infinite.
        self._have_to_be_finite = finite_columns(FILTER_STATE)
        self._intake = Intake(imu.body_from_frame_rotation)
        self._start = StartWindow(settings.start.duration, settings.validity.sensor_timeout)
        self._stamps = StampGate(self.refusals, duration, settings.validity.restart_gap, EARLY / rate)
        self._guest_pace = GuestPace(self.refusals, rate)
        timeout = settings.validity.sensor_timeout
        self._refused_runs = RefusedRuns(timeout, max(2, round(timeout * rate)))
        self._newest, self._first, self._joints = -math.inf, np.zeros(SLOT_SIZE), np.zeros(SLOT_SIZE)
        self._heard: dict[str, float] = {}
        self.reset()

    def reset(self) -> None:
        """Forget everything but the counts; the next measurement is the first."""
        self._whereabouts = Whereabouts(self._settings.start.place_standard_deviation, self._description.foot_radius)
        self._begin_start(NOT_STARTED)

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
    def innovations(self) -> Array:
        """Of places and speeds of feet, squared distances of innovations, given those before and each by itself, and dimensions, (2, 3)."""
        self._catch_up()
        settled = self._window.memories[self._window.begin]  # Later ones change when a sample of the IMU comes that was held.
        return np.column_stack((settled["innovation_distance"], settled["innovation_size"]))

    @property
    def diagnostics(self) -> dict[str, str]:
        """Feet whose force sensor or torques are silent or contradicted by all else, as `contact_doubts`; empty before the start."""
        self._catch_up()
        return contact_doubts(self._memory, self._description.foot_names) if self.started else {}

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

    def hear(self, heard: Measurement | Refusal) -> Refusal | None:
        """Take in what a gate made of one sample; where that was none since some time, what it let through until then is taken back."""
        if not isinstance(heard, Refusal):
            return self.take(heard)
        self._heard[heard.sensor] = min(self._heard[heard.sensor], heard.since)
        self._window.clear_after(heard.since, HAS[heard.sensor])
        if heard.sensor == "joints":
            # Where they are said to be is as old as the last word that was true.
            self._joints[SLOT_TIME] = min(self._joints.item(SLOT_TIME), heard.since)
        return heard

    def take(self, *measurements: Measurement) -> Refusal | None:
        """Take measurements in, together: all of them or, if one cannot be used, none. Their times are their own.

        Returns:
            Why they were refused; None if they were taken.
        """
        refusal = self._first_refusal(measurements)
        if refusal is not None:
            for measurement in measurements:
                self._refused_runs.refused(SENSORS[type(measurement)][0], measurement.time, refusal.words)
            self._follow_the_clock()
            return refusal
        collected = False
        for measurement in measurements:
            sensor = SENSORS[type(measurement)][0]
            self._refused_runs.used(sensor)
            if sensor not in GUESTS:
                self._newest = max(self._newest, measurement.time)
            self._heard[sensor] = max(self._heard[sensor], measurement.time)
            if self.started:
                self._put(measurement)
            if not self.started or self._whereabouts.doubts:
                self._collect(measurement)
                collected = True
        if collected and self._start.full:
            self._try_start()
        return None

    def state(self, time: float) -> RobotState:
        """The state at a time, or at the newest measurement if that is later, plus the configured lead.

        Args:
            time: on the clock of the measurements, s.
        """
        if not self.started:
            self.attitude_problem = self._start.why_not
            return unstarted_state(time, self._joints, self._parameters, self.attitude_problem)
        self._catch_up()
        settings, time, memory = self._settings, max(time, self._newest), self._ahead_numbers
        memory[:] = self._numbers[self._window.end - 1]
        then, longest = memory.item(MEMORY["time"].start), 2.0 * settings.validity.sensor_timeout
        # Nobody may walk on a longer guess, and it would only run away.
        ahead = min(time + settings.window.lead - then, longest)
        if ahead > 0.0:
            look_ahead(self._ahead, self._parameters, then + ahead)
        estimate = base_estimate(self._ahead, self._parameters)
        joint_ahead = min(time + settings.window.lead - self._joints.item(SLOT_TIME), longest)
        joints = joints_ahead(self._joints, joint_ahead, self._parameters[0], settings.window.held_joint_acceleration, self._bounds)
        reasons = self._reasons(time, memory, estimate)
        return estimated_state(time, memory, estimate, self._joints, joints, settings.validity.sensor_timeout, reasons)

    def _reasons(self, time: float, memory: Array, estimate: BaseEstimate) -> list[str]:
        """Everything that speaks against walking on the state of a time."""
        settings = self._settings.validity
        ages = [(sensor, self.age(sensor, time)) for sensor in NEEDED]
        reasons = [f"no sensor data came from {sensor} for {age:.3f} s" for sensor, age in ages if not age <= settings.sensor_timeout]
        reasons += [complaint for sensor in NEEDED if (complaint := self._refused_runs.complaint(sensor))]
        attitude = doubts_of_attitude(estimate.pose_covariance, memory, settings)
        motion = doubts_of_motion(estimate.pose_covariance, estimate.twist_covariance, memory, settings)
        self._whereabouts.note(time, doubts_of_itself(attitude, motion, estimate.linear_velocity, memory, settings), estimate, memory)
        reasons += [*attitude, *doubts_of_use(memory, time, self.age("pose", time), settings)]
        if time < self._doubt_until:
            reasons.append(self._doubt)
        self.attitude_problem = "; ".join(reasons)
        return [*reasons, *motion]

    @property
    def _memory(self) -> Records:
        """The last memory, (1,)."""
        return self._window.memories[self._window.end - 1 : self._window.end]

    def _first_refusal(self, measurements: tuple[Measurement, ...]) -> Refusal | None:
        for measurement in measurements:
            sensor = SENSORS[type(measurement)][0]
            if not self._intake.finite(measurement):
                return self.refusals.add("not_finite", f"the sample of {sensor} of {measurement.time:.6f} s has a value that is not finite")
        return next((refusal for measurement in measurements if (refusal := self._refused(measurement)) is not None), None)

    def _follow_the_clock(self) -> None:
        """Start again when the clock has gone back: what happened between the last sample that was used and the next one is not known."""
        back = self._refused_runs.gone_back(NEEDED, self._newest)
        if back > 0.0:
            self._start_again(f"the clock went back by {back:.2f} s")

    def _refused(self, measurement: Measurement) -> Refusal | None:
        """Look at the time of a measurement; may start everything again."""
        sensor = SENSORS[type(measurement)][0]
        if sensor in GUESTS:
            refusal = self._stamps.of_a_guest(sensor, measurement.time, self._newest)
        elif not math.isfinite(self._newest) and math.isfinite(measurement.time):
            return None
        else:
            refusal = self._refused_by_the_clock(sensor, measurement.time)
        if refusal is not None:
            return refusal
        if not self.started:
            return self._refused_before_start(sensor, measurement.time)
        if measurement.time <= self._window.base_time:
            return self._stamps.too_old(sensor, measurement.time, self._window.base_time)
        index = self._window.find(measurement.time)
        if index is not None and self._slot_numbers.item(index, HAS[sensor]) > 0.0:
            return self.refusals.add("stamp_repeated", f"stamp {measurement.time:.6f} s of {sensor} came twice")
        return self._guest_pace.refused(sensor, measurement.time) if sensor in GUESTS else None

    def _refused_by_the_clock(self, sensor: str, time: float) -> Refusal | None:
        """Look at a stamp of one of the robot's own sensors; may start everything again."""
        jumped = self._stamps.check(sensor, time, self._newest)
        if isinstance(jumped, Refusal):
            return jumped
        gap = time - self._newest
        if jumped:
            self._start_again(self._stamps.words_of_jump(sensor, gap))
        if gap > self._stamps.gap:
            # Believed: what the other sensors sampled at the same time is as good.
            self._newest = time
        return None

    def _refused_before_start(self, sensor: str, time: float) -> Refusal | None:
        last = self._heard[sensor]
        if time > last:
            return None
        if time == last:
            self._start.reason = f"not started: no clock: the stamps of {sensor} stand still at {time:.3f} s"
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
            self._slot_numbers[index, MEASURED_PLACES] = 0.0
            if index == window.end - 1:
                self._slot_numbers[index, GROUND_PLACES] = self._level
        self._intake.write(self._slot_numbers[index], measurement)
        if isinstance(measurement, JointMeasurement) and measurement.time >= self._joints.item(SLOT_TIME):
            self._joints = self._slot_numbers[index].copy()
        if isinstance(measurement, ImuMeasurement):
            # What lies between this sample of the IMU and the one before it was guessed without it.
            while index > window.begin + 1 and self._slot_numbers.item(index - 1, HAS_IMU) == 0.0:
                index -= 1
        window.mark(index)

    def _catch_up(self) -> None:
        """Compute what does not answer to its slot, and freeze what is older than the window."""
        window = self._window
        if window.first_dirty == window.end:
            return
        replay(window.memories, window.slots, window.first_dirty, window.end, self._parameters, self._trees)
        if not all_finite(self._numbers, window.end - 1, self._have_to_be_finite):
            self._put_back()
        window.first_dirty = window.end
        self._outside.see(self._numbers[window.end - 1])
        # Only a sample of the IMU closes the past: until the next one, what is between them is a guess.
        window.freeze(self._slot_numbers[window.begin : window.end, HAS_IMU] > 0.0)

    def _put_back(self) -> None:
        """Drop what led out of the finite, and doubt what follows for a while."""
        window, time = self._window, self._window.newest_time
        self.refusals.add("diverged", f"the filter left the finite at {time:.6f} s; its last good state was put back")
        good = window.end - 1
        while good > window.begin and not all_finite(self._numbers, good, self._have_to_be_finite):
            good -= 1
        window.truncate(good + 1)
        self._doubt_until, self._doubt = time + self._settings.validity.recovery_time, "recovering from samples that led out of the finite"

    def _start_again(self, why: str) -> None:
        """Forget the estimate, but for the place in odom."""
        if self.started:
            self._keep_place()
        self._begin_start(f"{why}: starting again, the robot has to lie or stand still")

    def _begin_start(self, reason: str) -> None:
        self._start.reset(reason)
        self._refused_runs.clear()
        self._guest_pace.clear()
        self._first = np.zeros(SLOT_SIZE)
        self._doubt_until, self._doubt = -math.inf, ""
        self._window.end = 0
        self._newest = -math.inf
        self._heard = {sensor: -math.inf for sensor, _ in SENSORS.values()}
        self._joints = np.zeros(SLOT_SIZE)

    def _keep_place(self) -> None:
        """Remember where the robot is for the next start, so that odom does not jump."""
        self._catch_up()
        self._whereabouts.keep(self._newest, base_estimate(self._memory, self._parameters), self._numbers[self._window.end - 1])

    def _collect(self, measurement: Measurement) -> None:
        """Keep a measurement for the start."""
        self._intake.write(self._first, measurement)
        sensor = SENSORS[type(measurement)][0]
        if sensor in NEEDED:
            self._start.add(sensor, measurement.time, self._first)
        if isinstance(measurement, JointMeasurement):
            self._first[SLOT_TIME] = measurement.time
            self._joints = self._first.copy()

    def _try_start(self) -> None:
        time, model, start = self._start.time, self._model, self._settings.start
        (mean_force, _, mean_joints, _), problems = self._start.mean(), self._start.problems(model, start)
        self._start.clear()
        if self.started:
            if not self._whereabouts.still(problems):
                return
            self._doubt = f"{self._whereabouts.doubts}, though nothing moves: started again where the robot was known to be last"
            self._doubt_until = self._newest + self._settings.validity.recovery_time
            self.refusals.add("lost", self._doubt)
            self._keep_place()
        if problems:
            self._start.reason = "not started: " + "; ".join(problems)
            self._first = np.zeros(SLOT_SIZE)
            return
        memory = resting_state(
            mean_force, model.feet_in_base(mean_joints), self._whereabouts.ground, self._parameters, self._description,
            start.height_standard_deviation**2 + self._whereabouts.ground_variance, self._whereabouts.place, self._whereabouts.variance,
        )  # fmt: skip
        memory["time"] = time
        for name in ("angular_velocity", "specific_force"):
            memory[name] = self._first[PLACE[name]]
        window = self._window
        self._whereabouts.begin(time)
        self._outside.begin()
        index = window.start(time, memory)
        self._slot_numbers[index] = self._first
        for sensor, has in SENSORS.values():
            # What was heard long ago, or by another clock, was true some other time.
            if sensor in NEEDED or not abs(time - self._heard[sensor]) <= start.duration:
                window.slots[has][index] = float(sensor in NEEDED)
        window.slots["time"][index] = time
        # The ground that feet which bear load are believed to stand on: level, and as high as where it starts.
        self._level = (self._whereabouts.ground, 0.0, 0.0, 1.0)
        self._slot_numbers[index, GROUND_PLACES] = self._level
        advance(window.memories, window.slots, index, window.end, self._parameters, self._trees)
