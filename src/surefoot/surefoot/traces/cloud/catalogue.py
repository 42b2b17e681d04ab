# SPDX-License-Identifier: Apache-2.0
"""Everything that is uncertain, what it acts on, and which of the source's parameters it stands for [Zapolsky 2017, Fig. 15]."""

from dataclasses import dataclass
from enum import Enum

SOURCE_COUNT = 176
"""Scalars in the source's list for a quadruped of 12 joints; its text says 175."""


class Law(Enum):
    """What a draw is to the parameter."""

    FACTOR = "factor about 1"
    """Of something that may neither vanish nor change its sign."""
    OFFSET = "offset"
    MAGNITUDE = "offset, never negative"
    CHOICE = "one of"
    STATED = "stated elsewhere"
    """Its spread is said by the estimator, by the belief about the ground or by the description of the sensors."""


@dataclass(frozen=True)
class Parameter:
    """One kind of uncertainty.

    Attributes:
        name: in the configuration and in `Particles`.
        count: of its scalars.
        group: under which it is counted.
        law: of its draws.
        unit: of its spread.
        largest: that a draw may be away from what is believed, in this unit; factors stay under 1.
        source: how many of the source's scalars it stands for.
        acts_on: what it does.
    """

    name: str
    count: int
    group: str
    law: Law
    unit: str
    largest: float
    source: int
    acts_on: str


def _factor(name: str, count: int, group: str, source: int, acts_on: str) -> Parameter:
    return Parameter(name, count, group, Law.FACTOR, "of it", 1.0, source, acts_on)


def _stated(name: str, count: int, group: str, unit: str, source: int, acts_on: str) -> Parameter:
    return Parameter(name, count, group, Law.STATED, unit, 0.0, source, acts_on)


PERSISTENT: tuple[Parameter, ...] = (
    _factor("base_mass", 1, "links", 1, "mass and inertia of the base at its size: its density"),
    _factor("link_mass", 12, "links", 12, "the same of each hip, thigh and shin"),
    _factor("foot_mass", 4, "links", 4, "the same of each foot link, as far as the URDF gives it a mass"),
    _factor("link_length", 12, "links", 12, "from each joint to the next, and with it mass, inertia and shape"),
    _factor("link_radius", 12, "links", 12, "across each link: mass, inertia and shape"),
    _factor("foot_radius", 4, "links", 4, "the sole, and the mass of the foot link"),
    Parameter("joint_axis", 24, "links", Law.OFFSET, "rad", 0.3, 12, "tilt of each joint's axis, about two axes across it"),
    Parameter("base_centre_of_mass", 3, "links", Law.OFFSET, "stand heights", 0.5, 0, "centre of mass of the base"),
    Parameter("payload_mass", 1, "links", Law.MAGNITUDE, "of the robot", 1.0, 0, "a point mass fixed to the base"),
    Parameter("payload_place", 3, "links", Law.OFFSET, "stand heights", 2.0, 0, "where the payload is, from the base's origin"),
    _stated("friction", 1, "contact", "of the belief", 1, "Coulomb's coefficient under all feet"),
    Parameter("restitution", 1, "contact", Law.MAGNITUDE, "", 0.5, 1, "how much more a foot bounces than when critically damped (0.135)"),
    Parameter("contact_model", 1, "contact", Law.CHOICE, "", 0.0, 1, "cone of friction, hard or soft ground"),
    _factor("foot_friction", 4, "contact", 0, "friction of each foot, in parts of the common one"),
    Parameter("compliance", 1, "contact", Law.MAGNITUDE, "of it", 9.0, 0, "how much longer the ground takes to push a foot out"),
    Parameter("ground_height", 1, "contact", Law.OFFSET, "m", 0.2, 0, "the ground and the robot on it against the odometry"),
    Parameter("slope", 2, "contact", Law.OFFSET, "rad", 0.4, 0, "tilt of the ground and of the robot on it, about x and y"),
    Parameter("joint_damping", 12, "servos", Law.MAGNITUDE, "servo damping", 50.0, 0, "viscous friction of each joint"),
    _factor("servo_stiffness", 12, "servos", 0, "position gain of each servo"),
    _factor("servo_damping", 12, "servos", 0, "velocity gain of each servo"),
    _factor("effort", 12, "servos", 0, "feed-forward torque that each servo really gives"),
    _factor("effort_limit", 12, "servos", 0, "largest torque of each servo"),
    Parameter("torque_speed", 12, "servos", Law.MAGNITUDE, "of it", 1.0, 0, "share of the largest torque that is lost at full speed"),
    Parameter("backlash", 12, "servos", Law.MAGNITUDE, "rad", 0.1, 0, "play of each servo: within half of it either way it pushes nothing"),
    Parameter("command_delay", 1, "servos", Law.OFFSET, "s", 0.1, 1, "from a sample to its torque, in whole steps of the physics"),
    _stated("base_position", 3, "start", "covariance", 3, "error of the estimate that stays for the whole trace"),
    _stated("base_orientation", 3, "start", "covariance", 3, "the same; but for the heading, on which nothing depends"),
    _stated("base_velocity", 3, "start", "covariance", 3, "the same"),
    _stated("base_rate", 3, "start", "covariance", 3, "the same"),
    _stated("joint_position", 12, "start", "variance", 12, "the same"),
    _stated("joint_velocity", 12, "start", "variance", 12, "the same"),
    Parameter("push_velocity", 2, "pushes", Law.OFFSET, "m/s", 5.0, 0, "velocity that a push on the base gives the whole robot, x and y"),
    Parameter("push_time", 1, "pushes", Law.MAGNITUDE, "s", 60.0, 0, "from the start of the particle to the push"),
)
"""Drawn once per particle, in this order."""

TRANSIENT: tuple[Parameter, ...] = (
    Parameter("base_orientation", 3, "estimate", Law.OFFSET, "rad", 0.3, 3, "what the policy sees; a magnetometer's noise ends here"),
    Parameter("base_velocity", 3, "estimate", Law.OFFSET, "m/s", 3.0, 3, "what the policy sees; an accelerometer's noise ends here"),
    Parameter("base_rate", 3, "estimate", Law.OFFSET, "rad/s", 10.0, 3, "what the policy sees; a gyroscope's noise ends here"),
    _stated("joint_position", 12, "sensors", "description", 12, "encoders, what the policy sees"),
    _stated("joint_velocity", 12, "sensors", "description", 12, "encoders, what the policy sees"),
    _factor("effort", 12, "servos", 12, "each torque, tick by tick"),
    Parameter("base_position", 3, "estimate", Law.OFFSET, "m", 0.2, 3, "what the policy sees; a satellite receiver's noise ends here"),
    _stated("foot_force", 4, "sensors", "description", 4, "the load by which the policy finds a foot in contact"),
    Parameter("command_delay", 1, "servos", Law.OFFSET, "s", 0.05, 1, "the delay of each command, in whole steps of the physics"),
)
"""Drawn anew at each control tick, in the order of the channels; the last one goes to the servos and has no channel."""

LEFT_OUT: tuple[tuple[str, int, str], ...] = (
    ("acceleration of the joints", 12, "no part of the policy reads it"),
    ("force sensors of the joints", 8, "the policy reads one load of each foot, which are 4 of the 12"),
    ("accelerations of the IMU", 6, "they reach the policy through the estimate, whose noise of velocity and rate is drawn"),
)
"""What else the source names, how many scalars, and why none is drawn."""


def drawn_count(parameters: tuple[Parameter, ...]) -> int:
    """How many scalars are drawn."""
    return sum(parameter.count for parameter in parameters)


def source_count(parameters: tuple[Parameter, ...]) -> int:
    """How many of the source's scalars are among them; the rest of `SOURCE_COUNT` is in `LEFT_OUT`."""
    return sum(parameter.source for parameter in parameters)
