# SPDX-License-Identifier: Apache-2.0
"""Node: plan and state in, joint command by inverse dynamics with contact out."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from std_msgs.msg import String
from surefoot_msgs.msg import MotionPlan, ServoCommand
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import SensorError
from surefoot.inverse_dynamics.guarded import Fault
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.locomotion.control import SelectedControl
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.command import idle_command, message_of_command
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.conversions.plan import PlanReader
from surefoot.nodes.conversions.state import StateReader
from surefoot.nodes.join import Tick, TickJoin
from surefoot.nodes.parameters import InverseDynamicsParameters
from surefoot.robot.command import JointCommand
from surefoot.robot.frozen import SAMPLE_HOLD, FrozenWatch
from surefoot.robot.state import RobotState

SOURCE = "inverse_dynamics"

TIME_LIMIT = 2.0
"""Control periods after which an answer is about a robot that has moved on."""


class InverseDynamicsNode(SurefootNode):
    """Topics: /robot_state, /motion_plan in; /servo_command, /controller out."""

    def __init__(self) -> None:
        super().__init__("inverse_dynamics")
        description = self.model.description
        given = self.declared(InverseDynamicsParameters)
        late = math.inf if self.lockstep else self.slow_motion * TIME_LIMIT / description.control.rate
        self._control = SelectedControl(
            self.model, given.controller, given.hardware, self._report_controller, late, given.controller_every
        )
        self._repeats = FrozenWatch(SAMPLE_HOLD)
        self._states, self._plans = StateReader(description), PlanReader(description)
        self._stiffness = np.full(12, description.servos.stiffness)
        self._damping = np.full(12, description.servos.damping)
        self._law = self.timed(self._control.tick)
        # A swap must not compile while the robot walks; in lockstep it waits.
        self._control.warm_up(others=not self.lockstep)
        self._names = self.create_publisher(String, "/controller", quality.EVENT)
        self._names.publish(String(data=given.controller))
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
        if plan.activity in (MotionPlan.STANDING, MotionPlan.MOVING) and state is not None:
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
        # The phase of a gait goes on.
        if self._repeats.look(seconds_of(plan.header.stamp), record.tobytes(), moving=plan.activity == MotionPlan.MOVING):
            self.fault("plan_frozen", f"the plan is the same to the last digit since {self._repeats.since:.3f} s, and a gait runs")
            return None
        control = self._law(record, state)
        if not control.usable:
            # Nothing unchecked goes out: the bridge holds its last command for a moment and then damps.
            self.fault("no_solution", f"the inverse dynamics found no solution at {state.time:.3f} s")
            return None
        remarks = [control.reason] if control.status != SOLVED else []
        if control.repaired:
            self.counters["repaired"] += 1
            remarks.append("the joint accelerations did not agree with rigid contact, the nearest that do took their place")
        if control.saturated:
            self.counters["torques_clamped"] += control.saturated
            remarks.append(f"{control.saturated} torques clamped to their limits")
        return JointCommand(
            state.time, control.position, control.velocity, control.effort, self._stiffness, self._damping, tuple(remarks)
        )

    def _report_controller(self, fault: Fault, text: str) -> None:
        self.fault(f"controller_{fault}", f"{self._control.name}: {text}")

    def tune(self, changes: Mapping[str, Any]) -> None:
        """Swap the controller. Raises ConfigurationError where that is not possible."""
        self._control.swap(changes["controller"])
        self._names.publish(String(data=self._control.name))
        self.get_logger().info(f"{self._control.name} drives from now on")


def main() -> None:
    """Entry point."""
    run(InverseDynamicsNode)


if __name__ == "__main__":
    main()
