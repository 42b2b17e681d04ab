# SPDX-License-Identifier: Apache-2.0
"""The dip against its definition: the least distance from a distribution with one mode, by linear programming."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from surefoot.traces.findings.dip import dip


def by_definition(data: NDArray[np.float64]) -> float:
    """Convex up to a mode at one of the data, concave from there on, with a step at the mode if need be."""
    x = np.sort(data)
    return min(_with_mode(x, mode) for mode in range(len(x)))


def _with_mode(x: NDArray[np.float64], mode: int) -> float:
    n, left = len(x), mode + 1
    size = left + (n - mode) + 1
    rows, bounds = [], []

    def demand(coefficients: dict[int, float], most: float) -> None:
        row = np.zeros(size)
        for place, value in coefficients.items():
            row[place] += value
        rows.append(row)
        bounds.append(most)

    def near(place: int, level: float) -> None:
        demand({place: 1.0, size - 1: -1.0}, level)
        demand({place: -1.0, size - 1: -1.0}, -level)

    for i in range(n):
        for place in ([i] if i <= mode else []) + ([left + i - mode] if i >= mode else []):
            if not (i == mode and place >= left):
                near(place, i / n)
            if not (i == mode and place < left):
                near(place, (i + 1) / n)
    for first, last, sign in ((0, mode, 1.0), (mode, n - 1, -1.0)):
        shift = 0 if sign > 0.0 else left - mode
        for i in range(first + 1, last):
            before, after = sign / (x[i] - x[i - 1]), sign / (x[i + 1] - x[i])
            demand({shift + i - 1: -before, shift + i: before + after, shift + i + 1: -after}, 0.0)
    for place in range(size - 2):
        demand({place: 1.0, place + 1: -1.0}, 0.0)
    goal = np.zeros(size)
    goal[-1] = 1.0
    answer = linprog(goal, A_ub=np.array(rows), b_ub=bounds, bounds=[(0.0, 1.0)] * size)
    return float(answer.fun) if answer.success else 1.0


def test_small_samples_by_definition() -> None:
    random = np.random.default_rng(0)
    for _ in range(25):
        count = int(random.integers(3, 14))
        data = random.normal(size=count) + 4.0 * (random.random(count) < 0.4)
        assert dip(data) == pytest.approx(by_definition(data), abs=1e-9)


def test_ends_of_its_range() -> None:
    assert dip(np.linspace(0.0, 1.0, 10)) == pytest.approx(0.05)
    assert dip(np.zeros(7)) == pytest.approx(0.5 / 7)
    two = np.concatenate((np.linspace(0.0, 0.01, 500), np.linspace(1.0, 1.01, 500)))
    assert dip(two) == pytest.approx(0.25, abs=0.01)


def test_scale_place_order_and_side_do_not_matter() -> None:
    random = np.random.default_rng(1)
    data = random.gamma(2.0, size=60)
    for other in (3.0 * data - 7.0, random.permutation(data), -data):
        assert dip(other) == pytest.approx(dip(data))
