# SPDX-License-Identifier: Apache-2.0
"""Node: the one door between people, or what drives in their place, and the robot."""

from geometry_msgs.msg import TwistStamped
from sensor_msgs.msg import Joy
from surefoot_msgs.msg import GaitRequest, GaitStatus, OperatorCommand, RobotMode

from surefoot.gait.library import read_gaits
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.conversions.operator import message_of_wish
from surefoot.nodes.join import Tick, TickJoin
from surefoot.robot.locate import shared_directory
from surefoot.settings import read_settings
from surefoot.teleop.driving import PlanarVelocity
from surefoot.teleop.layout import read_layout
from surefoot.teleop.operator import Operator
from surefoot.teleop.settings import OperatorSettings


class TeleopNode(SurefootNode):
    """Topics: /joy, /cmd_vel, /gait_request, and /robot_mode as the clock of ticks in; /operator_command out.

    Each mode that comes ends a tick: what the operator wants at the next one is on its way before its samples are.

    Parameters:
        pad_lockstep: each tick waits for a /joy message of its own; for a scripted pad, which sends one a tick.
    """

    def __init__(self) -> None:
        super().__init__("teleop")
        config = shared_directory() / "config"
        settings = read_settings(OperatorSettings, config / "teleop.yaml").for_robot(self.model.description)
        gaits = read_gaits(config / "gaits" / f"{self.model.description.gait_set}.yaml")
        layout = read_layout(config / "gamepads", self.declare_parameter("layout", settings.layout).value)
        self._operator = Operator(layout, settings, gaits.names)
        self._time = 0.0
        self._limits: PlanarVelocity | None = None
        self._gaits = gaits
        self._commands = self.create_publisher(OperatorCommand, "/operator_command", quality.operator(self.lockstep))
        waits = self.declare_parameter("pad_lockstep", False).value
        self._join = TickJoin(("/robot_mode", "/joy") if waits else ("/robot_mode",), "/robot_mode", self.lockstep, self.timed(self._tick))
        if self.lockstep:
            # Nothing came before the first tick.
            self._join.push("/robot_mode", RobotMode())
            if waits:
                self._join.push("/joy", None)
        self.create_subscription(RobotMode, "/robot_mode", self._join.receiver("/robot_mode"), quality.command(self.lockstep))
        if waits:
            self.create_subscription(Joy, "/joy", self._join.receiver("/joy"), quality.command(True))
        else:
            self.create_subscription(Joy, "/joy", self._hear_pad, quality.INPUT)
        self.create_subscription(TwistStamped, "/cmd_vel", self._hear_velocity, quality.INPUT)
        self.create_subscription(GaitRequest, "/gait_request", self._hear_request, 10)
        self.create_subscription(GaitStatus, "/gait_status", self._hear_status, quality.EVENT)

    def health(self) -> dict[str, str]:
        """Pad troubles and dropped inputs."""
        return {name: str(count) for name, count in sorted(self._operator.counters.items())}

    def _hear_pad(self, joy: Joy) -> None:
        # Stamped by the clock of the ticks on receipt: drivers stamp by clocks of their own.
        self._operator.pad_message(self._time, joy.axes, joy.buttons)

    def _hear_velocity(self, twist: TwistStamped) -> None:
        velocity = PlanarVelocity(twist.twist.linear.x, twist.twist.linear.y, twist.twist.angular.z)
        self._operator.external_velocity(self._time, velocity)

    def _hear_request(self, request: GaitRequest) -> None:
        refusal = self._operator.external_gait_request(request.id, request.gait)
        if refusal:
            self.fault("gait_request_dropped", refusal)

    def _hear_status(self, status: GaitStatus) -> None:
        if not self.lockstep and status.gait in self._gaits:
            gait = self._gaits[status.gait]
            self._limits = PlanarVelocity(gait.max_forward_speed, gait.max_strafe_speed, gait.max_turn_rate) if gait.moves else None

    def _tick(self, tick: Tick) -> None:
        mode, joy = tick["/robot_mode"], tick.get("/joy")
        self._time = seconds_of(mode.header.stamp)
        if joy is not None:
            self._operator.pad_message(self._time, joy.axes, joy.buttons)
        walking = mode.mode == RobotMode.WALKING
        wish = self._operator.tick(self._time, walking, self._limits)
        for notice in wish.notices:
            self.get_logger().info(notice)
        self._commands.publish(message_of_wish(wish))


def main() -> None:
    """Entry point."""
    run(TeleopNode)


if __name__ == "__main__":
    main()
