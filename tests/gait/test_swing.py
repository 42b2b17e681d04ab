# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass

import numpy as np
import pytest

from surefoot.gait.swing import evaluate_swing, plan_swing

STEP_HEIGHT, OVERSHOOT = 0.08, 0.05


@dataclass
class Path:
    liftoff: np.ndarray
    touchdown: np.ndarray
    liftoff_velocity: np.ndarray
    touchdown_velocity: np.ndarray
    times: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray

    def at(self, time: float) -> np.ndarray:
        """Position, velocity, acceleration, (3, 3)."""
        result = np.empty((3, 3))
        evaluate_swing(time, self.times, self.positions, self.velocities, result[0], result[1], result[2])
        return result


@pytest.fixture(params=range(5))
def path(request: pytest.FixtureRequest) -> Path:
    random = np.random.default_rng(request.param)
    liftoff, liftoff_velocity, touchdown_velocity = random.normal(size=(3, 3)) * ((1.0,), (0.3,), (0.3,))
    touchdown = liftoff + random.normal(size=3) * (0.2, 0.1, 0.03)
    start = random.uniform(0.0, 1000.0)
    knots = np.empty(4), np.empty((4, 3)), np.empty((4, 3))
    plan_swing(start, start + 0.25, liftoff, liftoff_velocity, touchdown, touchdown_velocity, STEP_HEIGHT, OVERSHOOT, *knots)
    return Path(liftoff, touchdown, liftoff_velocity, touchdown_velocity, *knots)


def test_ends_are_where_and_how_fast_they_were_asked_for(path: Path) -> None:
    start, end = path.at(path.times[0]), path.at(np.nextafter(path.times[3], 0.0))
    assert start[0] == pytest.approx(path.liftoff, abs=1e-12)
    assert start[1] == pytest.approx(path.liftoff_velocity, abs=1e-9)
    assert end[0] == pytest.approx(path.touchdown, abs=1e-9)
    assert end[1] == pytest.approx(path.touchdown_velocity, abs=1e-9)


def test_position_velocity_and_acceleration_are_continuous_at_the_via_points(path: Path) -> None:
    for knot in path.times[1:3]:
        before, after = path.at(np.nextafter(knot, 0.0)), path.at(knot)
        assert np.abs(after - before).max(axis=1) == pytest.approx(0.0, abs=1e-8)


def test_velocity_is_the_derivative_of_position(path: Path) -> None:
    for time in np.linspace(path.times[0] + 0.01, path.times[3] - 0.01, 40):
        step = 1e-4
        before, now, after = path.at(time - step), path.at(time), path.at(time + step)
        assert (after[0] - before[0]) / (2 * step) == pytest.approx(now[1], abs=1e-3)


def test_peak_is_at_least_the_step_height(path: Path) -> None:
    heights = [path.at(time)[0, 2] for time in np.linspace(path.times[0], path.times[3], 400)]
    assert max(heights) >= max(path.liftoff[2], path.touchdown[2]) + STEP_HEIGHT - 1e-6


def test_via_points_are_above_liftoff_and_beyond_touchdown(path: Path) -> None:
    step = path.touchdown - path.liftoff
    assert path.at(path.times[1])[0] == pytest.approx(path.liftoff + np.array([0.0, 0.0, STEP_HEIGHT]), abs=1e-12)
    beyond = path.touchdown + np.array([OVERSHOOT * step[0], OVERSHOOT * step[1], STEP_HEIGHT])
    assert path.at(path.times[2])[0] == pytest.approx(beyond, abs=1e-12)


def test_outside_of_its_time_the_ends_are_held(path: Path) -> None:
    assert path.at(path.times[0] - 1.0)[0] == pytest.approx(path.liftoff, abs=1e-12)
    late = path.at(path.times[3] + 1.0)
    assert late[0] == pytest.approx(path.touchdown, abs=1e-12)
    assert np.all(late[2] == 0.0)
