# SPDX-License-Identifier: Apache-2.0
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from surefoot.robot.command import JointCommand
from surefoot.servos.intake import StateIntake, command_problem

NAMES = tuple(f"j{i}" for i in range(12))


def intake() -> StateIntake:
    return StateIntake(NAMES, Counter())


def test_a_round_trip_keeps_velocity_zero(make_rig: type) -> None:  # case 48
    state = intake()
    state.take(make_rig.sample_at(1.0, np.ones(12), 0.0), 2.0)
    np.testing.assert_array_equal(state.joint_position, 1.0)
    np.testing.assert_array_equal(state.joint_velocity, 0.0)


def test_velocity_that_is_not_measured_comes_from_differences(make_rig: type) -> None:  # case 40
    state = intake()
    state.take(make_rig.sample_at(1.0, np.zeros(12), np.nan), 2.0)
    np.testing.assert_array_equal(state.joint_velocity, 0.0)
    state.take(make_rig.sample_at(1.01, np.full(12, 0.02), np.nan), 2.0)
    np.testing.assert_allclose(state.joint_velocity, 2.0)


def bad(position: float = 0.0, velocity: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    positions, velocities = np.zeros(12), np.zeros(12)
    positions[3], velocities[3] = position, velocity
    return positions, velocities


@pytest.mark.parametrize(
    ("position", "velocity", "words"),
    [
        (*bad(position=np.nan), "j3 position is nan"),
        (*bad(position=np.inf), "j3 position is inf"),
        (*bad(position=1e5), "j3 position"),
        (*bad(velocity=np.inf), "j3 velocity"),
        (*bad(velocity=1e5), "j3 velocity"),
        (np.zeros(11), 0.0, r"shapes \(11,\)"),
    ],
)
def test_bad_samples_are_refused_and_counted_and_the_next_is_fine(
    make_rig: type, position: np.ndarray, velocity: np.ndarray, words: str
) -> None:
    state = intake()
    state.take(make_rig.sample_at(1.0, np.ones(12)), 2.0)
    state.take(make_rig.sample_at(1.1, position, velocity), 2.0)
    assert re.search(words, state.problem)
    assert state.time == 1.0
    np.testing.assert_array_equal(state.joint_position, 1.0)
    state.take(make_rig.sample_at(1.2, np.full(12, 0.5)), 2.0)
    assert (state.problem, state.time) == ("", 1.2)


def test_stamps_repeated_late_or_from_the_future(make_rig: type) -> None:  # case 70
    state = intake()
    for stamp in (1.0, 1.0, 0.9, 1e12, np.nan):
        state.take(make_rig.sample_at(stamp, np.full(12, 0.1 * min(stamp, 5.0))), 2.0)
    assert state.time == 1.0
    np.testing.assert_allclose(state.joint_position, 0.1)
    assert state._counters == {"samples_late": 1, "samples_refused": 2}


@pytest.mark.parametrize("key", ["position", "velocity", "effort", "stiffness", "damping"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1e12])
def test_command_problems_name_joint_and_quantity(key: str, value: float) -> None:
    good = JointCommand(0.0, *np.zeros((5, 12)))
    assert command_problem(NAMES, good) == ""
    values = np.zeros(12)
    values[7] = value
    problem = command_problem(NAMES, replace(good, **{key: values}))
    assert "j7" in problem
    assert key in problem
    assert "shape (3,)" in command_problem(NAMES, replace(good, **{key: np.zeros(3)}))


def test_negative_gains_are_refused() -> None:
    good = JointCommand(0.0, *np.zeros((5, 12)))
    assert "j0 damping -1" in command_problem(NAMES, replace(good, damping=np.full(12, -1.0)))
