# SPDX-License-Identifier: Apache-2.0
"""Operator commands there and back."""

import math

from surefoot_msgs.msg import GaitStatus, OperatorCommand

from surefoot.gait.of_robot import gaits_of
from surefoot.nodes.conversions.gait import message_of_gait
from surefoot.nodes.conversions.operator import message_of_wish, offer_of, wish_of
from surefoot.robot.model import RobotModel
from surefoot.teleop.driving import PlanarVelocity
from surefoot.teleop.offers import CounterOffer
from surefoot.teleop.operator import OperatorRequest, OperatorWish


def test_comes_back(hyq: RobotModel) -> None:
    wish = OperatorWish(
        3.25, True, OperatorRequest.WALK, PlanarVelocity(0.3, -0.1, 0.2), 4, "trot", "ice", "", (), intermediate="amble", delay=1.5
    )
    message = message_of_wish(wish, hyq.description)
    assert (message.present, message.request, message.header.stamp.sec) == (True, OperatorCommand.WALK, 3)
    read = wish_of(message, hyq.description)
    assert read.command.tolist() == [0.3, -0.1, 0.2]
    assert (read.request_id, read.gait, read.ground, read.intermediate, read.delay) == (4, "trot", "ice", "amble", 1.5)


def test_an_offer_comes_with_a_veto_and_only_if_it_can_be_taken_up() -> None:
    status = GaitStatus(request_state=GaitStatus.VETOED, requested_gait="trot", offer="through amble", offer_command_factor=1.0)
    status.offer_intermediate, status.offer_delay = "amble", 1.5
    assert offer_of(status) == CounterOffer("trot", 1.0, "through amble", "amble", 1.5)
    for factor in (0.0, 1.01, -0.5, math.nan):
        status.offer_command_factor = factor
        assert offer_of(status) is None
    status.offer_command_factor, status.offer_delay = 1.0, -1.0
    assert offer_of(status) is None
    status.offer_delay, status.request_state = 0.0, GaitStatus.SCHEDULED
    assert offer_of(status) is None


def test_requests_are_numbered_as_in_the_message() -> None:
    for request in OperatorRequest:
        assert getattr(OperatorCommand, request.name) == int(request)


def test_a_velocity_that_is_no_number_is_none(hyq: RobotModel) -> None:
    message = OperatorCommand()
    message.twist.linear.x, message.twist.linear.y, message.twist.angular.z = math.nan, math.inf, 0.2
    assert wish_of(message, hyq.description).command.tolist() == [0.0, 0.0, 0.2]


def test_a_gait_of_the_operators_own_comes_along(hyq: RobotModel) -> None:
    trot = gaits_of(hyq)["trot"].model_copy(update={"name": "mine", "step_height": 0.06})
    own_gait = [message_of_gait(trot, hyq.description)]
    message = OperatorCommand(gait_request_id=2, gait="mine", own_gait=own_gait, posture=[0.02, 0.0, 0.1, 0.0])
    read = wish_of(message, hyq.description)
    assert (read.own_gait, read.unreadable, read.posture.tolist()) == (trot, "", [0.02, 0.0, 0.1, 0.0])
    message.own_gait[0].period = 0.0
    read = wish_of(message, hyq.description)
    assert read.own_gait is None
    assert "gait 'mine'" in read.unreadable
    assert "period" in read.unreadable
