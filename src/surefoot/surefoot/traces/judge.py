# SPDX-License-Identifier: Apache-2.0
"""Who judges the particles of a rollout, tick by tick: the library's requirements in one compiled pass, then those of other packages."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.robot.model import RobotModel
from surefoot.traces.outcome import DIVERGED, IMPOSSIBLE_START
from surefoot.traces.requirements.built_in import BUILT_IN, limits_record
from surefoot.traces.requirements.judgement import MISPLACED, SOUND, UNSOUND, judge
from surefoot.traces.requirements.plugins import Condition, spoken, witness_of
from surefoot.traces.requirements.records import MEMORY
from surefoot.traces.requirements.settings import RequirementSettings
from surefoot.traces.requirements.shapes import robot_shapes
from surefoot.traces.requirements.view import TraceView

Array = NDArray[np.float64]

_NAMES = [spoken(name) for name in BUILT_IN]


class Judge:
    """Judges particles of one robot by one set of requirements.

    Args:
        model: the believed robot.
        simulation: made of it.
        settings: what is asked for.
        size: largest number of particles.

    Attributes:
        witness: of the library's requirements at the last tick, in the order of `built_in.BUILT_IN`, (size, 12).
        marks: of the last tick, (size,), see `marks`.
    """

    def __init__(self, model: RobotModel, simulation: mujoco.MjModel, settings: RequirementSettings, size: int) -> None:
        self.settings = settings
        self._limits = limits_record(model, settings.chosen_requirements(), settings.deepest_start)
        self._added: dict[str, Condition] = settings.added_conditions(model)
        self._shapes = robot_shapes(model, simulation)
        self._memory = np.zeros(size, MEMORY)
        self.witness, self.marks = np.zeros((size, len(BUILT_IN))), np.zeros(size, np.int64)
        self._broken = np.zeros(size, np.int64)

    def start(self) -> None:
        """Forget the particles of before."""
        self._memory[:] = 0
        self.marks[:] = 0

    def tick(self, view: TraceView, advancing: NDArray[np.bool_], alive: NDArray[np.bool_]) -> list[tuple[int, str]]:
        """Judge one tick.

        Args:
            view: n particles.
            advancing: whether the physics went on, (n,).
            alive: who is still judged, (n,).

        Returns:
            Particles that come to their end at this tick, and what ended them: the name of a requirement, `outcome.DIVERGED` or
            `outcome.IMPOSSIBLE_START`.
        """
        broken = self._broken
        count = judge(
            view.qpos, view.qvel, view.planner, view.plan, view.control, view.load, view.torque, view.speed, view.geom_position,
            view.geom_rotation, advancing, view.height, self._limits, *self._shapes, self._memory, alive, self.witness, broken, self.marks,
        )  # fmt: skip
        ends = [(int(i), _ending(int(broken[i]))) for i in np.flatnonzero(alive & (broken[: len(alive)] != SOUND))] if count else []
        for name, condition in self._added.items():
            ended = {i for i, _ in ends}
            bad = ~(_witness(condition, view, len(alive)) >= 0.0)
            ends += [(int(i), spoken(name)) for i in np.flatnonzero(bad & alive) if int(i) not in ended]
        return ends


def _ending(broken: int) -> str:
    return {UNSOUND: DIVERGED, MISPLACED: IMPOSSIBLE_START}.get(broken) or _NAMES[broken]


def _witness(condition: Condition, view: TraceView, count: int) -> Array:
    """What another package's requirement says; one that fails vouches for nobody."""
    try:
        return np.broadcast_to(witness_of(np.asarray(condition(view))), (count,))
    except Exception:  # A trace goes on whatever another package raises.
        return np.full(count, np.nan)
