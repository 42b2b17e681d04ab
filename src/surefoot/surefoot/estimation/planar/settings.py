# SPDX-License-Identifier: Apache-2.0
"""Settings of the planar models: the part `planar` of config/estimator.yaml."""

from typing import Annotated, Literal

from pydantic import Field

from surefoot.settings import Settings

Positive = Annotated[float, Field(gt=0.0)]
NotNegative = Annotated[float, Field(ge=0.0)]
Pair = tuple[Positive, Positive]


class PlanarMotorSettings(Settings):
    """A motor behind its gear under its own position loop, hip and knee [Levashov 2012, table 3.1]."""

    stiffness: Pair
    """1/s^2"""
    damping: Pair
    """1/s"""
    speed_limit: Pair
    """rad/s"""
    acceleration_limit: Pair
    """rad/s^2"""


class PlanarNoiseSettings(Settings):
    """What a step adds to the standard deviation of the state, and what a pose from outside is worth."""

    place: NotNegative
    """Of the back foot, m: feet roll, slip and give way."""
    pitch: NotNegative
    """rad"""
    joint: NotNegative
    """rad"""
    speed: NotNegative
    """Of the back foot, m/s."""
    pitch_rate: NotNegative
    """While one foot is pinned, rad/s."""
    double_support_pitch_rate: NotNegative
    """While both stand, rad/s: the worst of the three models."""
    joint_rate: NotNegative
    """rad/s"""
    pose_position: Positive
    """Of a pose from outside, m."""
    pose_pitch: Positive
    """rad"""


class PlanarSettings(Settings):
    """The reduced planar models as process models of the estimator."""

    period: Positive
    """Of a step, s."""
    substeps: Annotated[int, Field(ge=1, le=1000)]
    """Of the integration of a step."""
    longest_delay: Annotated[int, Field(ge=0, le=100)]
    """By how many steps a sensor may be late."""
    input: Literal["joints", "commands"]
    """What the motors are taken to be asked for: to go on as the joints move, or what /joint_command says. The second is for servos that
    follow positions as `motors` has it, and not for those that are led by torques."""
    slope: float
    """Of the ground: rise over length."""
    lift_acceleration: NotNegative
    """A foot leaves the ground where it would get away from it faster, with the other one pinned, m/s^2."""
    touch_height: NotNegative
    """A foot that comes down stands from this height on, m."""
    bounce_time: NotNegative
    """A foot that leaves the ground sooner after it came down has bounced: that is counted, s."""
    pair_tolerance: Positive
    """Between the joints of the two legs of a pair; further apart the robot is not planar, rad."""
    gravity_time: Positive
    """Over which the specific force, and not the gyroscope, shows where up is, s."""
    gravity_tolerance: Positive
    """Between that and the estimated pitch; further apart the robot does not stand on its feet as the models have it, rad."""
    out_of_plane: NotNegative
    """Standard deviation of what a planar model holds to be zero: y, roll and yaw and their rates, m, rad and these per second."""
    motors: PlanarMotorSettings
    noise: PlanarNoiseSettings
