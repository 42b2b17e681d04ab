# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.estimation.planar.gravity import Gravity
from surefoot.estimation.settings import EstimatorSettings

UP = 9.81


@pytest.fixture
def gravity(planar_settings: EstimatorSettings) -> Gravity:
    return Gravity(planar_settings.planar)


def lean(pitch: float) -> np.ndarray:
    """Specific force of a base at rest with its nose up, in its axes."""
    return UP * np.array([np.sin(pitch), 0.0, np.cos(pitch)])


def test_a_pitch_that_is_not_that_of_gravity_is_doubted(gravity: Gravity) -> None:
    gravity.note(0.0, 0.0, lean(0.3))
    assert gravity.doubt(0.3) == gravity.doubt(0.2) == gravity.doubt(0.4) == ""
    assert gravity.doubt(0.0).startswith("the pitch by the feet is 0.30 rad from that by gravity, limit 0.15 rad")
    assert gravity.doubt(float("nan"))


def test_a_robot_that_rolls_is_doubted_whatever_its_pitch(gravity: Gravity) -> None:
    for n in range(100):
        gravity.note(0.01 * n, 0.0, UP * np.array([0.0, np.sin(0.8), np.cos(0.8)]))
    assert gravity.doubt(0.0).startswith("the base has rolled by 0.80 rad")
    assert gravity.doubt(float("inf")) == "the pitch by the feet is no number"


def test_a_jolt_counts_for_little_and_what_comes_late_for_nothing(gravity: Gravity) -> None:
    for n in range(100):
        gravity.note(0.01 * n, 0.0, lean(0.0))
    gravity.note(1.0, 0.0, np.array([20.0, 0.0, UP]))
    gravity.note(0.5, 0.0, np.array([1e3, 0.0, UP]))
    assert gravity.doubt(0.0) == ""


def test_it_follows_a_robot_that_was_put_down_otherwise(gravity: Gravity) -> None:
    for n in range(200):
        gravity.note(0.01 * n, 0.0, lean(0.0 if n < 50 else 1.0))
    assert gravity.doubt(1.0) == ""
    gravity.clear()
    gravity.note(0.0, 0.0, lean(-0.5))
    assert gravity.doubt(-0.5) == ""


def test_it_turns_with_the_gyroscope_at_once(gravity: Gravity) -> None:
    for n in range(21):
        gravity.note(0.01 * n, 2.0, lean(0.0 if n == 0 else 0.02 * n))
    assert gravity.doubt(0.4 + 0.14) == ""
    assert gravity.doubt(0.4 + 0.16)
