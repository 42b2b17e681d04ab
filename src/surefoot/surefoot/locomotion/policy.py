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
from surefoot.locomotion.compiled.policy import NONE, schedule_records
from surefoot.locomotion.compiled.records import CONTROL
from surefoot.locomotion.friction import friction_under_feet
from surefoot.locomotion.laws import COMPILED, CompiledLaw, law_memory
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.robot.tree import leg_tree

Array = NDArray[np.float64]

_FINITE = (
    "base_position", "base_roll_pitch_yaw", "base_velocity", "base_rate", "base_acceleration", "foot_position", "foot_velocity",
    "foot_acceleration", "load", "normal", "friction",
)  # fmt: skip
"""What of a PLAN record has to be finite; a foot that is never lifted has no time to its next event."""

SLOTS = 4
"""Gaits at hand at one time: the one in force, two that come one after the other, and the one that fades."""


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
    """A gait change that was decided.

    Attributes:
        gait: that comes.
        switch_time: when, s, planner time.
        phase: at which phase of its cycle.
        blend_time: s over which it comes; 0: at once.
        intermediate: gait that is walked on the way; None: the change is made directly.
        intermediate_time: s from the switch to the intermediate gait to that from it, longer than `blend_time`.
    """

    gait: Gait
    switch_time: float
    phase: float
    blend_time: float = 0.0
    intermediate: Gait | None = None
    intermediate_time: float = 0.0


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
        self._gaits = np.zeros(SLOTS + 1, GAIT)
        self._gaits[0] = gait_record(self.gait)[0]
        self._schedule = schedule_records(1)
        self._coming: list[Gait] = []
        self._alive = np.ones(1, np.bool_)

    @property
    def phase(self) -> float:
        """Of the cycle of the gait in force, 0 to 1."""
        return float(self.planner["phase"][0])

    @property
    def blending(self) -> bool:
        """Whether the gait before still fades."""
        return bool(self._schedule["blend_from"][0] != NONE)

    @property
    def changing(self) -> bool:
        """Whether a scheduled change is still to be made, or half of it, on the way through an intermediate gait."""
        return bool(self._coming)

    @property
    def sound(self) -> bool:
        """Whether every number of the plan is one. From a state that is finite and absurd there may be none that is."""
        return bool(np.isfinite(np.concatenate([self.plan_record[name][0] for name in _FINITE], axis=None)).all())

    def warm_up(self, model: RobotModel) -> None:
        """Compile, or read from the cache, everything that a tick calls, before the first tick counts."""
        state = model.neutral()
        self.start(state)
        self.tick(state, np.zeros(3), 0.5)
        self.start(state)

    def start(self, state: RobotState) -> None:
        """Begin to stand at the measured pose; whatever was planned before is forgotten."""
        self.gait, self._coming = self.gaits[STAND], []
        self._gaits[0] = gait_record(self.gait)[0]
        self._schedule[:] = schedule_records(1)
        policy.start(self._tree, self._settings, self.planner, state_record(state))

    def carry(self, posture: Array) -> None:
        """Say how the body is to be carried beside what the gait says: height, m, roll, pitch and yaw, rad, (4,); see records.PLANNER."""
        self.planner["posture"] = np.where(np.isfinite(posture), posture, 0.0)

    def schedule(self, change: ScheduledChange) -> None:
        """Have the gait changed at a time that lies ahead; a change scheduled before is replaced."""
        self._coming = [change.gait] if change.intermediate is None else [change.intermediate, change.gait]
        slots = [(int(self._schedule["gait"][0]) + 1 + i) % SLOTS for i in range(len(self._coming))]
        for slot, gait in zip(slots, self._coming, strict=True):
            self._gaits[slot] = gait_record(gait)[0]
        self._schedule["pending"], self._schedule["then"] = slots[0], slots[1] if len(slots) > 1 else NONE
        self._schedule["switch_time"], self._schedule["switch_phase"] = change.switch_time, change.phase
        self._schedule["blend_time"], self._schedule["then_after"] = change.blend_time, change.intermediate_time

    def cancel(self) -> None:
        """Keep the gait in force: a scheduled change is dropped, or what is left of it."""
        self._schedule["pending"] = self._schedule["then"] = NONE
        self._coming = []

    def tick(self, state: RobotState, command: Array, friction: float | Array) -> bool:
        """Plan one tick; the plan is in `plan_record`.

        Args:
            state: the estimate.
            command: wanted forward and left speed, m/s, and turn rate, rad/s, (3,).
            friction: believed Coulomb coefficient of the ground, under all feet or under each, (4,). A foot that has shown less is
                believed to have less.

        Returns:
            Whether the gait was changed at this tick as scheduled, to an intermediate one or at last.
        """
        policy.plan(
            self._tree, self._settings, self._gaits, self._schedule, self.planner, state_record(state), command,
            friction_under_feet(friction, state.foot_friction), self.plan_record, self._alive,
        )  # fmt: skip
        left = sum(int(self._schedule[name][0]) != NONE for name in ("pending", "then"))
        if left == len(self._coming):
            return False
        self.gait = self._coming.pop(0)
        return True


class Controlling:
    """The control half of the policy.

    Args:
        model: the believed robot.
        law: one of `laws.COMPILED_LAWS`.
    """

    def __init__(self, model: RobotModel, law: str = COMPILED) -> None:
        self._law, self._memory = CompiledLaw(model, law), law_memory(1)
        self._control, self._alive = np.zeros(1, CONTROL), np.ones(1, np.bool_)
        self._period = 1.0 / model.description.control.rate

    def warm_up(self, model: RobotModel) -> None:
        """Compile, or read from the cache, everything that a tick calls, before the first tick counts."""
        self.tick(standing_plan(), model.neutral())

    def tick(self, plan: np.ndarray, state: RobotState) -> np.ndarray:
        """The CONTROL record for a PLAN record, both in arrays of one; its status says whether it may be used."""
        return self.tick_record(plan, state_record(state), self._period)

    def tick_record(self, plan: np.ndarray, state: np.ndarray, dt: float) -> np.ndarray:
        """The same for a STATE record in an array of one and any control period, s."""
        self._law.control(plan, state, dt, self._memory, self._control, self._alive)
        return self._control
