# SPDX-License-Identifier: Apache-2.0
"""The compiled law and its readable form give the same torques."""

import numpy as np
import pytest

from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.law import FAILED, RELAXED, SOLVED
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.locomotion.compiled.policy import control
from surefoot.locomotion.compiled.records import CONTROL, gains_record
from surefoot.locomotion.compiled.rigid_body import TERMS
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

STATES = 10_000
PERIOD = 0.004

Both = tuple[np.ndarray, np.ndarray, list[ControlResult]]


def compiled(model: RobotModel, plan: np.ndarray, state: np.ndarray) -> np.ndarray:
    tree, gains = np.array([leg_tree(model)]), gains_record(model.description)
    controls, alive = np.zeros(len(plan), CONTROL), np.ones(len(plan), np.bool_)
    control(tree, gains, plan, state, PERIOD, np.zeros(1, TERMS), controls, alive)
    return controls


@pytest.fixture(scope="module")
def both(hyq: RobotModel, draw) -> Both:  # type: ignore[no-untyped-def]
    plan, state = draw(STATES, 20)
    reference = ReferenceController(hyq)
    return plan, compiled(hyq, plan, state), [reference.tick(plan[i], state[i], PERIOD) for i in range(STATES)]


def test_the_draw_reaches_every_number_of_feet_and_every_usable_status(both: Both) -> None:
    plan, controls, _ = both
    feet = np.bincount(np.count_nonzero(plan["load"] > 0.0, axis=1), minlength=5)
    assert (feet > 300).all()
    assert np.count_nonzero(controls["status"] == SOLVED) > 3000
    assert np.count_nonzero(controls["status"] == RELAXED) > 1000


def test_statuses_are_equal_and_every_state_has_an_answer(both: Both) -> None:
    _, controls, results = both
    np.testing.assert_array_equal(controls["status"], [result.status for result in results])
    np.testing.assert_array_equal(controls["saturated"], [result.saturated for result in results])
    assert (controls["status"] != FAILED).all()


def test_torques_agree(both: Both, hyq: RobotModel) -> None:
    _, controls, results = both
    error = np.abs(np.array([result.effort for result in results]) - controls["effort"].reshape(-1, 12))
    # Each to a millionth of its limit; and but for a few corners where almost parallel bounds meet, to 1e-6 N m.
    assert (error <= 1e-6 * hyq.effort_limit).all()
    assert np.quantile(error.max(axis=1), 0.999) < 1e-6


@pytest.mark.parametrize("field", ["position", "velocity", "base_acceleration", "joint_acceleration"])
def test_targets_and_accelerations_agree(both: Both, field: str) -> None:
    _, controls, results = both
    expected = np.array([getattr(result, field) for result in results])
    error = np.abs(expected - controls[field].reshape(expected.shape))
    assert (error <= 1e-6 * (1.0 + np.abs(expected))).all()
