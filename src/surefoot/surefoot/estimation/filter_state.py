# SPDX-License-Identifier: Apache-2.0
"""The memory of the filter in one record: `state.copy()` keeps it, assignment brings it back, so a window of samples can be replayed."""

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.flat import columns_of
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.description import RobotDescription
from surefoot.robot.model import GRAVITY

Array = NDArray[np.float64]
Records = NDArray[np.void]
"""An array of records; the estimator's hold one."""

ERRORS = 27
POSITION, VELOCITY, ORIENTATION, GYROSCOPE_BIAS, ACCELEROMETER_BIAS, FEET = 0, 3, 6, 9, 12, 15
"""First index of each part of the error state (27,).

True orientation = exp(error in odom axes) @ estimate; everything else: truth = estimate + error."""
ZEROS = 12
"""Joints whose zeros may be wrong."""
PHASES = 40
"""Parts of a step, from the last time at which a foot was lifted off, by which the unrest of the force is told apart."""

FILTER_STATE = np.dtype(
    [
        ("position", np.float64, (3,)),
        ("velocity", np.float64, (3,)),
        ("rotation", np.float64, (3, 3)),
        ("gyroscope_bias", np.float64, (3,)),
        ("accelerometer_bias", np.float64, (3,)),
        ("feet", np.float64, (4, 3)),
        ("moved_by", np.float64, (6, 3)),
        ("covariance", np.float64, (ERRORS, ERRORS)),
        ("zero_effect", np.float64, (ERRORS, ZEROS)),
        ("angular_velocity", np.float64, (3,)),
        ("specific_force", np.float64, (3,)),
        ("slow_rate", np.float64, (3,)),
        ("slow_force", np.float64, (3,)),
        ("rate_walk", np.float64, (3,)),
        ("mean_force", np.float64, (3,)),
        ("force_spread", np.float64, (3,)),
        ("force_unrest", np.float64, (3,)),
        ("settled_bias", np.float64, (3,)),
        ("step_begun", np.float64),
        ("unrest_share", np.float64, (PHASES, 3)),
        ("shank_rate", np.float64, (4, 3)),
        ("foot_held", np.float64, (4,)),
        ("foot_left_out", np.float64, (4,)),
        ("contact_for", np.float64, (4,)),
        ("loaded_for", np.float64, (4,)),
        ("load", np.float64, (4,)),
        ("load_ratio", np.float64, (4,)),
        ("slip_ratio", np.float64, (4,)),
        ("slip_time", np.float64, (4,)),
        ("all_left_out", np.float64),
        ("disagreed_for", np.float64),
        ("time", np.float64),
        ("imu_time", np.float64),
        ("imu_span", np.float64),
        ("joint_time", np.float64),
        ("trust_after", np.float64),
        ("silence", np.float64),
        ("rest_watched", np.float64),
        ("rest_rate", np.float64, (3,)),
        ("rest_variance", np.float64, (3,)),
        ("rest_joints", np.float64, (12,)),
        ("quiet_for", np.float64),
        ("torque_watched", np.float64),
        ("torque_velocity", np.float64, (12,)),
        ("joint_torque", np.float64, (12,)),
        ("foot_force", np.float64, (4, 3)),
        ("foot_force_time", np.float64, (4,)),
        ("in_contact", np.float64, (4,)),
        ("contact_log_odds", np.float64, (4,)),
        ("contact_probability", np.float64, (4,)),
        ("contact_evidence", np.float64, (4, 3)),
        ("bears_load", np.float64, (4, 2)),
        ("contact_missed", np.float64, (4, 2)),
        ("contact_invented", np.float64, (4, 2)),
        ("foot_speed_squared", np.float64, (4,)),
        ("field_heading", np.float64),
        ("field_watched", np.float64),
        ("field_floor", np.float64),
        ("pose_refused", np.float64),
        ("pose_refused_in_a_row", np.float64),
        ("field_refused", np.float64),
        ("block_white", np.float64, (2, 4, 3)),
        ("block_zeros", np.float64, (2, 4, 3, ZEROS)),
        ("block_count", np.float64, (2, 4)),
        ("block_time", np.float64, (2, 4)),
        ("told_zeros", np.float64, (ZEROS,)),
        ("told_variance", np.float64, (ZEROS, ZEROS)),
        ("innovation_distance", np.float64, (2, 2)),
        ("innovation_size", np.float64, (2,)),
    ]
)
"""Fields; every one is float64, so the record is also one flat array.

- position, velocity: of the IMU's origin in odom (m, m/s): there the accelerometer needs no lever arm.
- rotation: odom_from_base.
- gyroscope_bias, accelerometer_bias: in base axes (rad/s, m/s^2).
- feet: foot centres in odom (m); of a foot in the air the last estimate.
- moved_by: by what corrections have moved position, velocity and feet since their errors last followed (unseen.py).
- covariance: of the error state by all that is white; rows of feet in the air are zero.
- zero_effect: what a joint's zero that is wrong by one standard deviation has done to the error state (consider.py).
- angular_velocity, specific_force: last sample in base axes (rad/s, m/s^2).
- slow_rate, slow_force: low-pass of the same; rate_walk: how fast the variance of the rate's change grows of late, by what is left over the
  low-pass ((rad/s)^2/s).
- mean_force, force_spread, force_unrest: mean of the specific force of late, and its variance about that and about slow_force (m/s^2,
  (m/s^2)^2); settled_bias: of the accelerometer when the last sample came (imu_extrapolation.py).
- step_begun: when a foot that stood was last lifted off (s).
- unrest_share: how many times its mean the unrest is in each part of the time since then.
- shank_rate: last angular velocity of the last link of each leg in odom (rad/s).
- foot_held: 1 for feet that are part of the state.
- contact_for: how long a foot has been in contact; loaded_for: how long it has borne load without a break (s).
- load: the force along the ground's normal that was last known (N).
- load_ratio: tangential by normal force, as last known.
- slip_ratio: the mean of the same while the foot slipped; slip_time: for how long it did, less what was forgotten (s).
- foot_left_out: for how long a foot in contact has been left out (s); all_left_out: for how long all of them have been, or rest (s).
- disagreed_for: for how long legs and IMU have disagreed, less what was forgotten (disagreement.py) (s).
- time, imu_time, joint_time: of this memory and of the last samples in it (s); imu_span: between the last two samples of the IMU (s).
- trust_after: until then the estimate recovers from a silence of the sensors that took `silence` (s).
- rest_...: averages of the rest detector, and for how long nothing has moved (s).
- torque_velocity, joint_torque: low-pass of joint velocities and of torques less friction (rad/s, N m).
- foot_force, foot_force_time: last sample of each foot's force sensor, in base axes (N, s).
- in_contact, contact_log_odds, contact_probability: of each foot.
- contact_evidence: what each source (contact.py) said last, in log-odds; not a number where it says nothing.
- bears_load: 1 where force sensor or torque says more than the force at which contact begins, in whatever direction.
- contact_missed, contact_invented: how often force sensor and torque say no contact when there is some, and the reverse, of late.
- foot_speed_squared: of what is left of a foot's velocity when it is taken to roll, at the last sample of the joints ((m/s)^2).
- block_...: sums over the innovations of each foot's place and speed that make up one block so far (innovations.py): in units of their
  standard deviation, what the zeros add to them, their number and their time (s).
- told_zeros, told_variance: what the blocks so far tell of the zeros, in their standard deviations, and what their covariance is less by.
- innovation_distance, innovation_size: of place and speed of the feet, sums of the squared distances of the blocks, given those before and
  each by itself, and of their dimensions. What lies outside of the gate is not among them.
- pose_refused, field_refused: how many absolute poses and magnetic fields lay outside of the gate; ..._in_a_row: without one inside.
- field_heading: where the magnetic field points in odom (rad); field_watched: the sum of the inverse variances of the samples of which that
  is the mean (1/rad^2); field_floor: below which the field may not bring the variance of the heading, 0 while that mean is taken (rad^2).

What was never seen has 0 in its ..._watched; times begin at minus infinity.
"""

START_TILT = 0.003
"""Of the first roll and pitch beyond the accelerometer's bias, rad: what a robot sways while it stands still."""

MAY_BE_INFINITE = ("imu_time", "joint_time", "step_begun", "trust_after", "foot_force_time", "joint_torque", "contact_evidence")
"""Fields of the memory that are infinite, or not a number, as long as something was not measured."""


def finite_columns(memory_type: np.dtype[np.void]) -> NDArray[np.intp]:
    """Which numbers of a memory, taken as one flat array, have to be finite."""
    places = np.arange(memory_type.itemsize // 8)
    return np.concatenate([places[where] for name, where in columns_of(memory_type).items() if name not in MAY_BE_INFINITE])


FILTER_PARAMETERS = np.dtype(
    [
        ("imu_in_base", np.float64, (3,)),
        ("gravity", np.float64),
        ("foot_radius", np.float64),
        ("gyroscope_variance", np.float64),
        ("accelerometer_variance", np.float64),
        ("rate_variance", np.float64),
        ("acceleration_variance", np.float64),
        ("rate_change_variance", np.float64),
        ("acceleration_change_variance", np.float64),
        ("gyroscope_bias_walk_variance", np.float64),
        ("accelerometer_bias_walk_variance", np.float64),
        ("joint_position_variance", np.float64),
        ("encoder_variance", np.float64),
        ("zero_deviation", np.float64),
        ("joint_velocity_variance", np.float64),
        ("foot_variance", np.float64),
        ("foot_walk_variance", np.float64),
        ("foot_sink_variance", np.float64),
        ("foot_creep_spread_variance", np.float64),
        ("settling_time", np.float64),
        ("innovation_time", np.float64),
        ("slip_variance", np.float64),
        ("sink_variance", np.float64),
        ("touchdown_speed_variance", np.float64),
        ("slide_time", np.float64),
        ("sink_time", np.float64),
        ("use_foot_velocity", np.float64),
        ("rest_velocity_variance", np.float64),
        ("rest_tremble_variance", np.float64),
        ("rest_sway_variance", np.float64),
        ("ground_height_variance", np.float64),
        ("ground_height_time", np.float64),
        ("innovation_gate", np.float64),
        ("foot_reset_time", np.float64),
        ("rejection_acceleration_variance", np.float64),
        ("rejection_time", np.float64),
        ("least_force_walk", np.float64),
        ("least_rate_walk", np.float64),
        ("walk_time", np.float64),
        ("force_time", np.float64),
        ("walk_memory", np.float64),
        ("rest_rate_limit", np.float64),
        ("rest_variance_limit", np.float64),
        ("rest_travel_limit", np.float64),
        ("rest_time", np.float64),
        ("rest_gyroscope_time", np.float64),
        ("contact_begin", np.float64),
        ("contact_end", np.float64),
        ("contact_scale", np.float64),
        ("contact_evidence", np.float64),
        ("contact_certainty", np.float64),
        ("stillness_evidence", np.float64),
        ("swing_variance", np.float64),
        ("trust_time", np.float64),
        ("jacobian_damping", np.float64),
        ("torque_time_constant", np.float64),
        ("friction_memory", np.float64),
        ("viscous_friction", np.float64),
        ("dry_friction", np.float64),
        ("sensor_timeout", np.float64),
        ("recovery_time", np.float64),
    ]
)
"""The settings as compiled code takes them: standard deviations squared, walks per second."""


def filter_parameters(description: RobotDescription, imu_in_base: Array, estimator: EstimatorSettings) -> Records:
    """One record (1,) of FILTER_PARAMETERS.

    Args:
        description: whose sensor noise, thresholds and friction count.
        imu_in_base: origin of the IMU link, (3,), m.
        estimator: everything else.
    """
    sensors, settings, rest, contact = description.sensors, estimator.filter, estimator.rest, estimator.contact
    joint, gyroscope, threshold = sensors.joint_position, sensors.gyroscope, description.control.foot_force_threshold
    values = {
        "imu_in_base": imu_in_base,
        "gravity": GRAVITY,
        "foot_radius": description.foot_radius,
        "gyroscope_variance": sensors.gyroscope.standard_deviation**2,
        "accelerometer_variance": sensors.accelerometer.standard_deviation**2,
        "rate_variance": settings.rate_standard_deviation**2,
        "acceleration_variance": settings.acceleration_standard_deviation**2,
        "rate_change_variance": settings.rate_change**2,
        "acceleration_change_variance": settings.acceleration_change**2,
        "gyroscope_bias_walk_variance": settings.gyroscope_bias_walk**2,
        "accelerometer_bias_walk_variance": settings.accelerometer_bias_walk**2,
        "joint_position_variance": joint.standard_deviation**2 + joint.bias_standard_deviation**2,
        # A joint's wrong zero is the same all the time: it is considered, and only what changes from sample to sample is noise.
        "encoder_variance": joint.standard_deviation**2,
        "zero_deviation": joint.bias_standard_deviation,
        "joint_velocity_variance": sensors.joint_velocity.standard_deviation**2,
        "foot_variance": settings.foot_standard_deviation**2,
        "foot_walk_variance": (settings.foot_walk * description.stand_height) ** 2,
        "foot_sink_variance": (settings.foot_sink * description.stand_height) ** 2,
        "foot_creep_spread_variance": settings.foot_creep_spread**2,
        "settling_time": settings.settling_time,
        "slip_variance": settings.slip_standard_deviation**2,
        "innovation_time": settings.innovation_time,
        "sink_variance": settings.sink_standard_deviation**2,
        "touchdown_speed_variance": settings.touchdown_speed**2,
        "slide_time": settings.slide_time,
        "sink_time": settings.sink_time,
        "use_foot_velocity": float(settings.use_foot_velocity),
        "rest_velocity_variance": rest.velocity_standard_deviation**2,
        "rest_tremble_variance": rest.angular_velocity_standard_deviation**2,
        "rest_sway_variance": rest.sway_standard_deviation**2,
        "ground_height_variance": settings.ground_height_standard_deviation**2,
        "ground_height_time": settings.ground_height_time,
        "innovation_gate": settings.innovation_gate,
        "foot_reset_time": settings.foot_reset_time,
        "rejection_acceleration_variance": settings.rejection_acceleration**2,
        "rejection_time": estimator.validity.rejection_time,
        "least_force_walk": settings.held_acceleration_walk**2,
        "least_rate_walk": settings.held_rate_walk**2,
        "walk_time": settings.held_rate_time,
        "force_time": settings.held_acceleration_time,
        "walk_memory": settings.held_memory,
        "rest_rate_limit": rest.gyroscope_limit + 3.0 * gyroscope.bias_standard_deviation + 2.0 * gyroscope.standard_deviation,
        # A sensor without noise still trembles a little on a robot that rests.
        "rest_variance_limit": (rest.deviation_factor * max(gyroscope.standard_deviation, rest.gyroscope_limit)) ** 2,
        "rest_travel_limit": rest.joint_travel_limit + 4.0 * joint.standard_deviation,
        "rest_time": rest.time,
        "rest_gyroscope_time": rest.gyroscope_time,
        "contact_begin": threshold,
        "contact_end": threshold * contact.release_ratio,
        "contact_scale": threshold * contact.softness,
        "contact_evidence": contact.evidence,
        "contact_certainty": contact.certainty,
        "stillness_evidence": contact.stillness_evidence,
        "swing_variance": contact.swing_speed**2,
        "trust_time": contact.trust_time,
        "jacobian_damping": contact.jacobian_damping,
        "torque_time_constant": contact.torque_time_constant,
        "friction_memory": contact.friction_memory,
        "viscous_friction": description.servos.viscous_friction,
        "dry_friction": description.servos.friction,
        "sensor_timeout": estimator.validity.sensor_timeout,
        "recovery_time": estimator.validity.recovery_time,
    }
    records = np.zeros(1, FILTER_PARAMETERS)
    for name, value in values.items():
        records[name] = value
    return records


def resting_state(
    specific_force: Array,
    feet_in_base: Array,
    ground_height: float,
    parameters: Records,
    description: RobotDescription,
    height_variance: float,
    place: Array,
    place_variance: Array,
) -> Records:
    """A new state (1,): at rest at the given place, roll and pitch by gravity, the lowest foot on flat ground.

    Args:
        specific_force: averaged at rest, in base axes, (3,), m/s^2.
        feet_in_base: foot centres, (4, 3), m.
        ground_height: in odom, m.
        parameters: of the filter, (1,).
        description: whose sensor biases count.
        height_variance: m^2.
        place: x (m), y (m) and yaw (rad) of the base in odom.
        place_variance: of these, (3,).
    """
    records = np.zeros(1, FILTER_STATE)
    sine, cosine = np.sin(place[2]), np.cos(place[2])
    rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]]) @ level_rotation(specific_force)
    arm = rotation @ parameters["imu_in_base"][0]
    feet = feet_in_base @ rotation.T
    height = ground_height + description.foot_radius - feet[:, 2].min()
    records["rotation"] = rotation
    base = np.array([place[0], place[1], height])
    records["position"] = base + arm
    records["feet"] = base + feet
    records["specific_force"] = records["slow_force"] = records["mean_force"] = specific_force
    for name in ("imu_time", "joint_time", "step_begun", "trust_after", "foot_force_time"):
        records[name] = -np.inf
    records["contact_evidence"] = np.nan

    covariance = np.zeros((ERRORS, ERRORS))
    gyroscope, accelerometer = description.sensors.gyroscope, description.sensors.accelerometer
    bias_variance = accelerometer.bias_standard_deviation**2
    # The accelerometer's bias tilts the first orientation: error = z x (bias in odom) / g, the same bias that the filter estimates.
    tilt_from_bias = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]) @ rotation / parameters["gravity"][0]
    tilt = slice(ORIENTATION, ORIENTATION + 3)
    bias = slice(ACCELEROMETER_BIAS, ACCELEROMETER_BIAS + 3)
    covariance[tilt, tilt] = tilt_from_bias @ tilt_from_bias.T * bias_variance + np.diag((START_TILT**2, START_TILT**2, place_variance[2]))
    covariance[tilt, bias] = tilt_from_bias * bias_variance
    covariance[bias, tilt] = covariance[tilt, bias].T
    covariance[bias, bias] = np.eye(3) * bias_variance
    gyroscope_bias = slice(GYROSCOPE_BIAS, GYROSCOPE_BIAS + 3)
    covariance[gyroscope_bias, gyroscope_bias] = np.eye(3) * gyroscope.bias_standard_deviation**2
    covariance[POSITION : POSITION + 3, POSITION : POSITION + 3] = np.diag((place_variance[0], place_variance[1], height_variance))
    covariance[VELOCITY : VELOCITY + 3, VELOCITY : VELOCITY + 3] = np.eye(3) * 1e-4
    records["covariance"] = covariance
    return records


def level_rotation(specific_force: Array) -> Array:
    """odom_from_base (3, 3) with yaw 0 in which the specific force (3,) of a resting base points up."""
    x, y, z = specific_force
    roll, pitch = np.arctan2(y, z), np.arctan2(-x, np.hypot(y, z))
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    return np.array([[cp, sp * sr, sp * cr], [0.0, cr, -sr], [-sp, cp * sr, cp * cr]])
