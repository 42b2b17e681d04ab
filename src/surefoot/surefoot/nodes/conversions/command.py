# SPDX-License-Identifier: Apache-2.0
"""JointCommand as a ServoCommand message and back."""

from surefoot_msgs.msg import ServoCommand

from surefoot.nodes.conversions.common import Order, doubles, seconds_of, stamp_of
from surefoot.robot.command import JointCommand
from surefoot.robot.description import RobotDescription


def message_of_command(command: JointCommand, description: RobotDescription, source: str) -> ServoCommand:
    """The message of a command."""
    message = idle_command(command.time, source)
    message.active, message.joint_names, message.remarks = True, list(description.joint_names), list(command.remarks)
    message.position, message.velocity, message.effort = doubles(command.position), doubles(command.velocity), doubles(command.effort)
    message.stiffness, message.damping = doubles(command.stiffness), doubles(command.damping)
    return message


def idle_command(time: float, source: str) -> ServoCommand:
    """A message that asks for nothing; only its stamp counts."""
    message = ServoCommand(active=False, source=source)
    message.header.stamp = stamp_of(time)
    return message


class CommandReader:
    """Reads ServoCommand messages of one robot."""

    def __init__(self, description: RobotDescription) -> None:
        self._joints = Order("joint", description.joint_names)

    def read(self, message: ServoCommand) -> JointCommand | None:
        """The command of a message, None for one that asks for nothing. Values are as sent: whoever uses them checks them.

        Raises:
            SensorError: joints are not those of the robot, or a value is missing.
        """
        if not message.active:
            return None
        self._joints.places(message.joint_names)
        position, velocity, effort, stiffness, damping = (
            self._joints.values(what, getattr(message, what)) for what in ("position", "velocity", "effort", "stiffness", "damping")
        )
        return JointCommand(seconds_of(message.header.stamp), position, velocity, effort, stiffness, damping, tuple(message.remarks))
