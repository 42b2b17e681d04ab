# SPDX-License-Identifier: Apache-2.0
"""Node: a gamepad that plays a story, one message a tick."""

from sensor_msgs.msg import Joy
from surefoot_msgs.msg import RobotMode

from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.joy import message_of_pad
from surefoot.nodes.conversions.story import story_time
from surefoot.nodes.parameters import ScriptedPadParameters
from surefoot.robot.locate import shared_directory
from surefoot.settings import read_settings
from surefoot.teleop.layout import read_layout
from surefoot.teleop.script import ScriptedPad, find_story, read_story
from surefoot.teleop.settings import OperatorSettings
from surefoot.teleop.story_clock import StoryClock


class ScriptedPadNode(SurefootNode):
    """Topics: /robot_mode as the clock in; /joy out."""

    def __init__(self) -> None:
        super().__init__("scripted_pad")
        config = shared_directory() / "config"
        settings = read_settings(OperatorSettings, config / "teleop.yaml")
        layout = read_layout(config / "gamepads", settings.layout)
        story = read_story(find_story(self.declared(ScriptedPadParameters).story))
        self._pad, self._story_clock = ScriptedPad(story, layout), StoryClock(story)
        self._joy = self.create_publisher(Joy, "/joy", quality.command(True))
        self.create_subscription(RobotMode, "/robot_mode", self.timed(self._tick), quality.command(self.lockstep))

    def _tick(self, mode: RobotMode) -> None:
        # Running free it stamps as any pad does; in lockstep the tick is the stamp.
        stamp = mode.header.stamp if self.lockstep else self.get_clock().now().to_msg()
        self._joy.publish(message_of_pad(self._pad.at(story_time(self._story_clock, mode)), stamp))


def main() -> None:
    """Entry point."""
    run(ScriptedPadNode)


if __name__ == "__main__":
    main()
