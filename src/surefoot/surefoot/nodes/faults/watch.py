# SPDX-License-Identifier: Apache-2.0
"""Watches what leaves the servo bridge."""

from rclpy.serialization import deserialize_message
from surefoot_msgs.msg import ServoCommand

from surefoot.errors import SensorError
from surefoot.evaluation.faults.matrix import illegal_command
from surefoot.nodes.bridge_source import mode_of
from surefoot.nodes.conversions.command import CommandReader
from surefoot.robot.model import RobotModel
from surefoot.servos.limits import JointLimits


class Watch:
    """Judges messages on /joint_command.

    Args:
        model: the robot.
    """

    def __init__(self, model: RobotModel) -> None:
        self._limits, self._reader = JointLimits.of(model), CommandReader(model.description)
        self._safe_damping = model.description.servos.safe_damping

    def illegal(self, data: bytes) -> str:
        """Words on what must not leave the bridge in a serialized message and did; empty for nothing."""
        message = deserialize_message(data, ServoCommand)
        try:
            command = self._reader.read(message)
        except SensorError as error:
            return str(error)
        mode = mode_of(message.source)
        if mode is None:
            return f"source '{message.source}' of a command does not say in which mode it left the bridge"
        return "" if command is None else illegal_command(command, mode, self._limits, self._safe_damping)
