# SPDX-License-Identifier: Apache-2.0
"""The compiled joint PID and its readable form give the same torques, integrals and pauses included."""

import numpy as np
import pytest

from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.joint_pid import JointPid, JointPidGains
from surefoot.inverse_dynamics.law import FAILED, SOLVED
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.locomotion.compiled.joint_pid import pid_control, pid_gains_record, pid_memory
from surefoot.locomotion.compiled.records import CONTROL, gains_record
from surefoot.locomotion.compiled.rigid_body import TERMS
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

PARTICLES, TICKS = 500, 20
PERIOD = 0.004
PAUSE = 12
"""Tick before which nobody called for a while."""

Both = tuple[np.ndarray, list[list[ControlResult]]]


def gains(model: RobotModel) -> JointPidGains:
    # Strong integrals, so that they come to their limits and wind up against those of the torques.
    own = JointPidGains.of(model)
    return JointPidGains(own.stiffness, 40.0 * own.integral, own.damping, own.integral_limit)


def compiled(model: RobotModel, plan: np.ndarray, state: np.ndarray) -> np.ndarray:
    """CONTROL records, (TICKS, PARTICLES), of plans and states of the same shape."""
    tree, terms = np.array([leg_tree(model)]), np.zeros(1, TERMS)
    controls, alive = np.zeros(plan.shape, CONTROL), np.ones(plan.shape[1], np.bool_)
    memory = pid_memory(plan.shape[1])
    for tick in range(len(plan)):
        pid_control(
            tree, gains_record(model.description), pid_gains_record(gains(model)), plan[tick], state[tick], PERIOD, terms, memory,
            controls[tick], alive,
        )  # fmt: skip
    return controls


@pytest.fixture(scope="module")
def both(hyq: RobotModel, draw) -> Both:  # type: ignore[no-untyped-def]
    plan, state = (records.reshape(TICKS, PARTICLES) for records in draw(TICKS * PARTICLES, 21))
    state["time"] = PERIOD * (np.arange(TICKS) + 5.0 * (np.arange(TICKS) >= PAUSE))[:, np.newaxis]
    results: list[list[ControlResult]] = [[] for _ in range(TICKS)]
    for particle in range(PARTICLES):
        controller = ReferenceController(hyq, controller=JointPid(hyq, hyq.description.control, gains(hyq)))
        for tick in range(TICKS):
            results[tick].append(controller.tick(plan[tick, particle], state[tick, particle], PERIOD))
    return compiled(hyq, plan, state), results


def test_torques_agree_in_ten_thousand_states(both: Both, hyq: RobotModel) -> None:
    controls, results = both
    expected = np.array([[result.effort for result in row] for row in results])
    assert (np.abs(expected - controls["effort"].reshape(expected.shape)) <= 1e-6 * hyq.effort_limit).all()
    assert (controls["status"] == SOLVED).all()
    np.testing.assert_array_equal(controls["saturated"], [[result.saturated for result in row] for row in results])
    assert 0.05 < np.mean(controls["saturated"]) / 12.0 < 0.95


@pytest.mark.parametrize("field", ["position", "velocity"])
def test_targets_agree(both: Both, field: str) -> None:
    controls, results = both
    expected = np.array([[getattr(result, field) for result in row] for row in results])
    assert (np.abs(expected - controls[field].reshape(expected.shape)) <= 1e-6 * (1.0 + np.abs(expected))).all()


def test_a_bad_number_stays_with_its_particle(hyq: RobotModel, draw) -> None:  # type: ignore[no-untyped-def]
    plan, state = (records.reshape(2, 5) for records in draw(10, 22))
    state["time"] = np.array(((0.0,), (PERIOD,)))
    state["joint_velocity"][0, 2, 1, 1] = np.nan
    controls = compiled(hyq, plan, state)
    assert (controls["status"][0] == np.array((SOLVED, SOLVED, FAILED, SOLVED, SOLVED))).all()
    assert (controls["status"][1] == SOLVED).all()
    assert np.isfinite(controls["effort"][1]).all()
