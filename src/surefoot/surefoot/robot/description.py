# SPDX-License-Identifier: Apache-2.0
"""What a person writes down about a robot: one YAML file per robot, typed and range-checked."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from surefoot.settings import Settings, is_path_to_yaml, read_settings

LEG_NAMES = ("LF", "RF", "LH", "RH")
"""Order of the legs in every array of the library: left front, right front, left hind, right hind."""

JOINTS_PER_LEG = 3


def _a_leg(name: object) -> object:
    if name not in LEG_NAMES:
        raise PydanticCustomError("leg", "a leg is LF (left front), RF (right front), LH (left hind) or RH (right hind)")
    return name


LegName = Annotated[Literal["LF", "RF", "LH", "RH"], BeforeValidator(_a_leg)]
"""One of LEG_NAMES; other names are refused in words."""

Positive = Annotated[float, Field(gt=0.0)]
NotNegative = Annotated[float, Field(ge=0.0)]


class LegDescription(Settings):
    """One leg, from the hip to the foot."""

    joints: tuple[str, str, str]
    """Joint names from the base outwards: hip abduction, hip flexion, knee."""
    foot: str
    """Link of the spherical foot; its origin is the centre, or see `foot_centre_in_link`."""
    stand: tuple[float, float, float]
    """Joint angles of the stand pose, rad."""
    lie: tuple[float, float, float]
    """Joint angles of the pose in which the robot lies on its belly, rad."""


class ServoDescription(Settings):
    """The servo of each joint: limits that the URDF does not carry, and gains by mode."""

    stiffness: NotNegative
    """Position gain under balance control, N m/rad."""
    damping: NotNegative
    """Velocity gain under balance control, N m s/rad."""
    posture_stiffness: NotNegative
    """Position gain while standing up and sitting down, N m/rad."""
    posture_damping: NotNegative
    safe_damping: NotNegative
    """Velocity gain of the damping mode, N m s/rad."""
    posture_speed: Positive
    """Bound on the joint speed while standing up and sitting down, rad/s."""
    armature: NotNegative = 0.0
    """Reflected rotor inertia, kg m^2."""
    friction: NotNegative = 0.0
    """Dry friction of the joint, N m."""
    viscous_friction: NotNegative = 0.0
    """N m s/rad."""


class NoiseDescription(Settings):
    """White noise, constant bias and delay of one sensor channel."""

    standard_deviation: NotNegative = 0.0
    bias_standard_deviation: NotNegative = 0.0
    delay: NotNegative = 0.0
    """Age of a sample when it is delivered, s."""


class SensorsDescription(Settings):
    """The sensors of the robot."""

    imu_link: str
    """Link whose axes the IMU reports in; a fixed transform to the base is read from the URDF."""
    gyroscope: NoiseDescription
    """rad/s"""
    accelerometer: NoiseDescription
    """m/s^2"""
    joint_position: NoiseDescription
    """rad"""
    joint_velocity: NoiseDescription
    """rad/s"""
    joint_effort: NoiseDescription = NoiseDescription()
    """N m"""
    foot_force: NoiseDescription | None = None
    """N; none where the feet have no force sensors."""


class ControlDescription(Settings):
    """Rate and gains of the policy. Gains are accelerations per unit of error, so they do not depend on the mass."""

    rate: Positive = 250.0
    """Control ticks a second, Hz."""
    command_delay: NotNegative = 0.002
    """Time from a sample to the moment its command reaches the servos, s."""
    base_position_gain: tuple[Positive, Positive, Positive] = (40.0, 40.0, 120.0)
    """Forward, sideways, up: (m/s^2)/m."""
    base_velocity_gain: tuple[Positive, Positive, Positive] = (12.0, 12.0, 20.0)
    """(m/s^2)/(m/s)."""
    base_orientation_gain: tuple[Positive, Positive, Positive] = (150.0, 150.0, 100.0)
    """Roll, pitch, yaw: (rad/s^2)/rad."""
    base_rate_gain: tuple[Positive, Positive, Positive] = (20.0, 20.0, 15.0)
    """(rad/s^2)/(rad/s)."""
    foot_position_gain: Positive = 400.0
    """Swing feet: (m/s^2)/m."""
    foot_velocity_gain: Positive = 40.0
    contact_velocity_gain: NotNegative = 20.0
    """Stance feet that move are braked by this: (m/s^2)/(m/s)."""
    foot_force_threshold: Positive
    """Normal force above which a foot is taken to bear load, N."""
    foot_force_limit: Positive
    """Bound on the normal force of one foot, N."""


class RobotDescription(Settings):
    """A quadruped: its URDF and what the URDF does not say.

    Raises:
        ConfigurationError: on reading, for unknown, missing or out-of-range keys, all of them at once.
    """

    name: str
    urdf: str
    """Path of the URDF or xacro, relative to this file, or package-like 'extra:PATH' for the optional robot data."""
    xacro_arguments: dict[str, str] = Field(default_factory=dict)
    base: str
    """Link of the floating base."""
    legs: dict[LegName, LegDescription]
    foot_radius: Positive
    foot_centre_in_link: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Centre of the spherical foot in the frame of the foot link, m."""
    stand_height: Positive
    """Base origin above flat ground in the stand pose, m."""
    max_reach: Positive
    """Largest distance from a hip to its foot, m."""
    default_gait: str = "walk"
    gait_set: str
    """Name of the file in config/gaits that holds this robot's gaits, or the path of one of yours, relative to this file."""
    full_stick: tuple[Positive, Positive, Positive] | None = None
    """Forward and sideways speed, m/s, and turn rate, rad/s, at a full stick, where those of config/teleop.yaml do not suit the robot."""
    servos: ServoDescription
    sensors: SensorsDescription
    control: ControlDescription
    effort_limits: dict[str, Positive] = Field(default_factory=dict)
    """N m, by joint name, where they differ from the URDF's."""
    velocity_limits: dict[str, Positive] = Field(default_factory=dict)
    """rad/s, by joint name, where they differ from the URDF's."""

    @model_validator(mode="after")
    def _all_legs(self) -> "RobotDescription":
        missing = [leg for leg in LEG_NAMES if leg not in self.legs]
        if missing:
            raise ValueError(f"legs: {', '.join(missing)} missing; a quadruped has {', '.join(LEG_NAMES)}")
        return self

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The 12 joint names, leg by leg in the order of LEG_NAMES, from the base outwards."""
        return tuple(joint for leg in LEG_NAMES for joint in self.legs[leg].joints)  # type: ignore[index]

    @property
    def foot_names(self) -> tuple[str, ...]:
        """The four foot names in the order of LEG_NAMES."""
        return tuple(self.legs[leg].foot for leg in LEG_NAMES)  # type: ignore[index]


def read_robot(path: Path) -> RobotDescription:
    """Read a robot's YAML file; where its gait set is a path, that path is absolute in what comes back.

    Raises:
        ConfigurationError: naming every unknown, missing or out-of-range key.
    """
    description = read_settings(RobotDescription, path)
    if not is_path_to_yaml(description.gait_set):
        return description
    beside = path.parent / Path(description.gait_set).expanduser()
    return description.model_copy(update={"gait_set": str(beside.resolve())})
