# SPDX-License-Identifier: Apache-2.0
"""The reduced program has the answer of the full one, in every state, inside every bound."""

import os

import numpy as np
import pytest
import scipy.linalg

from surefoot.contact.cone import friction_pyramids
from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.desired import Attitude
from surefoot.inverse_dynamics.whole_body_contacts import LoadedFeet, loaded_feet
from surefoot.inverse_dynamics.whole_body_program import (
    Previous,
    WholeBodyMotion,
    WholeBodyWeights,
    program_data,
    reduced_program,
    solve_whole_body,
)
from surefoot.inverse_dynamics.whole_body_qp import default_tasks
from surefoot.inverse_dynamics.whole_body_tasks import Tick
from surefoot.robot.model import GRAVITY, RobotModel

# What it compiles takes a minute by itself, and many on a busy machine.
pytestmark = pytest.mark.timeout(1200)

STATES = int(os.environ.get("SUREFOOT_TEST_STATES", "1500"))
"""10^5 for the whole count."""


def problem(hyq: RobotModel, terms_of, plan: np.void, state: np.void):  # type: ignore[no-untyped-def]
    """Terms, loaded feet and task rows of a plan and a state."""
    terms, gains = terms_of(state), hyq.description.control
    tick = Tick(terms, plan, state, Attitude.of(plan, state))
    return terms, loaded_feet(terms, plan, gains), [task.rows(tick) for task in default_tasks(hyq, gains)]


def wild(random: np.random.Generator, stand) -> tuple[np.void, np.void]:  # type: ignore[no-untyped-def]
    """A plan and a state from calm to absurd: any contacts, friction from none to any, folded and stretched legs, slopes."""
    loads = (random.random(4) < 0.6) * random.choice([1.0, 1.0, 0.05, 1e-6], size=4)
    slope, friction = random.uniform(-0.6, 0.6), random.choice([0.0, 1e-8, 1e-4, 0.02, 0.1, 0.6, 3.0, 1e6])
    plan, state = stand(slope=slope, friction=friction, loads=tuple(loads))
    size = random.choice([0.0, 0.1, 1.0])
    state["joint_position"] += size * random.normal(size=(4, 3))
    state["joint_velocity"], state["base_velocity"] = 3.0 * size * random.normal(size=(4, 3)), size * random.normal(size=3)
    state["base_rate"] = size * random.normal(size=3)
    plan["foot_position"] += 0.3 * size * random.normal(size=(1, 4, 3))
    plan["base_position"] += 0.3 * size * random.normal(size=3)
    if random.random() < 0.2:
        state["joint_position"][0, random.integers(4), 2] = 0.0
    return plan[0], state[0]


def test_dynamics_slack_pyramids_and_torque_limits_hold_in_any_state(hyq: RobotModel, stand, terms_of) -> None:
    random, weights = np.random.default_rng(11), WholeBodyWeights()
    unit, limit = hyq.total_mass * GRAVITY, hyq.effort_limit
    for _ in range(STATES):
        plan, state = wild(random, stand)
        terms, feet, tasks = problem(hyq, terms_of, plan, state)
        motion = solve_whole_body(terms, feet, tasks, weights, limit)
        assert motion is not None
        drive = np.concatenate((np.zeros(6), motion.torque)) + feet.jacobian.T @ motion.force
        residual = terms.mass_matrix @ motion.acceleration + terms.bias - drive
        assert np.abs(residual).max() <= 1e-8 * (unit + np.abs(drive).max())
        np.testing.assert_array_equal(motion.slack, feet.jacobian @ motion.acceleration - feet.acceleration)
        if len(feet.legs):
            rows, bounds = friction_pyramids(plan["normal"][feet.legs], plan["friction"][feet.legs], plan["load"][feet.legs] * 1200.0)
            assert ((rows @ motion.force - bounds) / np.abs(rows).max(axis=1)).min() >= -1e-8 * unit
        assert (np.abs(motion.torque) <= limit).all()


def full_program(terms, feet, tasks, weights: WholeBodyWeights, limit: np.ndarray, previous: Previous | None) -> WholeBodyMotion:  # type: ignore[no-untyped-def]
    """Equation 4.8 with all its variables and equations, where no inequality is active: one linear system."""
    count, unit = len(feet.jacobian), terms.mass_matrix[0, 0] * GRAVITY
    size = 18 + 12 + 2 * count
    hessian, gradient = np.zeros((size, size)), np.zeros(size)
    for task in tasks:
        hessian[:18, :18] += task.jacobian.T @ (task.weight[:, np.newaxis] * task.jacobian)
        gradient[:18] -= task.jacobian.T @ (task.weight * task.acceleration)
    hessian[6:18, 6:18] += weights.joint_acceleration * np.eye(12)
    hessian[18:30, 18:30] += np.diag(weights.torque / limit**2)
    force, slack = slice(30, 30 + count), slice(30 + count, size)
    hessian[force, force] += weights.force / unit**2 * np.eye(count)
    hessian[slack, slack] += weights.contact_slack * np.eye(count)
    if previous is not None:
        hessian[18:30, 18:30] += np.diag(weights.torque_rate / limit**2)
        gradient[18:30] -= weights.torque_rate / limit**2 * previous.torque
        hessian[force, force] += weights.force_rate / unit**2 * np.eye(count)
        gradient[force] -= weights.force_rate / unit**2 * previous.force
    equations = np.zeros((18 + count, size))
    equations[:18, :18], equations[6:18, 18:30], equations[:18, force] = terms.mass_matrix, -np.eye(12), -feet.jacobian.T
    equations[18:, :18], equations[18:, slack] = feet.jacobian, -np.eye(count)
    right = np.concatenate((-gradient, -terms.bias, feet.acceleration))
    whole = np.block([[hessian, equations.T], [equations, np.zeros((18 + count,) * 2)]])
    answer = scipy.linalg.solve(whole, right)
    return WholeBodyMotion(answer[:18], answer[18:30], answer[force], answer[slack])


@pytest.mark.parametrize("loads", [(1.0,) * 4, (1.0, 1.0, 1.0, 0.0), (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.0), (0.0,) * 4])
@pytest.mark.parametrize("with_previous", [False, True])
def test_the_reduced_program_is_the_full_one(hyq: RobotModel, stand, terms_of, loads, with_previous: bool) -> None:
    plan, state = stand(friction=1.0, loads=loads)
    terms, feet, tasks = problem(hyq, terms_of, plan[0], state[0])
    count, no_limit = len(feet.jacobian), np.full(12, 1e3)
    # 54 variables and 30 equations for four point feet.
    assert 18 + 12 + 2 * count == 30 + 6 * np.count_nonzero(loads)
    weights = WholeBodyWeights(torque=0.3, torque_rate=0.2, force=1e-3, force_rate=1e-2, joint_acceleration=1e-4)
    previous = Previous(np.linspace(-30.0, 30.0, 12), np.tile((0.0, 0.0, 200.0), count // 3)) if with_previous else None
    free = feet._replace(rows=np.zeros((0, count)), bounds=np.zeros(0))
    found = solve_whole_body(terms, free, tasks, weights, no_limit, previous)
    expected = full_program(terms, free, tasks, weights, no_limit, previous)
    assert found is not None
    for one, other in zip((found.acceleration, found.torque, found.force, found.slack), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6 * (1.0 + np.abs(other).max(initial=0.0)))


def test_the_program_is_strictly_convex(hyq: RobotModel, stand, terms_of) -> None:
    random = np.random.default_rng(5)
    for _ in range(300):
        terms, feet, tasks = problem(hyq, terms_of, *wild(random, stand))
        program = reduced_program(program_data(terms, feet, tasks, WholeBodyWeights(), hyq.effort_limit))
        assert program.written
        assert np.linalg.eigvalsh(program.hessian)[0] >= 1e-8
        assert np.abs(program.hessian - program.hessian.T).max() <= 1e-9 * np.abs(program.hessian).max()


def test_a_base_without_a_mass_has_no_program(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    terms, feet, tasks = problem(hyq, terms_of, plan[0], state[0])
    hollow = terms._replace(mass_matrix=np.diag(np.r_[np.zeros(6), np.ones(12)]))
    assert not reduced_program(program_data(hollow, feet, tasks, WholeBodyWeights(), hyq.effort_limit)).written
    assert solve_whole_body(hollow, feet, tasks, WholeBodyWeights(), hyq.effort_limit) is None


def test_several_points_on_one_foot_are_one_foot(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    terms, feet, tasks = problem(hyq, terms_of, plan[0], state[0])
    weights = WholeBodyWeights()
    expected = solve_whole_body(terms, feet, tasks, weights, hyq.effort_limit)
    points = np.repeat([0, 0, 0, 0, 1, 2, 3], 3) * 3 + np.tile([0, 1, 2], 7)
    rows, bounds = friction_pyramids(plan["normal"][0][[0, 0, 0, 0, 1, 2, 3]], np.full(7, 0.6), np.full(7, 1200.0))
    several = LoadedFeet(np.array([0, 0, 0, 0, 1, 2, 3]), feet.jacobian[points], feet.acceleration[points], np.eye(21), rows, bounds)
    answer = solve_whole_body(terms, several, tasks, weights, hyq.effort_limit)
    assert expected is not None
    assert answer is not None
    assert np.abs(answer.torque - expected.torque).max() < 0.1
    np.testing.assert_allclose(answer.acceleration, expected.acceleration, atol=1e-4)


def test_contradictory_feet_leave_slack_and_consistent_ones_none(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    terms, feet, tasks = problem(hyq, terms_of, plan[0], state[0])
    calm = solve_whole_body(terms, feet, tasks, WholeBodyWeights(), hyq.effort_limit)
    assert calm is not None
    assert np.linalg.norm(calm.slack) <= 1e-4
    # The same foot twice, wanted up and down at once.
    twice = LoadedFeet(
        np.array([0, 0]), np.vstack((feet.jacobian[:3],) * 2), np.array((0.0, 0.0, 1.0, 0.0, 0.0, -1.0)), np.eye(6),
        *friction_pyramids(plan["normal"][0][:2], np.full(2, 0.6), np.full(2, 1200.0)),
    )  # fmt: skip
    torn = solve_whole_body(terms, twice, tasks, WholeBodyWeights(), hyq.effort_limit)
    assert torn is not None
    np.testing.assert_allclose(torn.slack[[2, 5]], [-1.0, 1.0], atol=0.2)


@pytest.mark.parametrize(
    ("name", "value"),
    [("contact_slack", 0.0), ("joint_acceleration", -1.0), ("force", 0.0), ("torque", -1.0), ("torque_rate", float("nan"))],
)
def test_weights_out_of_range_are_named(name: str, value: float) -> None:
    with pytest.raises(ConfigurationError, match=f"whole-body weight '{name}' is"):
        WholeBodyWeights(**{name: value})


def test_numbers_that_are_none_give_no_answer(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    terms, feet, tasks = problem(hyq, terms_of, plan[0], state[0])
    bad = feet._replace(acceleration=np.full(12, np.nan))
    assert solve_whole_body(terms, bad, tasks, WholeBodyWeights(), hyq.effort_limit) is None
