# SPDX-License-Identifier: Apache-2.0
"""Gaits as messages and back."""

from collections.abc import Sequence

from surefoot_msgs.msg import Gait as GaitMessage

from surefoot.errors import SensorError
from surefoot.gait.parameters import Gait
from surefoot.nodes.conversions.common import Order
from surefoot.robot.description import LEG_NAMES, RobotDescription
from surefoot.settings import check_settings

_GAIT_SCALARS = (
    "name", "period", "step_height", "base_height", "base_roll", "base_pitch", "base_yaw", "stance_length", "stance_width",
    "max_forward_speed", "max_strafe_speed", "max_turn_rate", "overshoot", "velocity_feedback",
)  # fmt: skip


def message_of_gait(gait: Gait, description: RobotDescription) -> GaitMessage:
    """The message of a gait, feet by name."""
    message = GaitMessage(**{key: getattr(gait, key) for key in _GAIT_SCALARS})
    message.stance_offset = list(gait.stance_offset)
    message.foot_names = list(description.foot_names)
    message.liftoff, message.duty_factor = [gait.liftoff[leg] for leg in LEG_NAMES], [gait.duty_factor[leg] for leg in LEG_NAMES]
    return message


def gait_of(message: GaitMessage, description: RobotDescription) -> Gait:
    """The gait of a message.

    Raises:
        SensorError: the feet are not those of the robot, or one has no entry.
        ConfigurationError: a parameter is out of range; it names each.
    """
    places = Order("foot", description.foot_names).places(message.foot_names)
    lengths = len(message.liftoff), len(message.duty_factor)
    if lengths != (4, 4):
        raise SensorError(f"gait '{message.name}' has {lengths[0]} liftoff and {lengths[1]} duty factors; each foot needs one")
    values = {key: getattr(message, key) for key in _GAIT_SCALARS} | {
        "stance_offset": (message.stance_offset[0], message.stance_offset[1]),
        "liftoff": {leg: message.liftoff[place] for leg, place in zip(LEG_NAMES, places, strict=True)},
        "duty_factor": {leg: message.duty_factor[place] for leg, place in zip(LEG_NAMES, places, strict=True)},
    }
    return check_settings(Gait, values, f"gait '{message.name}'")


def own_gait_of(messages: Sequence[GaitMessage], description: RobotDescription) -> Gait | None:
    """The gait that somebody made and sent along with a request, None where there is none. Raises as `gait_of`."""
    return gait_of(messages[0], description) if messages else None
