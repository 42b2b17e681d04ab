# SPDX-License-Identifier: Apache-2.0
"""Settings of the servo bridge, as written in config/servo_bridge.yaml."""

from typing import Annotated, Literal

from pydantic import Field

from surefoot.robot.locate import shared_directory
from surefoot.settings import Settings, read_settings

Duration = Annotated[float, Field(gt=0.0, le=60.0)]
Angle = Annotated[float, Field(gt=0.0, le=3.2)]
# A limit that nothing ever reaches is a gate that is off without a word.
Tilt = Annotated[float, Field(gt=0.0, le=1.5)]


class BridgeSettings(Settings):
    """Limits, times and thresholds of the last gate before the motors."""

    stale_after: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05
    """Age of a command or of the joint state at which the robot goes to damping, latched, s."""
    attitude_missing_after: Duration = 0.15
    """Time for which the estimator may say that it does not know the attitude before a robot under torque goes to damping, s. Where it
    says nothing, that is stale_after."""
    estimate_hold: Annotated[float, Field(ge=0.0, le=60.0)] = 10.0
    """Time that a robot that stands is held where it is without an estimate, before it lies down, s; 0: it goes to damping at once."""
    max_roll: Tilt = 0.5
    """Roll at which a robot under torque goes to damping, rad."""
    max_pitch: Tilt = 0.5
    """Pitch at which a robot under torque goes to damping, rad."""
    max_start_tilt: Tilt = 0.35
    """Roll or pitch beyond which the robot neither stands up nor leaves a latched stop, rad."""
    max_start_joint_speed: Annotated[float, Field(gt=0.0, le=10.0)] = 0.5
    """Joint speed beyond which the robot neither stands up nor leaves a latched stop, rad/s."""
    position_margin: Annotated[float, Field(ge=0.0, le=0.5)] = 0.05
    """How far beyond its limit a measured joint may be and still count as inside (encoder noise, compliance), rad."""
    lie_tolerance: Angle = 0.2
    """Joints further than this from the lie pose are folded first on the way up, rad."""
    posture_tolerance: Angle = 0.25
    """Largest joint error at which a posture counts as reached, rad; the weight of the robot sags the servos this much."""
    posture_timeout: Duration = 3.0
    """Time after the end of a posture trajectory within which the posture must be reached, s."""
    takeover_timeout: Duration = 5.0
    """Time in READY within which the balance controller must have sent its first active command, s."""
    silent_after: Duration = 0.5
    """Time without a word of the balance controller after which a robot that waits for it to take over lies down again, s."""
    blend_time: Duration = 0.4
    """Duration of each hand-over: from damping to standing up, from there to balance control, from that to sitting down, s."""
    torque_speed_diamond: bool = False
    """Whether the torque bound falls linearly to zero at the velocity limit [Zapolsky 2017, sect. 6.1.1, sign mended]."""
    effort_rate_limit: Annotated[float, Field(gt=0.0)] | None = None
    """Bound on the change of the torque of each joint, N m/s; none: not bounded."""
    overrun_factor: Annotated[float, Field(ge=1.0, le=5.0)] = 1.5
    """How many times its velocity or effort limit a joint may measure."""
    overrun_margin: Annotated[float, Field(gt=0.0, le=1.0)] = 0.2
    """How far beyond its position limit a joint may measure, at a start as well: without torque a robot lies on its stops; rad."""
    overrun_patience: Duration = 0.1
    """Time that a joint may be beyond those, or the robot beyond max_power, s; each s inside takes half a second off it."""
    following_error: Annotated[float, Field(gt=0.0, le=1.0)] = 0.25
    """How far from its target a joint under balance control may be, rad: further away it does not do what it is told."""
    following_patience: Duration = 0.2
    """Time that it may be, s; each s within it takes half a second off."""
    frozen_motion: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05
    """How far targets or joints have to move, for a source that says the same all the while to count as frozen, rad."""
    max_power: Annotated[float, Field(gt=0.0)] | None = None
    """Bound on the mechanical power that all joints together put out, W; none: not bounded."""
    max_temperature: Annotated[float, Field(gt=0.0, le=200.0)] = 70.0
    """Of a servo, where it is known, degrees Celsius; below the 80 at which Dynamixel servos shut down by themselves."""
    min_voltage: Annotated[float, Field(gt=0.0)] | None = None
    """Of a servo, where it is known, V; none: not watched."""
    fall_tilt: Annotated[float, Field(gt=0.0, le=1.6)] = 1.5707963267948966
    """Angle between the up of the base and the up of the world beyond which the robot has fallen, rad [Zapolsky 2017, section 5.4]."""
    operator_missing_after: Duration = 1.0
    """Time without a word of the operator's side after which a walking robot stands, s."""
    least_rate: Annotated[float, Field(ge=0.0)] = 50.0
    """Rate of joint states, and of commands, below which walking is refused, and ends, Hz; so is one of which less than three fit into
    stale_after."""
    between_commands: Literal["hold", "interpolate"] = "hold"
    """Where the controller is slower than the servos: hold its last target, or move it on at its own velocity for up to stale_after."""


def bridge_settings() -> BridgeSettings:
    """Those of config/servo_bridge.yaml. Raises ConfigurationError."""
    return read_settings(BridgeSettings, shared_directory() / "config" / "servo_bridge.yaml")
