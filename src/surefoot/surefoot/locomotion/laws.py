# SPDX-License-Identifier: Apache-2.0
"""The control laws that exist in a compiled form: what drives the robot by them, and what the traces run."""

from dataclasses import dataclass, field

import numpy as np

from surefoot.errors import UnknownNameError
from surefoot.inverse_dynamics.joint_pid import JointPidGains
from surefoot.inverse_dynamics.selector import DEFAULT
from surefoot.locomotion.compiled import policy
from surefoot.locomotion.compiled.joint_pid import PID_MEMORY, pid_control, pid_gains_record, pid_memory
from surefoot.locomotion.compiled.records import CONTROL, gains_record
from surefoot.locomotion.compiled.rigid_body import TERMS
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

COMPILED = "compiled"
"""The two-stage law."""
COMPILED_JOINT_PID = "compiled_joint_pid"
"""The reference PID of each joint."""
COMPILED_LAWS = (COMPILED, COMPILED_JOINT_PID)

LAW_OF = {COMPILED: COMPILED, DEFAULT: COMPILED, COMPILED_JOINT_PID: COMPILED_JOINT_PID, "joint_pid": COMPILED_JOINT_PID}
"""Controllers that a trace speaks for, and the law that it runs for them: compiled laws and their readable forms."""

MEMORY = PID_MEMORY
"""What a law remembers from tick to tick; the two-stage law remembers nothing and leaves it alone."""


def law_memory(count: int) -> np.ndarray:
    """MEMORY records of robots that were never controlled, (count,)."""
    return pid_memory(count)


@dataclass(frozen=True)
class LawState:
    """Which law drives at one instant, and what it remembers.

    Attributes:
        name: one of COMPILED_LAWS.
        memory: array of one MEMORY record.
    """

    name: str = COMPILED
    memory: np.ndarray = field(default_factory=lambda: law_memory(1))


class CompiledLaw:
    """A law over a leading particle axis.

    Args:
        model: the believed robot.
        name: one of COMPILED_LAWS.

    Raises:
        UnknownNameError: there is no such law.
    """

    def __init__(self, model: RobotModel, name: str = COMPILED) -> None:
        if name not in COMPILED_LAWS:
            raise UnknownNameError("compiled law", name, COMPILED_LAWS)
        self.name = name
        self._tree, self._gains = np.array([leg_tree(model)]), gains_record(model.description)
        self._pid_gains = pid_gains_record(JointPidGains.of(model))
        self._terms = np.zeros(1, TERMS)

    def control(
        self, plans: np.ndarray, states: np.ndarray, dt: float, memory: np.ndarray, controls: np.ndarray, alive: np.ndarray
    ) -> None:
        """Compute the joint command of each robot that is alive.

        Args:
            plans, states: PLAN and STATE records, (n,).
            dt: control period, s.
            memory: MEMORY records, (n,), taken further.
            controls: CONTROL records, (n,), written; the status of each says whether it may be used.
            alive: (n,), bool.
        """
        if self.name == COMPILED:
            policy.control(self._tree, self._gains, plans, states, dt, self._terms, controls, alive)
        else:
            pid_control(self._tree, self._gains, self._pid_gains, plans, states, dt, self._terms, memory, controls, alive)


class FollowedLaw:
    """Keeps the memory of the law that drives the robot, away from where it does: the same plans and states make the same memory.

    Args:
        model: the believed robot.

    Attributes:
        name: of the law that is followed, one of COMPILED_LAWS.
    """

    def __init__(self, model: RobotModel) -> None:
        self.name = COMPILED
        self._law = CompiledLaw(model, COMPILED_JOINT_PID)
        self._memory, self._control, self._alive = law_memory(1), np.zeros(1, CONTROL), np.ones(1, np.bool_)
        self._period = 1.0 / model.description.control.rate

    @property
    def remembers(self) -> bool:
        """Whether there is anything to follow."""
        return self.name == COMPILED_JOINT_PID

    def warm_up(self, plan: np.ndarray, state: np.ndarray) -> None:
        """Compile, or read from the cache, what a tick calls: PLAN and STATE records in arrays of one."""
        self._law.control(plan, state, self._period, law_memory(1), self._control, self._alive)

    def put(self, name: str) -> None:
        """Follow another law from now on; what the one before remembers is forgotten."""
        if name != self.name:
            self.name, self._memory = name, law_memory(1)

    def follow(self, plan: np.ndarray, state: np.ndarray) -> None:
        """Go along for a tick, where there is anything to follow: PLAN and STATE records in arrays of one."""
        self._law.control(plan, state, self._period, self._memory, self._control, self._alive)

    def now(self) -> LawState:
        """The law as it is before the next tick."""
        return LawState(self.name, self._memory.copy())
