# SPDX-License-Identifier: Apache-2.0
"""Another program asks teleop for a gait by the action /request_gait, and waits for what becomes of it."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from rclpy.action import ActionClient
from sensor_msgs.msg import Joy
from surefoot_msgs.action import RequestGait
from surefoot_msgs.msg import GaitStatus, OperatorCommand, RobotMode

from surefoot.gait.of_robot import gaits_of
from surefoot.nodes import quality
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.conversions.gait import gait_of, message_of_gait
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.teleop.layout import read_layout
from surefoot.teleop.writer import pad_message

pytestmark = pytest.mark.timeout(240)


class Door:
    """Teleop, a client of its action, and whoever plans gaits."""

    def __init__(self, graph: Any, ear: Any, wait_until: Callable[..., Any]) -> None:
        self._wait_until = wait_until
        self._teleop = graph.node("teleop", lockstep=False)
        self.commands = ear.hear(OperatorCommand, "/operator_command", quality.operator(False))
        self._modes = ear.speak(RobotMode, "/robot_mode", quality.command(False))
        self._pad = ear.speak(Joy, "/joy")
        layout = read_layout(shared_directory() / "config" / "gamepads", "xbox")
        self._held = pad_message(layout, {}, {layout.actions["dead_man"]})
        self._statuses = ear.speak(GaitStatus, "/gait_status", quality.EVENT)
        self._client = ActionClient(ear.node, RequestGait, "/request_gait")
        self.feedback: list[GaitStatus] = []
        self._time = 0.0
        wait_until(self._client.server_is_ready, lambda: self._teleop.output)

    def tick(self, held: bool = True) -> bool:
        """One tick later; whether the dead-man switch is held."""
        self._time += 0.02
        mode = RobotMode(mode=RobotMode.WALKING)
        mode.header.stamp = stamp_of(self._time)
        self._modes.publish(mode)
        if held:
            self._pad.publish(Joy(axes=list(self._held.axes), buttons=list(self._held.buttons)))
        return True

    def come(self) -> None:
        """Take the pad in hand."""
        self._wait_until(lambda: self.tick() and self.commands and self.commands[-1].present, lambda: self._teleop.output)

    def ask(self, goal: RequestGait.Goal) -> Any:
        """Send a goal; gives the future of its result, once it is taken."""
        sent = self._client.send_goal_async(goal, feedback_callback=lambda message: self.feedback.append(message.feedback.status))
        self._wait_until(sent.done, lambda: self._teleop.output)
        return sent.result().get_result_async()

    def commanded(self, number: int) -> OperatorCommand:
        """Tick until a command carries a request."""
        self._wait_until(lambda: self.tick() and self.commands and self.commands[-1].gait_request_id >= number)
        return self.commands[-1]

    def say(self, number: int, state: int, reason: str = "", switch_time: float = math.nan) -> None:
        status = GaitStatus(request_id=number, request_state=state, reason=reason, switch_time=switch_time)
        status.header.stamp = stamp_of(self._time)
        self._statuses.publish(status)

    def result(self, future: Any) -> RequestGait.Result:
        self._wait_until(future.done, lambda: self._teleop.output)
        return future.result().result


@pytest.fixture
def door(graph: Any, ear: Any, wait_until: Callable[..., Any]) -> Door:
    return Door(graph, ear, wait_until)


def test_it_hears_what_became_of_each_request(door: Any, hyq: RobotModel, wait_until: Callable[..., Any]) -> None:
    # Without an operator nothing but a stand.
    wait_until(lambda: door.tick(held=False) and door.commands)
    result = door.result(door.ask(RequestGait.Goal(gait="trot")))
    assert not result.taken
    assert "gait 'trot' dropped: the operator is absent" in result.reason
    door.come()

    # Taken, with what happens on the way.
    asked = door.ask(RequestGait.Goal(gait="trot", intermediate="amble"))
    command = door.commanded(1)
    assert (command.gait, list(command.own_gait), command.intermediate) == ("trot", [], "amble")
    for state in (GaitStatus.REHEARSING, GaitStatus.SCHEDULED):
        door.say(1, state)
    wait_until(lambda: len(door.feedback) == 2)
    second = door.result(door.ask(RequestGait.Goal(gait="pace")))
    assert (second.taken, second.reason) == (False, "another request is still open; ask again after its verdict")
    door.say(1, GaitStatus.COMMITTED, "trot taken", 12.5)
    result = door.result(asked)
    assert (result.taken, result.reason, result.switch_time) == (True, "trot taken", 12.5)

    # Vetoed, of somebody's own making.
    own = gaits_of(hyq)["trot"].model_copy(update={"name": "low trot", "base_height": 0.55})
    asked = door.ask(RequestGait.Goal(own_gait=[message_of_gait(own, hyq.description)]))
    command = door.commanded(2)
    assert (command.gait, command.intermediate) == ("low trot", "")
    assert gait_of(command.own_gait[0], hyq.description) == own
    door.say(2, GaitStatus.VETOED, "3 of 20 traces stay up")
    result = door.result(asked)
    assert (result.taken, result.reason) == (False, "3 of 20 traces stay up")
    assert math.isnan(result.switch_time)

    # Not even asked for.
    result = door.result(door.ask(RequestGait.Goal(gait="moonwalk")))
    assert not result.taken
    assert "gait 'moonwalk' is unknown; known:" in result.reason
    broken = message_of_gait(own, hyq.description)
    broken.period = -1.0
    result = door.result(door.ask(RequestGait.Goal(own_gait=[broken])))
    assert "period" in result.reason

    # A person who asks meanwhile goes first.
    asked = door.ask(RequestGait.Goal(gait="walk"))
    door.commanded(3)
    door.say(4, GaitStatus.REHEARSING)
    assert door.result(asked).reason == "a later request took its place"
