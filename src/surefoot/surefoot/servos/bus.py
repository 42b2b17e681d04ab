# SPDX-License-Identifier: Apache-2.0
"""What a bus to the servos must do. One file a bus; names of joints are turned into the order of the description inside it.

The simulated robot is a process of its own behind the topics `joint_states`, `imu` and `servo_command`, so its bus is the node that
carries them. A bus never raises on bad data from the wire: it counts it and returns None.
"""

from typing import Protocol

from surefoot.robot.command import JointCommand
from surefoot.robot.state import SensorSample


class ServoBus(Protocol):
    """Servos and sensors of one robot."""

    def read(self) -> SensorSample | None:
        """The newest sample since the last call, in the order of the description; None when there is none."""
        ...

    def write(self, command: JointCommand) -> None:
        """Send one command; it has passed every gate."""
        ...

    def close(self) -> None:
        """Leave the servos damped and let go of the bus. Raises nothing; may be called twice."""
        ...
