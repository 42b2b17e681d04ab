# SPDX-License-Identifier: Apache-2.0
"""The topics of the graph: what each carries, how, and which node says it."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from rclpy.qos import QoSProfile

from surefoot.errors import ConfigurationError
from surefoot.nodes import quality


class StackTopic(NamedTuple):
    """One topic. quality: its profile, given whether the graph runs in lockstep; node: that publishes it."""

    type: str
    quality: Callable[[bool], QoSProfile]
    node: str


def _event(lockstep: bool) -> QoSProfile:
    return quality.EVENT


def _shown(lockstep: bool) -> QoSProfile:
    return quality.SHOWN


def _plain(lockstep: bool) -> QoSProfile:
    return QoSProfile(depth=10)


STACK_TOPICS = {
    "/joint_states": StackTopic("sensor_msgs/msg/JointState", quality.sensor, "simulator"),
    "/imu": StackTopic("sensor_msgs/msg/Imu", quality.sensor, "simulator"),
    "/foot_forces": StackTopic("surefoot_msgs/msg/FootForces", quality.sensor, "simulator"),
    "/ground_truth": StackTopic("nav_msgs/msg/Odometry", _plain, "simulator"),
    "/joy": StackTopic("sensor_msgs/msg/Joy", quality.command, "scripted_pad"),
    "/robot_state": StackTopic("surefoot_msgs/msg/RobotState", quality.command, "state_estimator"),
    "/base_attitude": StackTopic("geometry_msgs/msg/QuaternionStamped", quality.command, "state_estimator"),
    "/odom": StackTopic("nav_msgs/msg/Odometry", _plain, "state_estimator"),
    "/tf": StackTopic("tf2_msgs/msg/TFMessage", _plain, "state_estimator"),
    "/motion_plan": StackTopic("surefoot_msgs/msg/MotionPlan", quality.command, "gait_planner"),
    "/gait_status": StackTopic("surefoot_msgs/msg/GaitStatus", _event, "gait_planner"),
    "/verdict": StackTopic("surefoot_msgs/msg/Verdict", _event, "gait_planner"),
    "/controller": StackTopic("std_msgs/msg/String", _event, "inverse_dynamics"),
    "/swing": StackTopic("surefoot_msgs/msg/FootPlanState", _shown, "gait_planner"),
    "/traces": StackTopic("surefoot_msgs/msg/Traces", _event, "particle_trace"),
    "/servo_command": StackTopic("surefoot_msgs/msg/ServoCommand", quality.command, "inverse_dynamics"),
    "/joint_command": StackTopic("surefoot_msgs/msg/ServoCommand", quality.command, "servo_bridge"),
    "/robot_mode": StackTopic("surefoot_msgs/msg/RobotMode", quality.command, "servo_bridge"),
    "/operator_command": StackTopic("surefoot_msgs/msg/OperatorCommand", quality.operator, "teleop"),
    "/diagnostics": StackTopic("diagnostic_msgs/msg/DiagnosticArray", _plain, "every node"),
    "/parameter_events": StackTopic("rcl_interfaces/msg/ParameterEvent", _plain, "every node"),
}
"""Of a graph with the simulator as its body and a scripted pad as its operator."""


def message_class(type_name: str) -> Any:
    """The class of a type such as sensor_msgs/msg/Imu.

    Raises:
        ConfigurationError: it is not installed.
    """
    package, _, name = type_name.partition("/msg/")
    try:
        return getattr(import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"the message type {type_name} is not installed here") from error
