# SPDX-License-Identifier: Apache-2.0
"""One mode or two: false alarms and hits over many synthetic sets; SUREFOOT_RANDOM_CASES in the environment makes them more."""

import os

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.traces.findings.spread import FALSE_ALARM, final_poses, parted, spread_of
from surefoot.traces.outcome import FAILED, SURVIVED, UNFINISHED, Outcomes

SETS = int(os.environ.get("SUREFOOT_RANDOM_CASES", "2000"))


def outcomes(position: np.ndarray, yaw: np.ndarray, verdict: list[int]) -> Outcomes:
    count = len(position)
    path = np.zeros((count, 3, 7), np.float32)
    path[:, -1, :3] = position
    path[:, -1, 3:] = Rotation.from_euler("z", yaw[:, np.newaxis]).as_quat()[:, [3, 0, 1, 2]]
    names = tuple("" if one == SURVIVED else "roll" for one in verdict)
    times = np.where(np.array(verdict) == FAILED, 0.1, np.nan)
    return Outcomes(np.arange(count), np.array(verdict), names, times, path, np.zeros((count, 3, 4), bool), 0.1, 1, 1.0)


@pytest.mark.parametrize("shape", ["normal", "uniform", "skewed", "heavy", "correlated"])
@pytest.mark.parametrize("count", [12, 40, 100])
def test_one_mode_is_seldom_taken_for_two(shape: str, count: int) -> None:
    random, alarms = np.random.default_rng(count), 0
    for _ in range(SETS):
        if shape == "normal":
            data = random.normal(size=(count, 3))
        elif shape == "uniform":
            data = random.random((count, 3))
        elif shape == "skewed":
            data = random.exponential(size=(count, 3))
        elif shape == "heavy":
            data = random.standard_t(2.0, size=(count, 3))
        else:
            data = random.normal(size=(count, 1)) + 0.1 * random.normal(size=(count, 3))
        alarms += parted(data) is not None
    rate = FALSE_ALARM if shape == "uniform" else 0.01
    # Three standard deviations of the count above the stated rate.
    assert alarms <= SETS * rate + 3.0 * np.sqrt(SETS * rate)


@pytest.mark.parametrize(("count", "share", "apart"), [(24, 0.5, 8.0), (40, 0.5, 6.0), (40, 0.4, 8.0), (100, 0.3, 8.0)])
def test_two_modes_are_seen_and_told_apart(count: int, share: float, apart: float) -> None:
    random, seen, right = np.random.default_rng(3), 0, 0
    for _ in range(200):
        second = np.arange(count) < round(share * count)
        data = random.normal(size=(count, 3))
        data[:, 1] += apart * second
        found = parted(data)
        if found is not None:
            seen += 1
            right += found.coordinate == "left" and (found.group == second).mean() > 0.97
    assert seen >= 180
    assert right >= 0.98 * seen


def test_too_few_say_nothing() -> None:
    assert parted(np.repeat((0.0, 1.0), 5)[:, np.newaxis] * np.ones(3)) is None


def test_mean_and_covariance_are_of_those_that_went_on_to_the_end() -> None:
    random = np.random.default_rng(4)
    position, yaw = random.normal(size=(50, 3)) * (0.1, 0.02, 0.01), 3.1 + 0.1 * random.normal(size=50)
    position[40:] += 5.0
    spread = spread_of(outcomes(position, yaw, [SURVIVED] * 30 + [UNFINISHED] * 10 + [FAILED] * 10))
    assert spread.members.tolist() == list(range(40))
    assert spread.mean[:3] == pytest.approx(position[:40].mean(axis=0), abs=1e-6)
    # The yaws lie on both sides of half a turn.
    assert spread.mean[5] == pytest.approx(yaw[:40].mean(), abs=1e-5)
    expected = np.cov(np.column_stack((position[:40], yaw[:40])).T)
    assert spread.covariance[np.ix_((0, 1, 2, 5), (0, 1, 2, 5))] == pytest.approx(expected, abs=1e-6)
    assert spread.parted is None


def test_groups_are_told_in_the_heading() -> None:
    random = np.random.default_rng(5)
    along = np.where(np.arange(40) < 10, 0.0, 0.5)
    position = np.zeros((40, 3))
    position[:, 1] = along + 0.02 * random.normal(size=40)
    spread = spread_of(outcomes(position, np.full(40, np.pi / 2), [SURVIVED] * 40))
    assert spread.parted is not None
    assert spread.parted.coordinate == "forward"
    assert spread.parted.group.tolist() == [0] * 10 + [1] * 30
    assert np.subtract(*spread.parted.centres) == pytest.approx(-0.5, abs=0.03)


def test_nobody_went_on_to_the_end() -> None:
    spread = spread_of(outcomes(np.zeros((3, 3)), np.zeros(3), [FAILED] * 3))
    assert len(spread.members) == 0
    assert np.isnan(spread.mean).all()
    assert final_poses(np.zeros((0, 7))).shape == (0, 6)
