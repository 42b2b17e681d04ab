# SPDX-License-Identifier: Apache-2.0
"""Everything that a recording says of the motor of one joint, and why it does not say the rest."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError
from surefoot.servos.motors.envelope import Envelope, identify_envelope
from surefoot.servos.motors.friction import Friction, identify_friction
from surefoot.servos.motors.identify import MotorFit, identify_motor
from surefoot.servos.motors.play import Play, identify_play

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MotorReport:
    """What was found, or the reason why not.

    Attributes:
        law: of the servo.
        play: of the gear.
        envelope: torque-speed diamond.
        friction: with the inertia; it holds only for a joint that touched nothing and carried no other that moved.
    """

    law: MotorFit | str
    play: Play | str
    envelope: Envelope | str
    friction: Friction | str


def report_motor(
    time: Array, target: Array, asked: Array, stiffness: Array, position: Array, velocity: Array, effort: Array
) -> MotorReport:
    """Fit all that there is to one joint; every array is (n,), as in `recording.joint_arrays`."""
    law: MotorFit | str
    play: Play | str
    envelope: Envelope | str
    friction: Friction | str
    try:
        law = identify_motor(time, target, position)
    except ConfigurationError as error:
        law = str(error)
    try:
        play = identify_play(time, target, asked, stiffness, velocity, effort)
        # What is missing on the way through the play is no limit of the motor.
        most = 0.5 * play.width * stiffness
        asked = asked - np.clip(asked - effort, -most, most)
    except ConfigurationError as error:
        play = str(error)
    try:
        envelope = identify_envelope(asked, effort, velocity)
    except ConfigurationError as error:
        envelope = str(error)
    try:
        friction = identify_friction(time, position, velocity, effort)
    except ConfigurationError as error:
        friction = str(error)
    return MotorReport(law, play, envelope, friction)
