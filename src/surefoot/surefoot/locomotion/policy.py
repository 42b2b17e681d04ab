# SPDX-License-Identifier: Apache-2.0
"""The policy for one robot: the compiled law on a batch of one, behind plain Python objects."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.library import STAND, GaitLibrary
from surefoot.gait.parameters import GAIT, Gait, gait_record
from surefoot.gait.records import PLAN, PLANNER, STATE
from surefoot.gait.settings import PlannerSettings
from surefoot.locomotion.compiled import policy
from surefoot.locomotion.compiled.policy import SCHEDULE
from surefoot.locomotion.compiled.records import CONTROL, gains_record
from surefoot.locomotion.compiled.rigid_body import TERMS
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.robot.tree import leg_tree

Array = NDArray[np.float64]

NO_CHANGE = -1


def state_record(state: RobotState) -> np.ndarray:
    """An array of one STATE record."""
    record = np.zeros(1, STATE)
    record["time"], record["base_position"], record["base_quaternion"] = state.time, state.base_position, state.base_quaternion
    record["base_velocity"], record["base_rate"] = state.base_linear_velocity, state.base_angular_velocity
    record["joint_position"], record["joint_velocity"] = state.joint_position.reshape(4, 3), state.joint_velocity.reshape(4, 3)
    record["contact_probability"], record["foot_force"] = state.contact_probability, state.foot_force
    return record


def standing_plan() -> np.ndarray:
    """An array of one PLAN record that asks to stand on four feet, wherever they are: enough to see that a controller answers."""
    plan = np.zeros(1, PLAN)
    plan["load"], plan["friction"], plan["normal"] = 1.0, 0.5, (0.0, 0.0, 1.0)
    return plan


@dataclass(frozen=True)
class ScheduledChange:
    """A gait change that was decided: to which gait, when (s, planner time), and at which phase of its cycle."""

    gait: Gait
    switch_time: float
    phase: float


class Planning:
    """The planning half of the policy, with its memory.

    Args:
        model: the believed robot.
        gaits: every gait that may be asked for.
        settings: of the planner.
    """

    def __init__(self, model: RobotModel, gaits: GaitLibrary, settings: PlannerSettings) -> None:
        self.gaits = gaits
        self.gait = gaits[STAND]
        self.planner = np.zeros(1, PLANNER)
        self.plan_record = np.zeros(1, PLAN)
        self._tree = np.array([leg_tree(model)])
        self._settings = settings.record(model.description.stand_height)
        self._gaits = np.zeros(2, GAIT)
        self._gaits[0] = gait_record(self.gait)[0]
        self._schedule = np.zeros(1, SCHEDULE)
        self._schedule["pending"] = NO_CHANGE
        self._pending: Gait | None = None
        self._alive = np.ones(1, np.bool_)

    @property
    def phase(self) -> float:
        """Of the cycle of the gait in force, 0 to 1."""
        return float(self.planner["phase"][0])

    def warm_up(self, model: RobotModel) -> None:
        """Compile, or read from the cache, everything that a tick calls, before the first tick counts."""
        state = model.neutral()
        self.start(state)
        self.tick(state, np.zeros(3), 0.5)
        self.start(state)

    def start(self, state: RobotState) -> None:
        """Begin to stand at the measured pose; whatever was planned before is forgotten."""
        self._take(self.gaits[STAND])
        policy.start(self._tree, self._gaits[:1], self.planner, state_record(state))

    def schedule(self, change: ScheduledChange) -> None:
        """Have the gait changed at a time that lies ahead; a change scheduled before is replaced."""
        self._gaits[1] = gait_record(change.gait)[0]
        self._schedule["pending"], self._schedule["switch_time"], self._schedule["switch_phase"] = 1, change.switch_time, change.phase
        self._pending = change.gait

    def cancel(self) -> None:
        """Keep the gait in force: a scheduled change is dropped."""
        self._schedule["pending"], self._pending = NO_CHANGE, None

    def _take(self, gait: Gait) -> None:
        self.gait, self._pending = gait, None
        self._gaits[0] = gait_record(gait)[0]
        self._schedule["gait"], self._schedule["pending"] = 0, NO_CHANGE

    def tick(self, state: RobotState, command: Array, friction: float) -> bool:
        """Plan one tick; the plan is in `plan_record`.

        Args:
            state: the estimate.
            command: wanted forward and left speed, m/s, and turn rate, rad/s, (3,).
            friction: believed Coulomb coefficient.

        Returns:
            Whether a scheduled gait change was made at this tick.
        """
        policy.plan(
            self._tree, self._settings, self._gaits, self._schedule, self.planner, state_record(state), command, friction,
            self.plan_record, self._alive,
        )  # fmt: skip
        if self._pending is not None and self._schedule["pending"][0] == NO_CHANGE:
            self._take(self._pending)
            return True
        return False


class Controlling:
    """The control half of the policy: it has no memory.

    Args:
        model: the believed robot.
    """

    def __init__(self, model: RobotModel) -> None:
        self._tree = np.array([leg_tree(model)])
        self._gains = gains_record(model.description)
        self._terms, self._control = np.zeros(1, TERMS), np.zeros(1, CONTROL)
        self._alive = np.ones(1, np.bool_)
        self._period = 1.0 / model.description.control.rate

    def warm_up(self, model: RobotModel) -> None:
        """Compile, or read from the cache, everything that a tick calls, before the first tick counts."""
        self.tick(standing_plan(), model.neutral())

    def tick(self, plan: np.ndarray, state: RobotState) -> np.ndarray:
        """The CONTROL record for a PLAN record, both in arrays of one; its status says whether it may be used."""
        return self.tick_record(plan, state_record(state), self._period)

    def tick_record(self, plan: np.ndarray, state: np.ndarray, dt: float) -> np.ndarray:
        """The same for a STATE record in an array of one and any control period, s."""
        policy.control(self._tree, self._gains, plan, state, dt, self._terms, self._control, self._alive)
        return self._control
