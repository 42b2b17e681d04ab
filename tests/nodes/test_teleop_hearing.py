# SPDX-License-Identifier: Apache-2.0
"""What the teleop node makes of stamps: those of pads, and those of the gait planner's statuses."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from sensor_msgs.msg import Joy
from surefoot_msgs.msg import GaitStatus, RobotMode

from surefoot.nodes.conversions.common import stamp_of
from surefoot.teleop.layout import read_layout
from surefoot.teleop.writer import pad_message

LAYOUT = read_layout(Path(__file__).parents[2] / "config" / "gamepads", "xbox")


@pytest.fixture
def teleop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bool], Any]]:
    from surefoot.nodes.teleop import TeleopNode

    monkeypatch.setenv("HOME", str(tmp_path))

    def start(lockstep: bool) -> TeleopNode:
        arguments = ["--ros-args", "-p", f"lockstep:={str(lockstep).lower()}"]
        rclpy.init(args=arguments, domain_id=141 + os.getpid() % 20, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
        return TeleopNode()

    yield start
    rclpy.try_shutdown()


def mode(stamp: float) -> RobotMode:
    message = RobotMode(mode=RobotMode.WALKING)
    message.header.stamp = stamp_of(stamp)
    return message


def committed(stamp: float, gait: str) -> GaitStatus:
    message = GaitStatus(gait=gait, requested_gait=gait, request_id=1, request_state=GaitStatus.COMMITTED)
    message.header.stamp = stamp_of(stamp)
    return message


@pytest.mark.parametrize(("origin", "late"), [("joy", 0), ("", 0), ("somebody's", 0), ("xbox", 4)])
def test_only_a_pad_that_names_its_layout_stamps_by_the_clock_of_the_day(teleop: Callable[[bool], Any], origin: str, late: int) -> None:
    node = teleop(False)
    node._join.push("/robot_mode", mode(1.0))
    held = pad_message(LAYOUT, {}, {"dead_man"})
    for _ in range(5):
        joy = Joy(axes=held.axes, buttons=held.buttons)
        joy.header.stamp, joy.header.frame_id = stamp_of(100.0), origin  # a clock that stands still
        node._hear_pad(joy)
        time.sleep(0.32)
    assert node._operator.counters["late"] == late


@pytest.mark.parametrize("lockstep", [True, False])
def test_in_lockstep_a_status_waits_for_its_tick(teleop: Callable[[bool], Any], lockstep: bool) -> None:
    node = teleop(lockstep)
    editor = node._page.editor
    node._join.push("/robot_mode", mode(1.0))
    editor.step("period", 1)
    asked = editor.request()
    assert asked is not None
    node._hear_status(committed(1.01, asked.name))
    assert (editor.running == asked) != lockstep
    node._join.push("/robot_mode", mode(1.01))
    assert (editor.running == asked) != lockstep
    node._join.push("/robot_mode", mode(1.02))
    assert editor.running == asked


@pytest.mark.parametrize("before", [True, False])
def test_what_became_of_a_request_before_it_was_started_is_no_news(teleop: Callable[[bool], Any], before: bool) -> None:
    node = teleop(False)
    node._join.push("/robot_mode", mode(10.0))
    status = GaitStatus(gait="walk", requested_gait="trot", request_id=4, request_state=GaitStatus.VETOED, offer="trot at 50%")
    status.offer_command_factor, status.header.stamp = 0.5, stamp_of(9.0 if before else 11.0)
    node._hear_status(status)
    notices = node._operator.tick(11.0).notices
    assert any("offered instead: trot at 50%" in notice for notice in notices) != before
    # Its number is one that was used.
    node._operator.gait_action("stand")
    assert node._operator.tick(11.1).gait_request_id == 5


def test_the_pad_shakes_softly_for_what_is_accepted_and_hard_for_a_veto(
    teleop: Callable[[bool], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = teleop(False)
    shaken: list[float] = []
    monkeypatch.setattr(node._feedback, "publish", lambda feedback: shaken.append(feedback.intensity))
    node._join.push("/robot_mode", mode(10.0))
    for stamp, state in ((11.0, GaitStatus.REHEARSING), (12.0, GaitStatus.SCHEDULED), (13.0, GaitStatus.COMMITTED)):
        status = GaitStatus(gait="walk", requested_gait="trot", request_id=1, request_state=state)
        status.header.stamp = stamp_of(stamp)
        node._hear_status(status)
    assert len(shaken) == 1
    veto = GaitStatus(gait="trot", requested_gait="pace", request_id=2, request_state=GaitStatus.VETOED, reason="ice")
    veto.header.stamp = stamp_of(14.0)
    node._hear_status(veto)
    node._hear_status(veto)
    assert len(shaken) == 2
    assert 0.0 < shaken[0] < 0.5 < shaken[1] <= 1.0


def test_a_goal_right_after_a_restart_is_not_answered_with_what_became_of_one_before(
    teleop: Callable[[bool], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = teleop(False)
    heard: list[GaitStatus] = []
    monkeypatch.setattr(node._action, "hear", heard.append)
    # Nobody has been told yet that numbers begin anew.
    assert node._ask("stand", None, "") == (0, "the robot has not been heard yet; ask again when it runs")
    node._join.push("/robot_mode", mode(10.0))
    assert node._operator.tick(10.0).gait_request_id == 0
    assert node._ask("stand", None, "") == (1, "")
    node._hear_status(committed(9.0, "trot"))
    assert heard == []
    node._hear_status(committed(10.5, "stand"))
    assert [status.gait for status in heard] == ["stand"]
