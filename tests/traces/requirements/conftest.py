# SPDX-License-Identifier: Apache-2.0
"""A robot that is put into a pose and judged there."""

from collections.abc import Callable

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.gait.modes import SWING
from surefoot.gait.records import PLAN, PLANNER
from surefoot.locomotion.compiled.records import CONTROL
from surefoot.robot.model import RobotModel
from surefoot.simulation.mujoco_model import build_model
from surefoot.terrain.world import GroundStrip, World
from surefoot.traces.judge import Judge
from surefoot.traces.requirements.built_in import BUILT_IN
from surefoot.traces.requirements.settings import RequirementSettings
from surefoot.traces.requirements.view import TraceView

Array = NDArray[np.float64]

CURB = (0.5, 0.6, 0.03)
"""x from, x to, height, m."""


class Stage:
    """One robot on its ground, tick by tick as the test says."""

    def __init__(self, model: RobotModel, curb: bool = False) -> None:
        self.model = model
        strips = (GroundStrip(start=CURB[0], end=CURB[1], friction=0.7, height=CURB[2]),) if curb else ()
        self.simulation = build_model(model, World(strips=strips), 2e-3)
        self.data = mujoco.MjData(self.simulation)
        self.planner, self.plan, self.control = np.zeros(1, PLANNER), np.zeros(1, PLAN), np.zeros(1, CONTROL)
        self.load, self.torque, self.speed = np.zeros((1, 4)), np.zeros((1, 12)), np.zeros((1, 12))
        self.qpos, self.qvel = np.zeros((1, 19)), np.zeros((1, 18))
        self.qpos[0, :4] = 0.0, 0.0, model.description.stand_height, 1.0
        self.qpos[0, 7:] = model.stand_joint_position
        self.plan["foot_position"] = self.feet
        self.judge = self.asked(RequirementSettings(objectives={}))

    def asked(self, settings: RequirementSettings) -> Judge:
        """A judge for these requirements, who judges from now on."""
        self.judge = Judge(self.model, self.simulation, settings, 1)
        self.judge.start()
        return self.judge

    @property
    def feet(self) -> Array:
        self.look()
        return np.array([self.data.geom(name).xpos for name in self.model.description.foot_names])

    def look(self) -> None:
        self.data.qpos[:] = self.qpos[0]
        mujoco.mj_kinematics(self.simulation, self.data)

    def view(self) -> TraceView:
        self.look()
        return TraceView(
            self.qpos, self.qvel, self.planner, self.plan, self.control, self.load, self.torque, self.speed,
            self.data.geom_xpos[np.newaxis].copy(), self.data.geom_xmat[np.newaxis].copy(), np.zeros(1),
        )  # fmt: skip

    def swing(self, leg: int) -> None:
        self.plan["mode"][0, leg] = SWING

    def tick(self) -> str:
        """Judge one tick: what ends the trace, or nothing."""
        ends = self.judge.tick(self.view(), np.ones(1, np.bool_), np.ones(1, np.bool_))
        return ends[0][1] if ends else ""

    def witness(self, name: str) -> float:
        """Of a requirement at the last tick."""
        return float(self.judge.witness[0, list(BUILT_IN).index(name)])


@pytest.fixture
def stage(hyq: RobotModel) -> Stage:
    return Stage(hyq)


@pytest.fixture
def curb(hyq: RobotModel) -> Stage:
    return Stage(hyq, curb=True)


@pytest.fixture
def stage_of() -> Callable[[RobotModel], Stage]:
    return Stage
