# SPDX-License-Identifier: Apache-2.0
"""A planner on a robot that hangs still: time, contacts and commands are ours."""

from pathlib import Path

import numpy as np
import pytest
from numba import njit

from surefoot.gait.library import GaitLibrary, read_gaits
from surefoot.gait.modes import SWING
from surefoot.gait.parameters import gait_record
from surefoot.gait.planner import change_gait, plan_tick, start_planner
from surefoot.gait.records import PLAN, PLANNER, STATE
from surefoot.gait.settings import PlannerSettings
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

CONFIGURATION = Path(__file__).parents[2] / "config" / "gaits"


@njit
def _start(tree, settings, planner, state):
    start_planner(tree[0], settings[0], planner[0], state[0])


@njit
def _change(planner, phase):
    change_gait(planner[0], phase)


@njit
def _tick(tree, settings, gait, planner, state, command, plan):
    plan_tick(tree[0], settings[0], gait[0], planner[0], state[0], command, np.full(4, 0.6), plan[0])


class Rig:
    """The planner of a robot in its stand pose. Records are arrays of one."""

    def __init__(self, model: RobotModel, gaits: GaitLibrary, gait: str) -> None:
        self.gaits = gaits
        self.tree = np.array([leg_tree(model)])
        self.settings = PlannerSettings().record(model.description.stand_height)
        self.gait = gait_record(gaits[gait])
        self.planner, self.state, self.plan = np.zeros(1, PLANNER), np.zeros(1, STATE), np.zeros(1, PLAN)
        self.state["base_position"] = (0.0, 0.0, model.description.stand_height)
        self.state["base_quaternion"] = (0.0, 0.0, 0.0, 1.0)
        self.state["joint_position"] = model.stand_joint_position.reshape(4, 3)
        self.state["contact_probability"] = 1.0
        self.restart()

    def restart(self) -> None:
        """Begin to plan from the state as it is."""
        _start(self.tree, self.settings, self.planner, self.state)

    @property
    def modes(self) -> list[int]:
        return self.planner["mode"][0].tolist()

    @property
    def now(self) -> float:
        return float(self.planner["time"][0])

    def change(self, gait: str, phase: float = 0.0) -> None:
        self.gait = gait_record(self.gaits[gait])
        _change(self.planner, phase)

    def ideal_contacts(self, off_the_ground: tuple[int, ...] = (), dt: float = 0.004) -> None:
        """Contacts of the coming tick: every foot lands exactly when planned, except some that never do."""
        landed = (self.planner["mode"][0] != SWING) | (self.planner["knot_time"][0, :, 3] <= self.state["time"][0] + dt + 1e-9)
        landed[list(off_the_ground)] = False
        self.state["contact_probability"] = landed

    def tick(self, dt: float = 0.004, command: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        self.state["time"] += dt
        _tick(self.tree, self.settings, self.gait, self.planner, self.state, np.array(command), self.plan)

    def walk(self, time: float, off_the_ground: tuple[int, ...] = (), command: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        """Tick with ideal contacts for a time, s."""
        for _ in range(round(time / 0.004)):
            self.ideal_contacts(off_the_ground)
            self.tick(command=command)

    def walk_until(
        self, mode: int, leg: int, off_the_ground: tuple[int, ...] = (), command: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> None:
        """Tick with ideal contacts until a foot is in a mode."""
        for _ in range(1000):
            if self.modes[leg] == mode:
                return
            self.walk(0.004, off_the_ground, command)
        raise AssertionError(f"leg {leg} is never in mode {mode}: {self.modes}")


@pytest.fixture(scope="session")
def hyq_gaits() -> GaitLibrary:
    return read_gaits(CONFIGURATION / "hyq.yaml")


@pytest.fixture(scope="session")
def links_gaits() -> GaitLibrary:
    return read_gaits(CONFIGURATION / "links.yaml")


@pytest.fixture(scope="session")
def plain_gaits(hyq_gaits: GaitLibrary) -> GaitLibrary:
    """Gaits of hyq whose numbers the tests rely on, whatever the file is tuned to."""
    values = {"step_height": 0.08, "base_height": 0.6, "stance_length": 0.75, "stance_width": 0.62, "stance_offset": (0.0, 0.0)}
    values |= {"max_forward_speed": 0.5, "max_strafe_speed": 0.2, "max_turn_rate": 0.4, "velocity_feedback": 0.08}
    gaits = {name: hyq_gaits[name].model_copy(update=values) for name in ("walk", "trot", "pace")}
    for name, period, duty in (("walk", 1.0, 0.75), ("trot", 0.5, 0.6), ("pace", 0.5, 0.6)):
        gaits[name] = gaits[name].model_copy(update={"period": period, "duty_factor": dict.fromkeys(LEG_NAMES, duty)})
    return GaitLibrary({"stand": hyq_gaits["stand"], **gaits})


@pytest.fixture
def rig(hyq: RobotModel, plain_gaits: GaitLibrary) -> Rig:
    """hyq, about to walk."""
    return Rig(hyq, plain_gaits, "walk")
