# SPDX-License-Identifier: Apache-2.0
"""How feet creep: each by itself in a walk, together in a way that neither moves nor turns a robot that rests."""

from collections.abc import Callable

import numpy as np
import pytest
from neighbours import neighbour

from surefoot.estimation.creep import let_feet_creep
from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.filter_state import FEET, FILTER_PARAMETERS, GYROSCOPE_BIAS, ORIENTATION
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample

WALK, SINK, SPREAD, STEP = 0.3, 0.7, 0.1, 0.01

filter_tests = neighbour("estimation/test_filter.py")


def crept(held: list[bool], quiet_for: float, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """What a step adds to the covariance of the feet, (12, 12), and where the feet are, (4, 3); `spread` scales how far apart they are."""
    state, record = filter_tests.random_state(), np.zeros(1, FILTER_PARAMETERS)
    state["foot_held"], state["quiet_for"], record["rest_time"] = held, quiet_for, 0.25
    record["foot_walk_variance"], record["foot_sink_variance"], record["foot_creep_spread_variance"] = WALK**2, SINK**2, SPREAD**2
    state["feet"] *= spread
    before = state["covariance"][0].copy()
    let_feet_creep(state[0], record[0], STEP)
    added = state["covariance"][0] - before
    assert not added[:FEET].any()
    assert (state["covariance"][0] == state["covariance"][0].T).all()
    return added[FEET:, FEET:], state["feet"][0]


def test_in_a_walk_each_foot_creeps_by_itself() -> None:
    added, _ = crept([True, False, True, True], 0.0)
    foot = np.array([WALK**2, WALK**2, SINK**2]) * STEP
    np.testing.assert_allclose(added, np.diag([*foot, 0.0, 0.0, 0.0, *foot, *foot]), atol=1e-15)


@pytest.mark.parametrize("held", [[True] * 4, [True, False, True, True], [True, False, False, True]])
def test_at_rest_the_feet_as_one_hardly_creep_nor_turn(held: list[bool]) -> None:
    added, feet = crept(held, 1.0)
    count = sum(held)
    arms = np.where(np.array(held)[:, None], feet - feet[held].mean(axis=0), 0.0)
    along = [np.array([[*axis, 0.0] if here else [0.0] * 3 for here in held]).ravel() / np.sqrt(count) for axis in ((1.0, 0.0), (0.0, 1.0))]
    turn = np.stack((-arms[:, 1], arms[:, 0], np.zeros(4)), axis=1).ravel()
    for together in (*along, turn / np.linalg.norm(turn)):
        np.testing.assert_allclose(added @ together, SPREAD**2 * WALK**2 * STEP * together, atol=1e-15)
    # What is left of 2 n directions along the ground creeps as it does in a walk.
    horizontal = [3 * leg + axis for leg in range(4) for axis in (0, 1)]
    variances = np.sort(np.linalg.eigvalsh(added[np.ix_(horizontal, horizontal)]))[::-1]
    np.testing.assert_allclose(variances[: 2 * count - 3], WALK**2 * STEP, rtol=1e-9)


def test_one_foot_that_rests_creeps_as_it_does_in_a_walk() -> None:
    alone = [False, True, False, False]
    np.testing.assert_allclose(crept(alone, 1.0)[0], crept(alone, 0.0)[0], atol=1e-15)


def test_feet_that_are_all_at_one_place_make_no_number_that_is_none() -> None:
    assert np.isfinite(crept([True] * 4, 1.0, spread=0.0)[0]).all()


def test_a_standing_robot_learns_the_bias_about_the_vertical_as_well_as_its_gyroscope_allows(
    hyq: RobotModel, settings: EstimatorSettings, still: Callable[..., list[SensorSample]]
) -> None:
    """White noise of n samples lets nobody know it better than to one root of n-th; creep that turns it would make that three."""
    estimator, count = StateEstimator(hyq.description, hyq, settings), 750
    for sample in still(count):
        estimator.update(sample)
    memory = estimator._memory[0]
    vertical = memory["rotation"][2]
    bias = vertical @ memory["covariance"][GYROSCOPE_BIAS:, GYROSCOPE_BIAS:][:3, :3] @ vertical
    floor = hyq.description.sensors.gyroscope.standard_deviation ** 2 / count
    assert floor < bias < 2.0**2 * floor
    # Until it counts as resting, legs do not tell it its yaw.
    assert memory["covariance"][ORIENTATION + 2, ORIENTATION + 2] < 2.1 * settings.start.place_standard_deviation ** 2
