# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.evaluation.bench.patches import FootPatches
from surefoot.evaluation.bench.setup_cost import BLOCKS, ELIMINATED, WAYS, WHOLE, bench_setup, directions, operations
from surefoot.robot.model import RobotModel


def test_all_ways_lead_to_the_same_matrix(hyq: RobotModel) -> None:
    problem = FootPatches(hyq).problem(2, 3)
    forces = directions(problem)
    assert forces.shape == (18, 40)
    first, *others = (way(problem.mass_matrix, problem.actuated, forces) for way in WAYS.values())
    for other in others:
        np.testing.assert_allclose(other, first, atol=1e-10)


def test_operations_grow_with_the_joints_only_where_these_are_factorised() -> None:
    few, many = operations(18, 12, 4), operations(22, 16, 4)
    assert few[ELIMINATED] == many[ELIMINATED] < few[BLOCKS] < few[WHOLE] < many[WHOLE]
    # A cube of six, twenty columns, and half of a square of twenty.
    assert few[ELIMINATED] == pytest.approx(72 + 18 + 1 + 36 * 20 + 6 * 20 * 21)


def test_each_way_is_timed() -> None:
    result = bench_setup("hyq", ticks=5)
    assert set(result) == set(WAYS)
    assert all(cost.times.n == 5 and cost.times.median_us > 0.0 for cost in result.values())
