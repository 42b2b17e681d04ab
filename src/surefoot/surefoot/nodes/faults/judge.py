# SPDX-License-Identifier: Apache-2.0
"""Judges what leaves a node: what may not be, whatever it was told."""

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.serialization import serialize_message
from surefoot_msgs.msg import MotionPlan, OperatorCommand

from surefoot.errors import SensorError
from surefoot.nodes.conversions.command import CommandReader
from surefoot.nodes.conversions.common import array_of, array_of_quaternion
from surefoot.nodes.conversions.plan import PlanReader
from surefoot.nodes.conversions.state import StateReader
from surefoot.nodes.faults.watch import Watch
from surefoot.nodes.parameters import PathFollowerParameters
from surefoot.robot.model import RobotModel
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import Mode, Request

VERDICT = "verdict of /score_transitions"

UNIT = 1e-6
"""How far from one the length of an attitude may be."""


class Judge:
    """Judges messages by their topic.

    Args:
        model: the robot.
    """

    def __init__(self, model: RobotModel) -> None:
        self._watch, self._limits = Watch(model), JointLimits.of(model)
        description = model.description
        self._states, self._plans, self._commands = StateReader(description), PlanReader(description), CommandReader(description)
        follower = PathFollowerParameters()
        self._speed, self._turn_rate = follower.speed, follower.turn_rate
        self._rules: dict[str, Callable[[Any], str]] = {
            "/robot_state": self._state, "/base_attitude": self._attitude, "/odom": self._odometry, "/motion_plan": self._plan,
            "/gait_status": self._status, "/servo_command": self._command, "/operator_command": self._operator,
            "/robot_mode": self._mode, VERDICT: self._verdict, "/cmd_vel": self._velocity, "/ground_truth": self._truth,
            "/joy": self._pad, "/joint_states": self._joints, "/imu": self._imu, "/foot_forces": self._feet,
        }  # fmt: skip

    def illegal(self, topic: str, message: Any) -> str:
        """Words on what must not leave a node and did; empty for nothing.

        Raises:
            Exception: the message cannot be sent at all, which ends the node that tries.
        """
        data = bytes(serialize_message(message))
        if topic == "/joint_command":
            return self._watch.illegal(data)
        rule = self._rules.get(topic)
        return "" if rule is None else rule(message)

    def _state(self, message: Any) -> str:
        return _unreadable(self._states, message) if message.valid else ""

    @staticmethod
    def _attitude(message: Any) -> str:
        quaternion = array_of_quaternion(message.quaternion)
        if not quaternion.any() or abs(float(np.linalg.norm(quaternion)) - 1.0) < UNIT:
            return ""
        return f"attitude {quaternion} is neither a rotation nor none"

    @staticmethod
    def _odometry(message: Any) -> str:
        place, turn = message.pose.pose.position, message.pose.pose.orientation
        return _not_finite("a pose", (place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w))

    def _truth(self, message: Any) -> str:
        twist = message.twist.twist
        return self._odometry(message) or _not_finite("a twist", np.concatenate([array_of(twist.linear), array_of(twist.angular)]))

    def _velocity(self, message: Any) -> str:
        twist = message.twist
        asked = np.array([*array_of(twist.linear), *array_of(twist.angular)])
        if (np.abs(asked) <= (self._speed, 0.0, 0.0, 0.0, 0.0, self._turn_rate)).all() and twist.linear.x >= 0.0:
            return ""
        return f"velocity {asked} is beyond {self._speed} m/s forward and {self._turn_rate} rad/s"

    @staticmethod
    def _pad(message: Any) -> str:
        axes = np.asarray(message.axes)
        return "" if (np.abs(axes) <= 1.0).all() else f"axes {axes} of a pad are beyond 1"

    @staticmethod
    def _joints(message: Any) -> str:
        return _not_finite("a joint state", np.concatenate([message.position, message.velocity, message.effort]))

    @staticmethod
    def _imu(message: Any) -> str:
        felt = (array_of(message.angular_velocity), array_of(message.linear_acceleration))
        return _not_finite("what the IMU feels", np.concatenate(felt))

    @staticmethod
    def _feet(message: Any) -> str:
        return _not_finite("what the feet feel", [array_of(force) for force in message.forces])

    def _plan(self, message: Any) -> str:
        if message.activity not in (MotionPlan.STANDING, MotionPlan.MOVING):
            return "" if message.activity in (MotionPlan.INACTIVE, MotionPlan.HELD) else f"activity {message.activity} of a plan is none"
        if words := _unreadable(self._plans, message):
            return words
        base = (message.base_position, message.base_roll_pitch_yaw, message.base_linear_velocity, message.base_angular_velocity)
        feet = (message.foot_position, message.foot_velocity, message.foot_acceleration, message.foot_load, message.foot_contact_normal)
        return _not_finite("a plan", np.concatenate([message.base_linear_acceleration, *base, *feet]))

    @staticmethod
    def _status(message: Any) -> str:
        twist = message.command
        return _not_finite("the velocity in force", (twist.linear.x, twist.linear.y, twist.angular.z))

    def _command(self, message: Any) -> str:
        try:
            command = self._commands.read(message)
        except SensorError as error:
            return str(error)
        if command is None:
            return ""
        values = (command.position, command.velocity, command.effort, command.stiffness, command.damping)
        if words := _not_finite("a command", np.concatenate(values)):
            return words
        return f"effort {command.effort} is beyond {self._limits.effort}" if (np.abs(command.effort) > self._limits.effort).any() else ""

    @staticmethod
    def _operator(message: OperatorCommand) -> str:
        if message.request not in tuple(Request):
            return f"request {message.request} of the operator is none"
        twist = message.twist
        return _not_finite("what the operator wants", (twist.linear.x, twist.linear.y, twist.angular.z, *message.posture))

    @staticmethod
    def _mode(message: Any) -> str:
        if message.mode not in tuple(Mode):
            return f"mode {message.mode} is none"
        return "" if message.reason else f"{Mode(message.mode).name} without a reason"

    @staticmethod
    def _verdict(message: Any) -> str:
        if not message.accepted:
            return "" if message.reason else "a veto without a reason"
        if not 0 <= message.chosen < len(message.scores):
            return f"accepted candidate {message.chosen} of {len(message.scores)}"
        bound = message.scores[message.chosen].lower_bound
        return "" if message.accept_at <= bound <= 1.0 else f"accepted with lower bound {bound} where {message.accept_at} is asked for"


def _unreadable(reader: StateReader | PlanReader, message: Any) -> str:
    try:
        reader.read(message)
    except SensorError as error:
        return str(error)
    return ""


def _not_finite(what: str, values: Any) -> str:
    return "" if np.isfinite(values).all() else f"{what} is {np.asarray(values)}"
