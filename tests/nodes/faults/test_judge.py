# SPDX-License-Identifier: Apache-2.0
"""What must not leave a node."""

from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import QuaternionStamped, TwistStamped, Vector3
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, JointState, Joy
from surefoot_msgs.msg import (
    CandidateScore,
    FootForces,
    GaitStatus,
    MotionPlan,
    OperatorCommand,
    RobotMode,
    RobotState,
    ServoCommand,
    Verdict,
)

from surefoot.locomotion.policy import standing_plan
from surefoot.nodes.conversions.command import idle_command, message_of_command
from surefoot.nodes.conversions.plan import inactive_plan, message_of_plan
from surefoot.nodes.faults.judge import VERDICT, Judge
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel


def command(model: RobotModel, source: str = "inverse_dynamics") -> ServoCommand:
    one = np.ones(12)
    made = JointCommand(1.0, model.stand_joint_position, 0.0 * one, one, one, one)
    return message_of_command(made, model.description, source)


def plan(model: RobotModel) -> MotionPlan:
    return message_of_plan(1.0, standing_plan()[0], "stand", 0, model.description)


def verdict(bound: float = 0.9, chosen: int = 0) -> Verdict:
    return Verdict(accepted=True, chosen=chosen, accept_at=0.8, scores=[CandidateScore(lower_bound=bound)])


def velocity(forward: float, turn: float) -> TwistStamped:
    message = TwistStamped()
    message.twist.linear.x, message.twist.angular.z = forward, turn
    return message


def test_what_is_sound_is_legal(hyq: RobotModel) -> None:
    judge = Judge(hyq)
    for topic, message in (
        ("/servo_command", command(hyq)), ("/servo_command", idle_command(1.0, "x")), ("/motion_plan", plan(hyq)),
        ("/motion_plan", inactive_plan(1.0)), ("/base_attitude", QuaternionStamped()), ("/odom", Odometry()),
        ("/gait_status", GaitStatus()), ("/operator_command", OperatorCommand()), ("/robot_state", RobotState()),
        ("/cmd_vel", velocity(0.3, -0.4)), ("/ground_truth", Odometry()), ("/joint_states", JointState(position=[1.0])), ("/imu", Imu()),
        ("/foot_forces", FootForces(forces=[Vector3(x=1.0)])), ("/robot_mode", RobotMode(reason="started")), (VERDICT, verdict()),
        (VERDICT, Verdict(reason="no")),
    ):  # fmt: skip
        assert judge.illegal(topic, message) == "", topic


def broken(message: Any, field: str, value: Any) -> Any:
    place = message
    for name in field.split(".")[:-1]:
        place = getattr(place, name)
    last = field.rpartition(".")[2]
    if isinstance(value, tuple):
        getattr(place, last)[value[0]] = value[1]
    else:
        setattr(place, last, value)
    return message


@pytest.mark.parametrize(
    ("topic", "made", "field", "value", "words"),
    [
        ("/servo_command", command, "effort", (3, float("nan")), "a command is"),
        ("/servo_command", command, "effort", (3, 1e4), "is beyond"),
        ("/servo_command", command, "joint_names", (3, "x"), "joint names are"),
        ("/joint_command", command, "effort", (3, float("inf")), "does not say in which mode"),
        ("/motion_plan", plan, "foot_position", (3, float("nan")), "a plan is"),
        ("/motion_plan", plan, "foot_names", (1, "x"), "foot names are"),
        ("/motion_plan", plan, "activity", 77, "activity 77"),
        ("/base_attitude", lambda _: QuaternionStamped(), "quaternion.x", 0.5, "neither a rotation nor none"),
        ("/odom", lambda _: Odometry(), "pose.pose.position.x", float("inf"), "a pose is"),
        ("/gait_status", lambda _: GaitStatus(), "command.linear.x", float("nan"), "the velocity in force is"),
        ("/operator_command", lambda _: OperatorCommand(), "twist.angular.z", float("nan"), "what the operator wants is"),
        ("/operator_command", lambda _: OperatorCommand(), "request", 77, "request 77"),
        ("/robot_state", lambda _: RobotState(), "valid", True, "joint names are none"),
        ("/robot_mode", lambda _: RobotMode(reason="x"), "mode", 77, "mode 77"),
        ("/robot_mode", lambda _: RobotMode(reason="x"), "reason", "", "without a reason"),
        ("/cmd_vel", lambda _: TwistStamped(), "twist.linear.x", -0.1, "velocity"),
        ("/cmd_vel", lambda _: TwistStamped(), "twist.linear.x", 0.31, "is beyond 0.3 m/s"),
        ("/cmd_vel", lambda _: TwistStamped(), "twist.linear.y", 0.1, "velocity"),
        ("/cmd_vel", lambda _: TwistStamped(), "twist.angular.z", float("nan"), "velocity"),
        ("/joy", lambda _: Joy(axes=[0.0]), "axes", (0, float("nan")), "axes"),
        ("/ground_truth", lambda _: Odometry(), "twist.twist.linear.x", float("nan"), "a twist is"),
        ("/ground_truth", lambda _: Odometry(), "pose.pose.position.x", float("nan"), "a pose is"),
        ("/joint_states", lambda _: JointState(velocity=[0.0]), "velocity", (0, float("inf")), "a joint state is"),
        ("/imu", lambda _: Imu(), "linear_acceleration.z", float("nan"), "the IMU feels"),
        ("/foot_forces", lambda _: FootForces(forces=[Vector3(x=float("nan"))]), "foot_names", ["x"], "the feet feel"),
        (VERDICT, lambda _: verdict(), "chosen", 1, "accepted candidate 1 of 1"),
        (VERDICT, lambda _: verdict(), "accept_at", 0.95, "accepted with lower bound 0.9"),
        (VERDICT, lambda _: Verdict(reason="x"), "reason", "", "a veto without a reason"),
    ],
)  # fmt: skip
def test_what_is_not_is_named(hyq: RobotModel, topic: str, made: Any, field: str, value: Any, words: str) -> None:
    assert words in Judge(hyq).illegal(topic, broken(made(hyq), field, value))
