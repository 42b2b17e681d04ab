# SPDX-License-Identifier: Apache-2.0
"""Node: the one door between people, or what drives in their place, and the robot."""

import math
from collections import deque
from pathlib import Path

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy, JoyFeedback
from surefoot_msgs.msg import GaitRequest, GaitStatus, OperatorCommand, RobotMode

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.gait.library import GaitLibrary
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.parameters import Gait
from surefoot.gait.settings import PlannerSettings
from surefoot.gait.validator import check_gait
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.conversions.gait import own_gait_of
from surefoot.nodes.conversions.operator import message_of_wish, offer_of
from surefoot.nodes.gait_action import GaitAction
from surefoot.nodes.gait_parameters import GaitParameters
from surefoot.nodes.join import Tick, TickJoin
from surefoot.nodes.parameters import TeleopParameters
from surefoot.robot.locate import shared_directory
from surefoot.settings import read_settings
from surefoot.teleop.delivery import DeliveryDelay
from surefoot.teleop.driving import PlanarVelocity
from surefoot.teleop.gait_editor import GaitEditor
from surefoot.teleop.gait_files import own_gaits, save_gait, user_file
from surefoot.teleop.gait_names import GaitNames
from surefoot.teleop.layout import read_layout, read_layouts
from surefoot.teleop.name_choice import names_to_keep
from surefoot.teleop.operator import Operator
from surefoot.teleop.page import TuningPage
from surefoot.teleop.settings import OperatorSettings

RUMBLES = {GaitStatus.SCHEDULED: 0.3, GaitStatus.VETOED: 1.0}
"""How hard the pad shakes when a request is accepted or vetoed, 0 to 1."""

UNARMED = (RobotMode.OFF, RobotMode.STOPPED, RobotMode.FAULT)


class TeleopNode(SurefootNode):
    """Topics: /joy, /cmd_vel, /gait_request, and /robot_mode as the clock of ticks in; /operator_command, /joy/set_feedback out.

    Serves the action /request_gait; the parameters gait.period, … are the gait that runs, see GaitParameters.

    Each mode that comes ends a tick: what the operator wants at the next one is on its way before its samples are.
    """

    def __init__(self) -> None:
        super().__init__("teleop")
        config = shared_directory() / "config"
        settings = read_settings(OperatorSettings, config / "teleop.yaml").for_robot(self.model.description)
        gaits = gaits_of(self.model)
        given = self.declared(TeleopParameters)
        only = given.layout
        layouts = read_layouts(config / "gamepads")
        layout = read_layout(config / "gamepads", only or settings.layout)
        file = user_file(settings.user_gaits, self.model.description.gait_set)
        own = self._own_gaits(gaits, file)
        self._gaits, self._planner = gaits, read_settings(PlannerSettings, config / "gait_planner.yaml")
        names = GaitNames(own)
        self._page = self._tuning_page(own, file, names)
        self._operator = Operator(layout, settings, gaits.names, self._page, layouts, only, own, self.model.description.stand_height)
        self._delays = {name: DeliveryDelay() for name in layouts}
        self._statuses: deque[GaitStatus] = deque()
        self._time = 0.0
        self._ticked = False
        self._opened = math.inf
        self._request_state: tuple[int, int] = (0, GaitStatus.IDLE)
        self._limits: PlanarVelocity | None = None
        self._commands = self.create_publisher(OperatorCommand, "/operator_command", quality.operator(self.lockstep))
        self._feedback = self.create_publisher(JoyFeedback, "/joy/set_feedback", QoSProfile(depth=10))
        waits = given.pad_lockstep
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
        if given.cmd_vel_stamped:
            self.create_subscription(TwistStamped, "/cmd_vel", lambda message: self._hear_velocity(message.twist), quality.INPUT)
        else:
            self.create_subscription(Twist, "/cmd_vel", self._hear_velocity, quality.INPUT)
        self.create_subscription(GaitRequest, "/gait_request", self._hear_request, 10)
        self._parameters_of_gait = GaitParameters(self, self._editor(names), self._operator.gait_action)
        self._action = GaitAction(self, self.model.description, self._ask)
        self.create_subscription(GaitStatus, "/gait_status", self._hear_status, quality.EVENT)

    def health(self) -> dict[str, str]:
        """Pad troubles and dropped inputs."""
        return {name: str(count) for name, count in sorted(self._operator.counters.items())}

    def _own_gaits(self, gaits: GaitLibrary, file: Path) -> dict[str, Gait]:
        try:
            return own_gaits(gaits, file)
        except ConfigurationError as error:
            # What a person keeps must not keep the robot from walking.
            self.get_logger().warning(str(error))
            return {}

    def _tuning_page(self, own: dict[str, Gait], file: Path, names: GaitNames) -> TuningPage:
        def save(gait: Gait) -> None:
            save_gait(gait, self._gaits, file)
            own[gait.name] = gait

        def moving() -> list[Gait]:
            return [gait for gait in (*map(self._gaits.__getitem__, self._gaits.names), *own.values()) if gait.moves]

        return TuningPage(self._editor(names), save, lambda gait: names_to_keep(gait, self._gaits, own), moving)

    def _editor(self, names: GaitNames) -> GaitEditor:
        """An editor of the gait that runs."""
        gait = self._gaits[self.model.description.default_gait]
        return GaitEditor(gait, lambda gait: check_gait(gait, self.model, planner=self._planner), names)

    def _hear_pad(self, joy: Joy) -> None:
        if not self._ticked:
            # There is no time yet to stamp it with, and nobody to command.
            return
        # Stamped by the clock of the ticks on receipt: drivers stamp by clocks of their own. A pad that names its layout is driven by a
        # node that stamps by the clock of the day. Any other may stamp by a clock that stands still, and is never late.
        name: str = joy.header.frame_id
        delay = self._delays[name].of(seconds_of(joy.header.stamp), self.steady()) if name in self._delays else 0.0
        self._operator.pad_message(self._time, joy.axes, joy.buttons, name, delay)

    def _hear_velocity(self, twist: Twist) -> None:
        self._operator.external_velocity(self._time, PlanarVelocity(twist.linear.x, twist.linear.y, twist.angular.z))

    def _hear_request(self, request: GaitRequest) -> None:
        try:
            own_gait = own_gait_of(request.own_gait, self.model.description)
            refusal = self._operator.external_gait_request(request.id, request.gait, own_gait, request.intermediate)
        except SurefootError as error:
            refusal = str(error)
        if refusal:
            self.fault("gait_request_dropped", refusal)

    def _ask(self, gait: str, own_gait: Gait | None, intermediate: str) -> tuple[int, str]:
        """Take a goal once a tick has told the planner that the numbers of requests begin anew, see `Operator.gait_action`."""
        if not self._ticked:
            return 0, "the robot has not been heard yet; ask again when it runs"
        return self._operator.gait_action(gait, own_gait, intermediate)

    def _hear_status(self, status: GaitStatus) -> None:
        if self._since_start(status):
            self._action.hear(status)
        if self.lockstep:
            # When it arrives is chance, and what it changes goes into the wishes: it waits for its tick.
            self._statuses.append(status)
        else:
            self._take_status(status)

    def _since_start(self, status: GaitStatus) -> bool:
        """Whether it is of this run. Who joins late hears the last status: what became of a request before that is no news."""
        return seconds_of(status.header.stamp) >= self._opened

    def _take_status(self, status: GaitStatus) -> None:
        news = (status.request_id, status.request_state)
        fresh = news != self._request_state and self._since_start(status)
        self._request_state = news
        if fresh:
            if status.request_state in RUMBLES:
                self._feedback.publish(JoyFeedback(type=JoyFeedback.TYPE_RUMBLE, intensity=RUMBLES[status.request_state]))
            if status.request_state in (GaitStatus.COMMITTED, GaitStatus.VETOED):
                self._operator.gait_verdict(status.requested_gait, status.request_state == GaitStatus.COMMITTED, status.reason)
            self._operator.offer(self._time, offer_of(status))
        self._operator.gait_status(status.gait, status.request_id, status.request_state == GaitStatus.VETOED)
        if status.gait in self._gaits and self._gaits[status.gait].moves:
            self._operator.gait_runs(self._gaits[status.gait])
        self._parameters_of_gait.follow(self._operator.running, news[1] in (GaitStatus.COMMITTED, GaitStatus.VETOED) and fresh)
        gait = self._page.editor.running
        if status.gait in self._gaits:
            gait = self._gaits[status.gait]
        if not self.lockstep and gait.name == status.gait:
            self._limits = PlanarVelocity(gait.max_forward_speed, gait.max_strafe_speed, gait.max_turn_rate) if gait.moves else None

    def _tick(self, tick: Tick) -> None:
        mode, joy = tick["/robot_mode"], tick.get("/joy")
        self._time = seconds_of(mode.header.stamp)
        if not self._ticked:
            self._ticked, self._opened = True, self._time
        # The mode of the same tick may overtake a status; that of the next comes only after what this one brings about.
        while self._statuses and seconds_of(self._statuses[0].header.stamp) < self._time:
            self._take_status(self._statuses.popleft())
        if joy is not None:
            self._operator.pad_message(self._time, joy.axes, joy.buttons)
        walking = mode.mode == RobotMode.WALKING
        wish = self._operator.tick(self._time, walking, self._limits, armed=mode.mode not in UNARMED)
        for notice in wish.notices:
            self.get_logger().info(notice)
        self._commands.publish(message_of_wish(wish, self.model.description))


def main() -> None:
    """Entry point."""
    run(TeleopNode)


if __name__ == "__main__":
    main()
