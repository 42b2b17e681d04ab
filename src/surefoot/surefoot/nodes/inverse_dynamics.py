# SPDX-License-Identifier: Apache-2.0
"""Node: plan and state in, joint command by inverse dynamics with contact out."""

import numpy as np
from surefoot_msgs.msg import MotionPlan, ServoCommand
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import SensorError
from surefoot.locomotion.compiled.records import FAILED, RELAXED, STATUS_TEXT
from surefoot.locomotion.policy import Controlling
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.command import idle_command, message_of_command
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.conversions.plan import PlanReader
from surefoot.nodes.conversions.state import StateReader
from surefoot.nodes.join import Tick, TickJoin
from surefoot.robot.command import JointCommand
from surefoot.robot.state import RobotState

SOURCE = "inverse_dynamics"


class InverseDynamicsNode(SurefootNode):
    """Topics: /robot_state, /motion_plan in; /servo_command out."""

    def __init__(self) -> None:
        super().__init__("inverse_dynamics")
        description = self.model.description
        self._controlling = Controlling(self.model)
        self._states, self._plans = StateReader(description), PlanReader(description)
        self._stiffness = np.full(12, description.servos.stiffness)
        self._damping = np.full(12, description.servos.damping)
        self._law = self.timed(self._controlling.tick)
        self._controlling.warm_up(self.model)
        self._commands = self.create_publisher(ServoCommand, "/servo_command", quality.command(self.lockstep))
        join = TickJoin(("/robot_state", "/motion_plan"), "/motion_plan", self.lockstep, self._tick)
        # The state is read while the planner still plans.
        self.create_subscription(
            RobotStateMessage,
            "/robot_state",
            lambda message: join.push("/robot_state", self._state(message)),
            quality.command(self.lockstep),
        )
        self.create_subscription(MotionPlan, "/motion_plan", join.receiver("/motion_plan"), quality.command(self.lockstep))

    def _tick(self, tick: Tick) -> None:
        plan, state = tick["/motion_plan"], tick["/robot_state"]
        command = None
        if plan.activity != MotionPlan.INACTIVE and state is not None:
            command = self._command(plan, state)
        stamp = seconds_of(plan.header.stamp)
        answer = idle_command(stamp, SOURCE) if command is None else message_of_command(command, self.model.description, SOURCE)
        answer.activity = plan.activity
        self._commands.publish(answer)

    def _state(self, message: RobotStateMessage) -> RobotState | None:
        """The state, None where it is not one to walk on."""
        try:
            return self._states.read(message) if message.valid else None
        except SensorError as error:
            self.fault("refused_message", str(error))
            return None

    def _command(self, plan: MotionPlan, state: RobotState) -> JointCommand | None:
        """The command, None where there is none that may be used."""
        try:
            record = self._plans.read(plan)
        except SensorError as error:
            self.fault("refused_message", str(error))
            return None
        control = self._law(record, state)[0]
        status = int(control["status"])
        if status == FAILED:
            # Nothing unchecked goes out: the bridge holds its last command for a moment and then damps.
            self.fault("no_solution", f"the inverse dynamics found no solution at {state.time:.3f} s")
            return None
        remarks = [STATUS_TEXT[status]] if status == RELAXED else []
        if control["saturated"]:
            self.counters["torques_clamped"] += int(control["saturated"])
            remarks.append(f"{int(control['saturated'])} torques clamped to their limits")
        return JointCommand(
            state.time,
            control["position"].reshape(12).copy(),
            control["velocity"].reshape(12).copy(),
            control["effort"].reshape(12).copy(),
            self._stiffness,
            self._damping,
            tuple(remarks),
        )


def main() -> None:
    """Entry point."""
    run(InverseDynamicsNode)


if __name__ == "__main__":
    main()
