# SPDX-License-Identifier: Apache-2.0
"""Node: lets go of a simulated robot that is held up, once it stands by itself."""

from std_msgs.msg import Empty
from surefoot_msgs.msg import RobotMode

from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run

STANDS = (RobotMode.READY, RobotMode.WALKING)
AGAIN = 0.5  # s: who holds the robot may not hear the first word, and to let go twice is no harm


class GantryNode(SurefootNode):
    """Topics: /robot_mode in; /gantry/release out, from the moment at which the robot stands under balance control."""

    def __init__(self) -> None:
        super().__init__("gantry")
        self._stands = False
        self._release = self.create_publisher(Empty, "/gantry/release", quality.EVENT)
        self.create_subscription(RobotMode, "/robot_mode", self._hear, quality.command(self.lockstep))
        self.create_timer(AGAIN, self._say)

    def _hear(self, message: RobotMode) -> None:
        if message.mode in STANDS and not self._stands:
            self._stands = True
            self.get_logger().info("the robot stands: let go")
            self._say()

    def _say(self) -> None:
        if self._stands:
            self._release.publish(Empty())


def main() -> None:
    """Entry point."""
    run(GantryNode)


if __name__ == "__main__":
    main()
