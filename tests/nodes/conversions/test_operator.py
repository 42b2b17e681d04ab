# SPDX-License-Identifier: Apache-2.0
"""Operator commands there and back."""

import math

from surefoot_msgs.msg import OperatorCommand

from surefoot.nodes.conversions.operator import message_of_wish, wish_of
from surefoot.teleop.driving import PlanarVelocity
from surefoot.teleop.operator import OperatorRequest, OperatorWish


def test_comes_back() -> None:
    wish = OperatorWish(3.25, True, OperatorRequest.WALK, PlanarVelocity(0.3, -0.1, 0.2), 4, "trot", "ice", "", ())
    message = message_of_wish(wish)
    assert (message.present, message.request, message.header.stamp.sec) == (True, OperatorCommand.WALK, 3)
    read = wish_of(message)
    assert read.command.tolist() == [0.3, -0.1, 0.2]
    assert (read.request_id, read.gait, read.ground) == (4, "trot", "ice")


def test_requests_are_numbered_as_in_the_message() -> None:
    for request in OperatorRequest:
        assert getattr(OperatorCommand, request.name) == int(request)


def test_a_velocity_that_is_no_number_is_none() -> None:
    message = OperatorCommand()
    message.twist.linear.x, message.twist.linear.y, message.twist.angular.z = math.nan, math.inf, 0.2
    assert wish_of(message).command.tolist() == [0.0, 0.0, 0.2]
