# SPDX-License-Identifier: Apache-2.0
"""Numbers that are none never come out as torques, in either form of the law."""

import numpy as np
import pytest

from surefoot.inverse_dynamics.inputs import PLAN_FIELDS, STATE_FIELDS, usable_inputs
from surefoot.inverse_dynamics.law import FAILED
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.locomotion.compiled.policy import control
from surefoot.locomotion.compiled.records import CONTROL, gains_record
from surefoot.locomotion.compiled.rigid_body import TERMS
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

PERIOD = 0.004


def compiled_status(model: RobotModel, plan: np.ndarray, state: np.ndarray, period: float = PERIOD) -> int:
    controls = np.zeros(1, CONTROL)
    tree = np.array([leg_tree(model)])
    control(tree, gains_record(model.description), plan, state, period, np.zeros(1, TERMS), controls, np.ones(1, np.bool_))
    return int(controls["status"][0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("field", [*(("plan", field) for field in PLAN_FIELDS), *(("state", field) for field in STATE_FIELDS)])
@pytest.mark.parametrize("loads", [(1.0,) * 4, (0.0, 1.0, 1.0, 0.0)])
def test_not_finite_is_refused(hyq: RobotModel, stand, field: tuple[str, str], bad: float, loads: tuple[float, ...]) -> None:
    plan, state = stand(loads=loads)
    assert usable_inputs(plan[0], state[0])
    values = {"plan": plan, "state": state}[field[0]][field[1]]
    values.reshape(-1)[-1] = bad
    assert not usable_inputs(plan[0], state[0])
    result = ReferenceController(hyq).tick(plan[0], state[0], PERIOD)
    assert result.status == FAILED
    assert not result.usable
    assert np.isnan(result.effort).all()
    assert compiled_status(hyq, plan, state) == FAILED


def test_every_number_is_looked_at(stand) -> None:
    plan, state = stand()
    for record, names in ((plan, PLAN_FIELDS), (state, STATE_FIELDS)):
        for name in names:
            numbers = record[name].reshape(-1)
            for i in range(len(numbers)):
                kept, numbers[i] = numbers[i], np.nan
                assert not usable_inputs(plan[0], state[0])
                numbers[i] = kept
    assert usable_inputs(plan[0], state[0])


@pytest.mark.parametrize("quaternion", [(0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.1), (0.5, 0.5, 0.5, 0.0)])
def test_what_is_no_attitude_is_refused(hyq: RobotModel, stand, quaternion: tuple[float, ...]) -> None:
    plan, state = stand()
    state["base_quaternion"] = quaternion
    assert ReferenceController(hyq).tick(plan[0], state[0], PERIOD).status == FAILED
    assert compiled_status(hyq, plan, state) == FAILED


@pytest.mark.parametrize("period", [0.0, -1.0, np.nan, np.inf])
def test_the_compiled_form_needs_a_period(hyq: RobotModel, stand, period: float) -> None:
    assert compiled_status(hyq, *stand(), period) == FAILED


def test_numbers_that_no_controller_reads_may_be_anything(hyq: RobotModel, stand) -> None:
    plan, state = stand()
    plan["time_to_next_event"], state["contact_probability"] = np.inf, np.nan
    assert usable_inputs(plan[0], state[0])
    assert compiled_status(hyq, plan, state) != FAILED


@pytest.mark.parametrize("scale", [1e6, 1e150, 1e300])
def test_absurd_but_finite_numbers_give_no_torque_that_is_none(hyq: RobotModel, stand, scale: float) -> None:
    plan, state = stand()
    state["joint_velocity"] = scale
    with np.errstate(all="ignore"):
        result = ReferenceController(hyq).tick(plan[0], state[0], PERIOD)
    assert result.status == FAILED or np.isfinite(result.effort).all()
