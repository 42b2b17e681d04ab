# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np
import pytest

from surefoot.gait.modes import GROUND_NOT_FOUND
from surefoot.gait.records import PLANNER
from surefoot.locomotion.compiled.records import CONTROL, FAILED, RELAXED
from surefoot.robot.model import RobotModel
from surefoot.traces.requirements import KEEPS_ITS_SPEED, TraceView, standard_requirements


@pytest.fixture
def standing(hyq: RobotModel) -> TraceView:
    zero = np.zeros(2)
    position = np.tile((0.0, 0.0, hyq.description.stand_height), (2, 1))
    joints = np.tile(hyq.stand_joint_position, (2, 1))
    return TraceView(position, zero, zero, np.zeros((2, 3)), joints, np.zeros(2, PLANNER), np.zeros(2, CONTROL))


def violated(hyq: RobotModel, view: TraceView) -> list[set[str]]:
    witnesses = {requirement.name: requirement.witness(view) for requirement in standard_requirements(hyq)}
    return [{name for name, witness in witnesses.items() if not witness[i] >= 0.0} for i in range(2)]


def test_who_stands_violates_nothing(hyq: RobotModel, standing: TraceView) -> None:
    assert violated(hyq, standing) == [set(), set()]


@pytest.mark.parametrize("name", ["roll", "pitch"])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_tilt(hyq: RobotModel, standing: TraceView, name: str, sign: float) -> None:
    assert violated(hyq, replace(standing, **{name: np.array([0.59, 0.61]) * sign})) == [set(), {name}]


def test_height_is_counted_in_stand_heights(hyq: RobotModel, standing: TraceView) -> None:
    heights = np.zeros((2, 3))
    heights[:, 2] = np.array([0.61, 0.59]) * hyq.description.stand_height
    assert violated(hyq, replace(standing, base_position=heights)) == [set(), {"base height"}]


@pytest.mark.parametrize("joint", range(12))
@pytest.mark.parametrize("stop", ["position_lower", "position_upper"])
def test_every_joint_keeps_to_its_range(hyq: RobotModel, standing: TraceView, joint: int, stop: str) -> None:
    joints = standing.joint_position.copy()
    outwards = 1.0 if stop == "position_upper" else -1.0
    joints[:, joint] = getattr(hyq, stop)[joint] + outwards * np.array([0.04, 0.06])
    assert violated(hyq, replace(standing, joint_position=joints)) == [set(), {"joint range"}]


def test_a_lost_foot_and_a_controller_without_an_answer(hyq: RobotModel, standing: TraceView) -> None:
    standing.planner["fault"][1], standing.control["status"][:] = GROUND_NOT_FOUND, (RELAXED, FAILED)
    assert violated(hyq, standing) == [set(), {"ground found", "controller"}]


@pytest.mark.parametrize("field", ["base_position", "roll", "pitch", "joint_position"])
def test_what_is_not_a_number_holds_nothing(hyq: RobotModel, standing: TraceView, field: str) -> None:
    value = getattr(standing, field).copy()
    value[1] = np.nan
    first, second = violated(hyq, replace(standing, **{field: value}))
    assert not first
    assert len(second) == 1


def test_the_objective_is_to_go_where_told() -> None:
    command = np.array([0.5, 0.0, 0.3])
    travelled = np.array([[1.0, 0.0], [0.62, 0.0], [0.58, 0.0], [1.0, 0.38], [-1.0, 0.0], [np.nan, 0.0]])
    assert KEEPS_ITS_SPEED.met(travelled, 2.0, command).tolist() == [True, True, False, True, False, False]
    # Without a command to speak of, 0.1 m/s of drift is allowed.
    assert KEEPS_ITS_SPEED.met(np.array([[0.19, 0.0], [0.0, -0.21]]), 2.0, np.zeros(3)).tolist() == [True, False]
