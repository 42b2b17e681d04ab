# SPDX-License-Identifier: Apache-2.0
"""Runs estimators over a spoilt stream and compares what they say with what was true."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.rotation import rotation_from_vector
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import FootForceMeasurement, ImuMeasurement, JointMeasurement, Measurement
from surefoot.evaluation.sensor_faults import Arrival, SensorFaults
from surefoot.evaluation.sensor_stream import SensorStream
from surefoot.robot.model import RobotModel
from surefoot.robot.spatial import rotation_vector, yaw_of
from surefoot.rotation import rotation_matrix

Array = NDArray[np.float64]

STILL_UNTIL = 2.5
"""s. Until then the robot of a recorded walk certainly stands: the plain filters learn there what ours finds out by itself."""


@dataclass(frozen=True)
class Track:
    """What an estimator said at m instants, and how wrong that was.

    Attributes:
        time: of each instant, (m,), s.
        way: how far the robot had gone by then since the stream began, (m,), m.
        error: truth less estimate of position, orientation (vector, odom axes) and linear velocity, (m, 9), m, rad, m/s. The origin of
            odom is where the robot really is at the first instant: there, by its definition, an estimator starts.
        pose_covariance, twist_covariance: (m, 6, 6) as in RobotState; None for an estimator that has none.
        innovations: of place and speed, sums so far of the squared distances of the feet's innovations, given those before and each by
            itself, and of their dimensions, (m, 2, 3), or None.
        invalid: part of the instants that the estimator itself declared invalid.
    """

    time: Array
    way: Array
    error: Array
    pose_covariance: Array | None = None
    twist_covariance: Array | None = None
    innovations: Array | None = None
    invalid: float = 0.0


def run_estimator(
    model: RobotModel, settings: EstimatorSettings, faults: SensorFaults, stream: SensorStream, arrivals: list[Arrival],
    use_stamps: bool = True, every: int = 10,
) -> Track:  # fmt: skip
    """Our estimator.

    Args:
        model, settings: of the robot and of the filter.
        faults: from which the filter knows how good the sensors are.
        stream: the truth.
        arrivals: measurements in the order of their arrival.
        use_stamps: let it know when each was sampled; otherwise the newest of each sensor counts as sampled when it arrives.
        every: ticks between two instants at which it is asked. When it is asked has no influence on what it says.
    """
    estimator = StateEstimator(faults.described(model.description), model, settings)
    index, errors, poses, twists, sums, invalid, asked, next_arrival = [], [], [], [], [], 0, 0, 0
    for k, time in enumerate(stream.time.tolist()):
        come: list[Measurement] = []
        while next_arrival < len(arrivals) and arrivals[next_arrival].time <= time:
            come.append(arrivals[next_arrival].measurement)
            next_arrival += 1
        if not use_stamps:
            come = [replace(one, time=time) for one in {type(one): one for one in come}.values()]
        for measurement in come:
            estimator.take(measurement)
        if k % every == 0:
            state = estimator.state(time)
            if not estimator.started:
                continue
            asked += 1
            invalid += not state.valid
            index.append(k)
            errors.append(
                _error(stream, index[0], k, state.base_position, rotation_matrix(state.base_quaternion), state.base_linear_velocity)
            )
            poses.append(state.pose_covariance)
            twists.append(state.twist_covariance)
            sums.append(estimator.innovations)
    way, part = stream.way()[index], invalid / max(1, asked)
    return Track(stream.time[index], way, np.array(errors), np.array(poses), np.array(twists), np.array(sums), part)


class PlainFilter(Protocol):
    """A filter that takes each measurement for what is now."""

    rotation: Array

    @property
    def base_position(self) -> Array:
        """In odom, (3,), m."""
        ...

    @property
    def base_velocity(self) -> Array:
        """In the axes of odom, (3,), m/s."""
        ...

    def imu(self, angular_velocity_imu: Array, specific_force_imu: Array, step: float, resting: bool) -> None:
        """One sample of the IMU, (3,) each, the time since the last one, s, and whether the robot certainly rests."""
        ...

    def joints(self, position: Array, velocity: Array, in_contact: NDArray[np.bool_], step: float) -> None:
        """One sample of the joints, (12,) each, the feet in contact, (4,), and the time since the last one, s."""
        ...


def run_plain(
    model: RobotModel, settings: EstimatorSettings, stream: SensorStream, arrivals: list[Arrival], plain: PlainFilter, every: int = 10
) -> Track:
    """A filter without a window: each measurement counts when it arrives, and a foot is in contact when its force sensor says so.

    Args:
        plain: the filter.

    Other arguments as in `run_estimator`.
    """
    begin = model.description.control.foot_force_threshold
    end = begin * settings.contact.release_ratio
    contact, index, errors, next_arrival = np.zeros(4, dtype=np.bool_), [], [], 0
    last: dict[type, float] = {}
    for k, time in enumerate(stream.time.tolist()):
        while next_arrival < len(arrivals) and arrivals[next_arrival].time <= time:
            measurement = arrivals[next_arrival].measurement
            next_arrival += 1
            before = last.get(type(measurement), measurement.time)
            last[type(measurement)] = max(measurement.time, before)
            step = measurement.time - before
            if isinstance(measurement, FootForceMeasurement):
                contact = measurement.force_base[:, 2] > np.where(contact, end, begin)
            elif step > 0.0 and isinstance(measurement, ImuMeasurement):
                plain.imu(measurement.angular_velocity_imu, measurement.specific_force_imu, step, time < STILL_UNTIL)
            elif step > 0.0 and isinstance(measurement, JointMeasurement):
                plain.joints(measurement.position, measurement.velocity, contact, step)
        if k % every == 0 and time > 0.5:
            index.append(k)
            errors.append(_error(stream, index[0], k, plain.base_position, plain.rotation, plain.base_velocity))
    return Track(stream.time[index], stream.way()[index], np.array(errors))


def _error(stream: SensorStream, first: int, k: int, position: Array, rotation: Array, velocity: Array) -> Array:
    """Truth at instant k less an estimate; x, y and yaw count from those at instant `first`, and the velocity is that along the base."""
    turn, yaw = np.empty(3), yaw_of(rotation_matrix(stream.quaternion[first]))
    odom_from_world = rotation_from_vector(0.0, 0.0, -yaw)
    truth = odom_from_world @ (stream.position[k] - [*stream.position[first, :2], 0.0])
    world_from_base = rotation_matrix(stream.quaternion[k])
    rotation_vector(np.ascontiguousarray(odom_from_world @ world_from_base @ rotation.T), turn)
    along_the_base = rotation @ world_from_base.T @ stream.linear_velocity[k]
    return np.concatenate((truth - position, turn, along_the_base - velocity))
