# SPDX-License-Identifier: Apache-2.0
"""Curves on standard messages: the numbers of the state, by names that every robot has, and gaps where nothing is known."""

import math
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.serialization import serialize_message

from surefoot.gait.modes import REACH, STANCE
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.conversions.plots import JOINTS, PLOTS, contact_transforms
from surefoot.robot.model import RobotModel
from surefoot.traces.snapshot import Candidate
from surefoot.viewer.page.rehearsal import CandidateShown, RehearsalShown, TraceShown, VerdictShown
from surefoot.viewer.page.state import CommandShown, ModeShown, NodeHealth, PageState, PlanShown, RobotShown


@pytest.fixture
def state(hyq: RobotModel) -> PageState:
    neutral = hyq.neutral()
    feet = hyq.feet_in_base(neutral.joint_position) + neutral.base_position
    robot = RobotShown(
        10.0, neutral.base_position, neutral.base_quaternion, neutral.joint_position, -0.5 * hyq.effort_limit, np.eye(3) * 1e-4, feet,
        np.array([(60.0, 0.0, 200.0), (0.0, 0.0, 50.0), (0.0, 0.0, 0.0), (np.nan, np.nan, np.nan)]), np.array((1.0, 0.9, 0.1, 0.5)),
    )  # fmt: skip
    plan = PlanShown(
        True, "walk", 0.25, np.array((0.1, 0.0, 0.6)), np.array((0.0, 0.0, math.sin(0.5), math.cos(0.5))), np.array((1.0, 0.0, 0.0)),
        np.array((STANCE, STANCE, REACH, STANCE)), np.array((True, True, False, True)), feet + 0.1, np.zeros((4, 3)), np.ones(4),
        np.full(4, 0.6), np.tile((0.0, 0.0, 1.0), (4, 1)),
    )  # fmt: skip
    return PageState(hyq.effort_limit, robot=robot, plan=plan, command=CommandShown(neutral.joint_position + 0.1, np.arange(12.0)))


def made(state: PageState, topic: str) -> Any:
    assert state.robot is not None
    message = PLOTS[topic].make(state, state.robot, stamp_of(10.0))
    if message is not None:
        serialize_message(message)
    return message


def values(message: DiagnosticArray, name: str) -> dict[str, str]:
    (status,) = [status for status in message.status if status.name == name]
    return {pair.key: pair.value for pair in status.values}


def test_joints_go_by_leg_and_place(state: PageState, hyq: RobotModel) -> None:
    assert JOINTS[:4] == ("LF_abduction", "LF_hip", "LF_knee", "RF_abduction")
    measured, asked, use = (made(state, f"/plots/{name}") for name in ("joints", "joint_targets", "torque_use"))
    assert tuple(measured.name) == JOINTS
    np.testing.assert_allclose(measured.effort, -0.5 * hyq.effort_limit)
    np.testing.assert_allclose(np.array(asked.position) - np.array(measured.position), 0.1)
    np.testing.assert_allclose(use.effort, 0.5)
    assert (measured.header.stamp.sec, asked.header.stamp.sec) == (10, 10)


def test_the_planned_base_moves_in_its_own_axes(state: PageState) -> None:
    base = made(state, "/plots/planned_base")
    assert base.pose.pose.position.z == 0.6
    np.testing.assert_allclose((base.twist.twist.linear.x, base.twist.twist.linear.y), (math.cos(1.0), -math.sin(1.0)))


def test_feet_say_contact_force_and_friction(state: PageState) -> None:
    force = made(state, "/plots/force_LF")
    assert force.wrench.force.z == 200.0
    assert made(state, "/plots/force_RH") is None, "what is not measured is no force"
    assert state.robot is not None
    frames = {frame.child_frame_id: frame.transform for frame in contact_transforms(state.robot)}
    place = frames[force.header.frame_id].translation
    np.testing.assert_allclose((place.x, place.y, place.z), state.robot.foot_position[0])
    feet = made(state, "/plots/feet")
    left = values(feet, "LF")
    assert (left["contact_probability"], left["planned_contact"], left["friction"], left["friction_use"]) == ("1", "1", "0.6", "0.5")
    assert "friction_use" not in values(feet, "LH"), "a foot without load uses nothing that could be told"
    assert [status.message for status in feet.status] == ["stance", "stance", "reach", "stance"]


def test_the_stack_tells_mode_gait_and_decision_in_words_and_numbers(state: PageState) -> None:
    state.mode = ModeShown("FAULT", "knee too hot", 4.0)
    assert [status.name for status in made(state, "/plots/stack").status] == ["mode", "gait", "estimate"]
    state.rehearsal = RehearsalShown(1, "walk", "trot", 9.0)
    state.rehearsal.add(0, CandidateShown(Candidate(0.0, 9.5, 0.0)), [TraceShown(np.zeros((2, 3), np.float32), 1, "tilt")] * 3)
    assert values(made(state, "/plots/stack"), "decision") == {"traces": "3", "survived": "0"}
    state.rehearsal.answer(VerdictShown(False, None, "tilt 3x", offer="trot slower", wall_seconds=0.8), 10.0)
    stack = {status.name: status for status in made(state, "/plots/stack").status}
    assert stack["decision"].message == "walk to trot vetoed: tilt 3x; offered instead: trot slower"
    assert stack["mode"].level == stack["decision"].level == DiagnosticStatus.WARN
    assert values(made(state, "/plots/stack"), "decision")["seconds"] == "0.8"


def test_nodes_say_their_numbers_at_the_time_of_the_robot(state: PageState) -> None:
    assert made(state, "/plots/nodes") is None
    state.health["servo_bridge"] = NodeHealth({"tick_us_p99": "300.5", "last_fault": "", "tick_us_counts": "0 1 2"}, "late", 0.0)
    nodes = made(state, "/plots/nodes")
    assert nodes.header.stamp.sec == 10
    assert values(nodes, "servo_bridge") == {"tick_us_p99": "300.5"}
    assert (nodes.status[0].level, nodes.status[0].message) == (DiagnosticStatus.WARN, "late")


def test_without_a_plan_or_a_command_there_is_nothing_of_them(state: PageState) -> None:
    state.plan = state.command = None
    assert [made(state, f"/plots/{name}") for name in ("planned_base", "joint_targets")] == [None, None]
    assert set(values(made(state, "/plots/feet"), "LF")) == {"contact_probability", "height"}
