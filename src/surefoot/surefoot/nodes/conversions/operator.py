# SPDX-License-Identifier: Apache-2.0
"""Operator commands as messages and back."""

import numpy as np
from surefoot_msgs.msg import GaitStatus, OperatorCommand

from surefoot.errors import SurefootError
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.conversions.gait import message_of_gait, own_gait_of
from surefoot.robot.description import RobotDescription
from surefoot.teleop.offers import CounterOffer
from surefoot.teleop.operator import OperatorWish
from surefoot.traces.request import Wish


def message_of_wish(wish: OperatorWish, description: RobotDescription) -> OperatorCommand:
    """The message of what the operator wants at one tick."""
    message = OperatorCommand(
        present=wish.present,
        request=int(wish.request),
        gait_request_id=wish.gait_request_id,
        gait=wish.gait,
        intermediate=wish.intermediate,
        delay=wish.delay,
        own_gait=[] if wish.own_gait is None else [message_of_gait(wish.own_gait, description)],
        ground=wish.ground,
        posture=list(wish.posture),
    )
    message.header.stamp = stamp_of(wish.time)
    twist = message.twist
    twist.linear.x, twist.linear.y, twist.angular.z = wish.twist.forward, wish.twist.strafe, wish.twist.turn
    return message


def offer_of(status: GaitStatus) -> CounterOffer | None:
    """The counter-offer that goes with a veto; None where there is none that could be taken up."""
    possible = 0.0 < status.offer_command_factor <= 1.0 and status.offer_delay >= 0.0
    if status.request_state != GaitStatus.VETOED or not status.offer or not possible:
        return None
    return CounterOffer(status.requested_gait, status.offer_command_factor, status.offer, status.offer_intermediate, status.offer_delay)


def wish_of(message: OperatorCommand, description: RobotDescription) -> Wish:
    """What the gait planner takes from an operator's command; a velocity that is not a number is none."""
    twist = message.twist
    command = np.array((twist.linear.x, twist.linear.y, twist.angular.z))
    own_gait, unreadable = None, ""
    try:
        own_gait = own_gait_of(message.own_gait, description)
    except SurefootError as error:
        unreadable = str(error)
    return Wish(
        np.where(np.isfinite(command), command, 0.0), message.gait_request_id, message.gait, message.ground, message.posture, own_gait,
        unreadable, message.present, message.intermediate, message.delay,
    )  # fmt: skip
