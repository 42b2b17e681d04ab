# SPDX-License-Identifier: Apache-2.0
"""Parameters of the state estimator, as config/estimator.yaml gives them. What belongs to a robot's sensors is in the robot's YAML."""

from typing import Annotated, Literal

from pydantic import Field

from surefoot.estimation.planar.settings import PlanarSettings
from surefoot.settings import Settings

Positive = Annotated[float, Field(gt=0.0)]
NotNegative = Annotated[float, Field(ge=0.0)]
Ratio = Annotated[float, Field(gt=0.0, le=1.0)]
Angle = Annotated[float, Field(gt=0.0, le=1.5)]


class GateSettings(Settings):
    """What the gate does with sensor data that is incomplete, or cannot be."""

    missing_velocity: Literal["differentiate", "refuse"]
    """Joint velocities that are not measured are differentiated from the positions, or the sample is refused."""
    velocity_cutoff: Positive
    """Of the low-pass on differentiated velocities, Hz."""
    angular_velocity_limit: Positive
    """A gyroscope that says more is not believed, rad/s."""
    specific_force_limit: Positive
    """An accelerometer that says more is not believed, m/s^2."""
    frozen_motion: Positive
    """An IMU that says the same to the last digit while a joint moves by more than this is not believed, nor are joints while the IMU turns
    by half of it, rad."""
    position_margin: NotNegative
    """A joint that says to be further beyond its limits is not believed, rad."""
    position_jump: Positive
    """Nor is one that has got further than this and its speed from one sample to the next, unless the next one says so too, rad."""
    velocity_factor: Annotated[float, Field(ge=1.0)]
    """Nor one that says to be so many times as fast as its limit."""
    effort_factor: Annotated[float, Field(ge=1.0)]
    """Nor one that says to bear so many times its limit."""
    foot_force_factor: Annotated[float, Field(ge=1.0)]
    """A foot that says to bear so many times the weight of the robot is not believed."""


class StartSettings(Settings):
    """Checks and first guesses while the robot still lies or stands."""

    duration: Positive
    """Over which the first samples are averaged, s."""
    gravity_tolerance: Positive
    """Allowed difference of the measured specific force from 9.81, m/s^2."""
    tilt_limit: Angle
    """Allowed angle between measured gravity and the base's vertical, rad."""
    gyroscope_limit: Positive
    """Largest averaged rate that still counts as lying still, rad/s."""
    joint_travel_limit: Positive
    """Between the least and the largest position of a joint that still counts as lying still, rad."""
    joint_limit_tolerance: NotNegative
    """How far a joint may be beyond its limits, rad."""
    joint_speed_tolerance: Positive
    """Largest averaged speed of a joint whose position stays, rad/s."""
    height_standard_deviation: Positive
    """Of the first height, which takes the lowest foot to be on the ground, m."""
    place_standard_deviation: Positive
    """Of x and y (m) and of the yaw (rad) at the start, which are the origin of odom; large where somebody outside knows better."""


class RestSettings(Settings):
    """When the robot counts as not moving, so that its velocity is zero and the gyroscope shows its bias."""

    time: Positive
    """For which everything has to stay quiet, and time constant of the average that joints are compared with, s."""
    gyroscope_time: Positive
    """Time constant of the average of the gyroscope, s."""
    gyroscope_limit: Positive
    """Largest averaged rate beyond the gyroscope's bias (three standard deviations) and noise (two), rad/s."""
    deviation_factor: Positive
    """Largest standard deviation of the gyroscope, as a multiple of its noise (or of the limit above, if that is larger)."""
    joint_travel_limit: Positive
    """Largest distance of a joint from its recent average beyond encoder noise, rad."""
    velocity_standard_deviation: Positive
    """Of the zero velocity, m/s."""
    angular_velocity_standard_deviation: NotNegative
    """Of the zero angular velocity, beyond the gyroscope's noise: how a robot trembles that lies still, rad/s."""
    sway_standard_deviation: NotNegative
    """The same of a robot with a foot on the ground, rad/s. It is balanced, and a sway lasts longer than a sample: taken for white noise
    of its own size it would be learned as the bias of the gyroscope, and the yaw would run away once the robot walks."""


class ContactSettings(Settings):
    """From foot force to contact probability. The force at which contact begins is the robot's foot_force_threshold."""

    release_ratio: Ratio
    """Contact ends below this part of the threshold."""
    softness: Positive
    """Scale of the logistic curve as a part of the threshold."""
    evidence: Positive
    """Log-odds that one sample is worth at most."""
    certainty: Positive
    """Log-odds of contact that are reached at most: above `evidence`, one sample alone never changes a foot that was sure."""
    stillness_evidence: Positive
    """Log-odds that a foot which moves as one that stands is worth at most: it may as well be held still in the air."""
    swing_speed: Positive
    """Standard deviation of the speed of a foot in the air, in each axis, m/s."""
    trust_time: Positive
    """Time in contact, and time in the air, in which it shows that a force sensor or a torque is wrong, s."""
    jacobian_damping: Positive
    """Of the inverse that turns joint torques into a foot force, m."""
    torque_time_constant: Positive
    """Of the low-pass on joint torques, s."""
    friction_memory: Positive
    """Time constant with which what a foot has shown of its friction is forgotten, s."""


class FilterSettings(Settings):
    """Noise of the model and of what is not a sensor."""

    acceleration_standard_deviation: NotNegative
    """Of the mean acceleration between two samples beyond the sensor's noise (impacts, vibration), if both are the same, m/s^2."""
    acceleration_change: NotNegative
    """What is added to it, as a part of the difference of the two: the mean of both ends is not that of the time between."""
    rate_standard_deviation: NotNegative
    """Of the mean angular velocity between two samples beyond the sensor's noise, if both are the same, rad/s."""
    rate_change: NotNegative
    """What is added to it, as a part of the difference of the two."""
    gyroscope_bias_walk: NotNegative
    """rad/s per square root of a second."""
    accelerometer_bias_walk: NotNegative
    """m/s^2 per square root of a second."""
    foot_walk: NotNegative
    """Creep of a foot in contact along the ground, in standing heights of the robot per square root of a second."""
    foot_sink: NotNegative
    """The same upwards: it sinks and comes up with its load."""
    foot_creep_spread: Ratio
    """By which part feet differ in how far they creep under the same push. Alike, those of a robot that rests would not turn it."""
    settling_time: NotNegative
    """For which a foot has to bear load without a break until its place counts, s. Before, it bounces, slides and sinks."""
    foot_standard_deviation: Positive
    """Of a foot in the base beyond encoder noise (bending, trembling), m."""
    use_foot_velocity: bool
    """Whether feet in contact also tell the velocity of the base."""
    slip_standard_deviation: Positive
    """Speed along the ground of a foot that stands firmly, as noise of each sample, m/s."""
    sink_standard_deviation: Positive
    """The same upwards."""
    innovation_time: Positive
    """Over which innovations of a foot are averaged before they are judged, s; a few times that for which one of its errors lasts."""
    touchdown_speed: NotNegative
    """Additional speed of a foot that has just come down, or that bears no more than the force at which contact begins, m/s."""
    slide_time: Positive
    """In which that dies away along the ground, s."""
    sink_time: Positive
    """In which it dies away upwards, s."""
    ground_height_standard_deviation: Positive
    """Of the ground under the feet against the believed plane, m."""
    ground_height_time: Positive
    """For which one error of the ground's height lasts; larger trusts the plane less, s."""
    innovation_gate: Positive
    """Squared Mahalanobis distance of a foot (3 dimensions) beyond which it is left out."""
    foot_reset_time: Positive
    """A foot in contact that was left out for so long is taken to have been set down anew, s."""
    rejection_acceleration: NotNegative
    """Additional uncertainty of the acceleration while every foot in contact is left out, m/s^2."""
    held_acceleration_walk: NotNegative
    """How fast the acceleration gets at least away from the last sample of the IMU until the next one comes, m/s^2 per square root of a
    second. How fast and how far it really gets, in each axis, the samples themselves show."""
    held_acceleration_time: Positive
    """Of the low-pass that the samples are compared with for that, s. The acceleration is not forgotten in less."""
    held_rate_walk: NotNegative
    """How far the angular velocity gets at least, rad/s per square root of a second."""
    held_rate_time: Positive
    """Of the low-pass of the angular velocity; about as long as samples are late, s."""
    held_memory: Positive
    """For which what the samples have shown counts; the mean of the acceleration is one over this time, s."""


class WindowSettings(Settings):
    """How late samples may be, and for when the state is given out."""

    duration: Positive
    """A sample that is older than the newest one by more than this is dropped, s."""
    lead: NotNegative
    """The state is given out for so long after the newest sample, when a command that is worked out now takes effect, s."""
    held_joint_acceleration: NotNegative
    """How far a joint gets from moving on as it did at its last sample, rad/s^2."""


class ValiditySettings(Settings):
    """Limits beyond which nothing may be walked on the estimate."""

    sensor_timeout: Positive
    """Silence of the IMU or of the joints, also one in which they speak but nothing can be used, s. After such a silence of a foot's force
    sensor, contact follows from the torques."""
    recovery_time: NotNegative
    """For which the estimate stays invalid after a silence, s."""
    restart_gap: Positive
    """Silence after which the filter starts again from rest, s."""
    rejection_time: Positive
    """For which every foot in contact may be left out, s."""
    height_standard_deviation: Positive
    """m"""
    tilt_standard_deviation: Positive
    """rad"""
    velocity_standard_deviation: Positive
    """m/s"""


class EstimatorSettings(Settings):
    """Everything of config/estimator.yaml."""

    process: Literal["spatial", "planar"] = "spatial"
    """How the robot is taken to move: as a base in space, driven by the IMU, or in its sagittal plane, as LittleDog when it bounds."""
    gate: GateSettings
    start: StartSettings
    rest: RestSettings
    contact: ContactSettings
    filter: FilterSettings
    window: WindowSettings
    validity: ValiditySettings
    planar: PlanarSettings
