# SPDX-License-Identifier: Apache-2.0
"""The state of a robot that moves in its sagittal plane, by the planar process models and sensors that are late [Levashov 2012, ch. 4]."""

import math

import numpy as np

from surefoot.errors import RobotDescriptionError
from surefoot.estimation.delayed_filter import DelayedFilter, Sensor
from surefoot.estimation.intake import SENSORS, SLOT_SIZE, SLOT_TIME, Intake
from surefoot.estimation.planar.body import pair_difference, planar_body
from surefoot.estimation.planar.contact import NAMES, PlanarContact
from surefoot.estimation.planar.gravity import Gravity
from surefoot.estimation.planar.output import nothing_known, planar_state
from surefoot.estimation.planar.process import DOUBLE_SUPPORT, INPUTS, STATES, Array, PlanarMotors, PlanarProcess
from surefoot.estimation.planar.readings import PlanarReadings
from surefoot.estimation.planar.sensors import PLACE_ROWS, RATE_ROWS, BaseInPlane, BaseSensor, Encoders
from surefoot.estimation.planar.settings import PlanarNoiseSettings
from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import ImuMeasurement, JointMeasurement, Measurement
from surefoot.estimation.start_stamps import NEEDED
from surefoot.estimation.start_window import NOT_STARTED, StartWindow
from surefoot.estimation.timing import EARLY, GUESTS, RefusedRuns, StampGate
from surefoot.robot.description import RobotDescription
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState


class PlanarEstimator:
    """Takes the same measurements as `StateEstimator` and gives out the same states; what it says holds in the plane of x and z of odom.

    It goes in whole steps. Each step hears of each sensor the sample that was taken nearest to it, whenever that comes, as long as it is
    not later than `longest_delay` steps; encoders are carried to the step by their speed. The mode of a step stays what it was when the
    step was made, and is replayed with it. Given out is the state one step ahead, or what lies between. It starts from rest on both feet.

    Attributes:
        refusals: measurements that were not used, by kind; see `StateEstimator`.
        attitude_problem: why the attitude is not known; empty where it is.
    """

    def __init__(self, description: RobotDescription, model: RobotModel, settings: EstimatorSettings) -> None:
        """Args:
        description: names and noise of the sensors.
        model: whose legs are taken in pairs.
        settings: config/estimator.yaml.

        Raises:
            RobotDescriptionError: the URDF has no IMU link, or not on the base.
            ConfigurationError: hips and knees do not turn in the sagittal plane.
        """
        imu = model.attached_frame(description.sensors.imu_link)
        if imu.body != description.base:
            raise RobotDescriptionError(f"IMU link '{imu.name}' is carried by '{imu.body}'; fix it to the base '{description.base}'")
        self.refusals, self.attitude_problem = Refusals(), NOT_STARTED
        self._description, self._model, self._settings, planar = description, model, settings, settings.planar
        self._body, noise = planar_body(model), planar.noise
        self._process = PlanarProcess(
            process_noise(noise, planar.period), (description.foot_radius, planar.slope), planar.period, planar.substeps, self._body.links,
            PlanarMotors(**planar.motors.model_dump()),
        )  # fmt: skip
        sensors = description.sensors
        encoder = math.hypot(sensors.joint_position.standard_deviation, sensors.joint_position.bias_standard_deviation) / math.sqrt(2.0)
        self._encoder_deviation = encoder
        self._base = BaseInPlane(self._body)
        self._sensors: dict[str, Sensor] = {
            "joints": Encoders(encoder),
            "imu": BaseSensor(self._base, RATE_ROWS[2:], (max(sensors.gyroscope.standard_deviation, 1e-4),)),
            "pose": BaseSensor(self._base, PLACE_ROWS, (noise.pose_position, noise.pose_position, noise.pose_pitch)),
        }
        self._intake = Intake(imu.body_from_frame_rotation)
        self._base_from_imu, self._gravity = imu.body_from_frame_rotation, Gravity(planar)
        self._readings = PlanarReadings(self._body, imu.body_from_frame_rotation, planar.period)
        longest = planar.period * max(planar.longest_delay, 1)
        self._stamps = StampGate(self.refusals, longest, settings.validity.restart_gap, EARLY * planar.period)
        timeout = settings.validity.sensor_timeout
        self._refused_runs = RefusedRuns(timeout, max(2, round(timeout * description.control.rate)))
        self._start = StartWindow(settings.start.duration, settings.validity.sensor_timeout)
        self._filter: DelayedFilter | None = None
        self._joints: JointMeasurement | None = None
        self._wanted: tuple[float, Array] | None = None
        self._ahead: tuple[Array, Array, Array, Array] | None = None
        self._x, self._newest = 0.0, -math.inf
        self._heard: dict[str, float] = {}
        self._begin(NOT_STARTED)

    @property
    def started(self) -> bool:
        """Whether the filter runs."""
        return self._filter is not None

    @property
    def diagnostics(self) -> dict[str, str]:
        """The mode, and how often feet came down, left and bounced."""
        contact = self._contact
        counts = {"touchdowns": contact.touchdowns, "liftoffs": contact.liftoffs, "bounces": contact.bounces}
        return {"planar_mode": NAMES[contact.mode]} | {f"planar_{name}": str(count) for name, count in counts.items()}

    def age(self, sensor: str, time: float) -> float:
        """Of the newest sample of a sensor at a time, s; infinite before the first."""
        return time - self._heard[sensor]

    def hear(self, heard: Measurement | Refusal) -> Refusal | None:
        """Take in what a gate made of one sample; a sensor whose samples were none since some time is silent since then."""
        if not isinstance(heard, Refusal):
            return self.take(heard)
        self._heard[heard.sensor] = min(self._heard[heard.sensor], heard.since)
        return heard

    def command(self, time: float, joint_position: Array) -> None:
        """What the motors are asked for from a time on, (12,), rad, where `input` says so; without it they go on as they move."""
        if self._settings.planar.input == "commands" and math.isfinite(time) and np.isfinite(joint_position).all():
            self._wanted = time, self._body.joints(joint_position)

    def take(self, measurement: Measurement) -> Refusal | None:
        """Take one measurement in. Returns why it was refused; None if it was taken, or says nothing to a planar model."""
        sensor, time = SENSORS[type(measurement)][0], measurement.time
        if sensor not in self._sensors:
            return None
        if (refusal := self._refused(measurement, sensor)) is not None:
            return self._refuse(sensor, time, refusal)
        if sensor not in GUESTS:
            self._miss_joints(time)
        if self._filter is not None:
            oldest = self._filter.step - self._settings.planar.longest_delay
            if not self._readings.note(sensor, measurement, oldest):
                return self._refuse(sensor, time, self._stamps.too_old(sensor, time, self._readings.time_of(oldest)))
        self._refused_runs.used(sensor)
        # Only what is used was heard.
        if sensor not in GUESTS:
            self._newest = max(self._newest, time)
        self._heard[sensor] = max(self._heard[sensor], time)
        if isinstance(measurement, JointMeasurement) and (self._joints is None or time >= self._joints.time):
            self._joints = measurement
        if isinstance(measurement, ImuMeasurement):
            self._gravity.note(time, self._readings.rate(measurement), self._base_from_imu @ measurement.specific_force_imu)
        if self._filter is None:
            self._collect(measurement, sensor)
            return None
        if sensor == "joints":
            self._go_on(self._filter, time)
        return None

    def state(self, time: float) -> RobotState:
        """The state at a time, or at the newest measurement if that is later, plus the configured lead."""
        time = max(time, self._newest)
        if self._filter is None or self._joints is None:
            self.attitude_problem = self._start.why_not
            return nothing_known(time, self._joints, self.attitude_problem)
        if self._ahead is None:
            # What comes later counts from the next step on: one replay for each step.
            mean, covariance = self._filter.estimate()
            self._ahead = mean, covariance, *self._filter.ahead(self._control(), self._contact.mode)
        if not all(np.isfinite(part).all() for part in self._ahead):
            self.attitude_problem = "the filter left the finite"
            return nothing_known(time, self._joints, self.attitude_problem)
        mean, covariance, ahead, ahead_covariance = self._ahead
        planar, longest = self._settings.planar, 2.0 * self._settings.validity.sensor_timeout
        part = min(time + self._settings.window.lead - self._readings.time_of(self._filter.step), longest) / planar.period
        sure = min(max(part, 0.0), 1.0)
        base = self._base.at(mean + part * (ahead - mean))
        spread = base.jacobian @ ((1.0 - sure) * covariance + sure * ahead_covariance) @ base.jacobian.T
        reasons = self._reasons(time, float(base.value[2]), spread)
        return planar_state(
            time, base.value, spread, self._joints, min(time + self._settings.window.lead - self._joints.time, longest),
            self._contact.mode, planar.out_of_plane, math.sqrt(2.0) * self._encoder_deviation, reasons,
        )  # fmt: skip

    def _reasons(self, time: float, pitch: float, spread: Array) -> str:
        """Everything that speaks against walking on the state of a time."""
        validity = self._settings.validity
        reasons = [
            f"no sensor data came from {sensor} for {age:.3f} s" for sensor in NEEDED
            if not (age := self.age(sensor, time)) <= validity.sensor_timeout + (self._stamps.gap if sensor == "imu" else 0.0)
        ]  # fmt: skip
        reasons += [complaint for sensor in NEEDED if (complaint := self._refused_runs.complaint(sensor))]
        reasons += [doubt] if (doubt := self._gravity.doubt(pitch)) else []
        self.attitude_problem = "; ".join(reasons)
        assert self._joints is not None
        apart = pair_difference(self._joints.position)
        if apart > self._settings.planar.pair_tolerance:
            limit = self._settings.planar.pair_tolerance
            reasons.append(f"not planar: the legs of a pair are {apart:.2f} rad apart, limit {limit:.2f} rad; use process 'spatial'")
        deviation = np.sqrt(np.maximum(spread.diagonal(), 0.0))
        limits = (
            ("height", deviation[1], validity.height_standard_deviation, "m"),
            ("pitch", deviation[2], validity.tilt_standard_deviation, "rad"),
            ("velocity", deviation[3:5].max(), validity.velocity_standard_deviation, "m/s"),
        )  # fmt: skip
        reasons += [f"{what} known to {value:.3f} {unit}, limit {most} {unit}" for what, value, most, unit in limits if not value <= most]
        return "; ".join(reasons)

    def _refused(self, measurement: Measurement, sensor: str) -> Refusal | None:
        """Look at the numbers and at the stamp of a measurement; may start everything again."""
        time = measurement.time
        if not self._intake.finite(measurement):
            return self.refusals.add("not_finite", f"the sample of {sensor} of {time:.6f} s has a value that is not finite")
        if sensor in GUESTS:
            return self._stamps.of_a_guest(sensor, time, self._newest) or self._readings.incomplete(measurement, self.refusals)
        if math.isfinite(self._newest) or not math.isfinite(time):
            jumped = self._stamps.check(sensor, time, self._newest)
            if isinstance(jumped, Refusal):
                return jumped
            if jumped:
                self._start_again(self._stamps.words_of_jump(sensor, time - self._newest))
        if time == self._heard[sensor]:
            return self.refusals.add("stamp_repeated", f"stamp {time:.6f} s of {sensor} came twice")
        if self._filter is None and time < self._heard[sensor]:
            return self._stamps.too_old(sensor, time, self._heard[sensor])
        return None

    def _refuse(self, sensor: str, time: float, refusal: Refusal) -> Refusal:
        """Notice a sensor of which nothing can be used any more, and start again where that is because the clock went back."""
        if sensor in NEEDED:
            self._refused_runs.refused(sensor, time, refusal.words)
            back = self._refused_runs.gone_back(NEEDED, self._newest)
            if back > 0.0:
                self._start_again(f"the clock went back by {back:.2f} s")
        return refusal

    def _miss_joints(self, time: float) -> None:
        """Start again where the joints, which make the steps, are further behind a sample of a time, s, than anybody may guess."""
        behind = 0.0 if self._filter is None else time - self._readings.time_of(self._filter.step)
        if behind > self._settings.validity.restart_gap:
            self._start_again(f"no joint states came for {behind:.2f} s")

    def _go_on(self, filter_: DelayedFilter, time: float) -> None:
        """Make the steps up to a time, s."""
        while self._readings.time_of(filter_.step + 1) <= time + 1e-9:
            self._flush(filter_)
            mean, covariance = filter_.estimate()
            if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
                self.refusals.add("diverged", f"the filter left the finite at {self._readings.time_of(filter_.step):.3f} s")
                self._filter = None  # Nobody is to read a place out of it.
                self._start_again("the filter left the finite")
                return
            control = self._control()
            if self._contact.mode != DOUBLE_SUPPORT and self._gravity.doubt(float(self._base.at(mean).value[2])):
                self._contact.set_down(filter_.step)
            filter_.advance(control, self._contact.look(mean, control, filter_.step))
            self._flush(filter_)
            self._ahead = None

    def _flush(self, filter_: DelayedFilter) -> None:
        for sensor, step, reading in self._readings.until(filter_.step):
            filter_.measure(sensor, step, reading)

    def _control(self) -> Array:
        """What the motors are asked for, (4,): by the last word of it, as long as that is not stale; then nobody knows."""
        if self._wanted is not None and abs(self._newest - self._wanted[0]) <= self._settings.validity.sensor_timeout:
            return self._wanted[1]
        return np.full(INPUTS, np.nan)

    def _start_again(self, why: str) -> None:
        self._begin(f"{why}: starting again, the robot has to lie or stand still")

    def _begin(self, reason: str) -> None:
        if self._filter is not None:
            x = float(self._base.at(self._filter.estimate()[0]).value[0])
            self._x = x if math.isfinite(x) else self._x
        self._filter = self._joints = self._wanted = self._ahead = None
        self._contact = PlanarContact(self._process, self._settings.planar)
        self._start.reset(reason)
        self._readings.clear()
        self._gravity.clear()
        self._refused_runs.clear()
        self._first, self._newest = np.zeros(SLOT_SIZE), -math.inf
        self._heard = {sensor: -math.inf for sensor, _ in SENSORS.values()}

    def _collect(self, measurement: Measurement, sensor: str) -> None:
        """Keep a measurement for the start, and start when there are enough."""
        self._intake.write(self._first, measurement)
        if sensor not in NEEDED:
            return
        if sensor == "joints":
            self._first[SLOT_TIME] = measurement.time
        self._start.add(sensor, measurement.time, self._first)
        if not self._start.full:
            return
        _, rate, joints, _ = self._start.mean()
        problems, time = self._start.problems(self._model, self._settings.start), self._start.time
        self._start.clear()
        if problems:
            self._start.reason = "not started: " + "; ".join(problems)
            return
        self._readings.begin(time, -float(rate[1]))
        state = np.zeros(STATES)
        state[3:7] = self._body.joints(joints)
        state = self._process.moved(state, state[3:7], DOUBLE_SUPPORT)
        state[:2] += (self._x - self._base.at(state).value[0]) * np.array([1.0, self._settings.planar.slope])
        sensors = self._description.sensors
        deviation = np.concatenate((np.full(2, 1e-3), [5e-3], np.full(4, self._encoder_deviation), np.full(7, 0.02)))
        deviation[9] = max(sensors.gyroscope.bias_standard_deviation, 1e-3)
        covariance = np.diag(deviation**2)
        self._filter = DelayedFilter(self._process, self._sensors, self._settings.planar.longest_delay, state, covariance)


def process_noise(noise: PlanarNoiseSettings, period: float) -> Array:
    """Covariance that a step adds in each mode, (3, 14, 14). What changes a rate does so in the middle of the step."""
    rows = []
    for pitch_rate in (noise.pitch_rate, noise.pitch_rate, noise.double_support_pitch_rate):
        place, speed = [noise.place] * 2, [noise.speed] * 2
        apart = np.diag(np.square([*place, noise.pitch, *[noise.joint] * 4, *np.zeros(7)]))
        moved = np.vstack((0.5 * period * np.eye(7), np.eye(7))) * [*speed, pitch_rate, *[noise.joint_rate] * 4]
        rows.append(apart + moved @ moved.T)
    return np.array(rows)
