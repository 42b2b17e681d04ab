# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from surefoot.gait.foothold import foothold, predict_base

NEUTRAL = np.array([0.375, 0.31])


def touchdown(
    command: tuple[float, float, float],
    ahead: float,
    stance: float,
    base: tuple[float, float, float] = (0.0, 0.0, 0.0),
    velocity: tuple[float, float] = (0.0, 0.0),
    feedback: float = 0.0,
    base_yaw: float = 0.0,
) -> np.ndarray:
    out = np.empty(2)
    position, speed = np.array([base[0], base[1], 0.6]), np.array([*velocity, 0.0])
    foothold(position, base[2], base_yaw, speed, np.array(command), NEUTRAL, ahead, stance, feedback, out)
    return out


def test_on_a_straight_line_the_foot_lands_half_a_stance_ahead_of_its_neutral_point() -> None:
    period, duty, speed, ahead = 1.0, 0.75, 0.3, 0.25
    base_at_touchdown = np.array([speed * ahead, 0.0])
    lead = touchdown((speed, 0.0, 0.0), ahead, duty * period) - base_at_touchdown - NEUTRAL
    assert lead == pytest.approx([speed * 0.5 * duty * period, 0.0], abs=1e-12)


def test_without_a_command_the_foot_lands_at_its_neutral_point() -> None:
    assert touchdown((0.0, 0.0, 0.0), 0.25, 0.75) == pytest.approx(NEUTRAL, abs=1e-15)


@pytest.mark.parametrize("turn", [-0.5, 1e-10, 1e-4, 0.5, 2.0])
def test_in_a_turn_the_foot_is_under_its_neutral_point_at_mid_stance(turn: float) -> None:
    forward, left, yaw, ahead, stance = 0.4, 0.1, 0.7, 0.3, 0.5
    x, y, heading = 1.0, -2.0, yaw
    # The arc by ten thousand small steps, the velocity taken in the middle of each.
    steps, step = 10000, (ahead + 0.5 * stance) / 10000
    for _ in range(steps):
        middle = heading + 0.5 * turn * step
        x += step * (math.cos(middle) * forward - math.sin(middle) * left)
        y += step * (math.sin(middle) * forward + math.cos(middle) * left)
        heading += turn * step
    c, s = math.cos(heading), math.sin(heading)
    expected = (x + c * NEUTRAL[0] - s * NEUTRAL[1], y + s * NEUTRAL[0] + c * NEUTRAL[1])
    assert touchdown((forward, left, turn), ahead, stance, (1.0, -2.0, yaw)) == pytest.approx(expected, abs=1e-6)


def test_the_foot_is_under_a_base_that_looks_elsewhere_than_where_it_goes() -> None:
    # Heading left and looking another 90 degrees to the left, which is back along x of odom.
    base, half = (0.0, 0.0, 0.5 * math.pi), 0.5 * math.pi
    landed = touchdown((0.3, 0.0, 0.0), 0.2, 0.4, base, base_yaw=half)
    assert landed == pytest.approx([-NEUTRAL[0], 0.3 * 0.4 - NEUTRAL[1]], abs=1e-12)


def test_a_full_turn_brings_the_base_back() -> None:
    out = np.empty(3)
    predict_base(0.2, 0.3, 0.1, np.array([0.5, 0.0, 1.0]), 2.0 * math.pi, out)
    assert out == pytest.approx([0.2, 0.3, 0.1 + 2.0 * math.pi], abs=1e-12)


def test_velocity_feedback_moves_the_foot_along_the_velocity_error() -> None:
    # Heading left, commanded 0.3 m/s forward, which is along y of odom; the base really slides to x.
    base = (0.0, 0.0, 0.5 * math.pi)
    plain, corrected = (touchdown((0.3, 0.0, 0.0), 0.2, 0.4, base, (0.1, 0.25), feedback) for feedback in (0.0, 0.08))
    assert corrected - plain == pytest.approx([0.08 * 0.1, 0.08 * -0.05], abs=1e-12)
