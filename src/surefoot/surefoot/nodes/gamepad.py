# SPDX-License-Identifier: Apache-2.0
"""Node: the gamepad that is plugged in, through SDL, as ROS's joy_node would have it."""

import time

from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy, JoyFeedback

from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.joy import message_of_pad
from surefoot.nodes.parameters import GamepadParameters
from surefoot.nodes.unheard import Unheard
from surefoot.robot.locate import shared_directory
from surefoot.teleop.layout import read_layouts
from surefoot.teleop.sdl_pad import SdlPad
from surefoot.teleop.writer import GONE, PadMessage

POLL_RATE = 100.0
"""Hz"""

ABSENCES = 10
"""How often a pad that is gone is said to be: once might get lost."""

RUMBLE_TIME = 0.25
"""s"""


class GamepadNode(SurefootNode):
    """Topics: /joy out, its frame_id the name of the layout; /joy/set_feedback in."""

    def __init__(self) -> None:
        super().__init__("gamepad")
        layouts = read_layouts(shared_directory() / "config" / "gamepads")
        given = self.declared(GamepadParameters)
        self._pad = SdlPad(layouts, given.layout)
        self._joy = self.create_publisher(Joy, "/joy", QoSProfile(depth=50))
        self._absences = 0
        self.create_subscription(JoyFeedback, "/joy/set_feedback", self._rumble, QoSProfile(depth=10))
        self.create_timer(1.0 / POLL_RATE, self.timed(self._poll))
        self.create_timer(1.0 / given.repeat_rate, self._repeat)
        Unheard(self, "/joy", "teleop", self.get_logger().warning)

    def at_end(self) -> None:
        """Nobody drives any more."""
        if self._pad.device is not None:
            for _ in range(ABSENCES // 2):
                self._publish(GONE)
                time.sleep(0.02)
        self._pad.close()

    def health(self) -> dict[str, str]:
        """Which pad it is."""
        device = self._pad.device
        return {"gamepad": "none" if device is None else device.name, "layout": self._pad.layout_name}

    def _poll(self, *_: object) -> None:
        for message in self._pad.poll():
            self._publish(message)
            self._absences = ABSENCES if message == GONE else 0
        for notice in self._pad.take_notices():
            self.get_logger().info(notice)

    def _repeat(self) -> None:
        if self._pad.device is not None:
            self._publish(self._pad.message())
        elif self._absences > 0:
            self._absences -= 1
            self._publish(GONE)

    def _publish(self, message: PadMessage) -> None:
        self._joy.publish(message_of_pad(message, self.get_clock().now().to_msg(), self._pad.layout_name))

    def _rumble(self, feedback: JoyFeedback) -> None:
        if feedback.type == JoyFeedback.TYPE_RUMBLE and not self._pad.rumble(feedback.intensity, RUMBLE_TIME):
            self.counters["rumbles_not_done"] += 1


def main() -> None:
    """Entry point."""
    run(GamepadNode)


if __name__ == "__main__":
    main()
