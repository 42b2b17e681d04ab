# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from surefoot.servos.attitude import Attitude, attitude_of, tilt_problem


def quaternion(axis: str, angle: float) -> list[float]:
    parts = [0.0, 0.0, 0.0, math.cos(angle / 2)]
    parts["xyz".index(axis)] = math.sin(angle / 2)
    return parts


@pytest.mark.parametrize("angle", [-1.2, 0.0, 0.6, 1.5])
def test_angles_about_one_axis(angle: float) -> None:
    assert attitude_of(quaternion("x", angle)) == pytest.approx((angle, 0.0))
    assert attitude_of(quaternion("y", angle)) == pytest.approx((0.0, angle))
    assert attitude_of(quaternion("z", angle)) == pytest.approx((0.0, 0.0))
    assert attitude_of(2.0 * np.array(quaternion("x", angle))) == pytest.approx((angle, 0.0))


def test_pitch_of_100_degrees_is_beyond_both_limits() -> None:  # case 142
    assert tilt_problem(attitude_of(quaternion("y", math.radians(100))), 0.5, 0.5)


def test_no_direction_is_beyond_every_limit() -> None:  # case 54
    for nothing in ([0.0] * 4, [math.nan, 0.0, 0.0, 1.0], [math.inf] * 4):
        problem = tilt_problem(attitude_of(nothing), 3.2, 3.2)
        assert "roll nan" in problem
        assert "pitch nan" in problem


def test_the_sine_of_the_pitch_may_round_past_one() -> None:  # case 66
    half = math.sqrt(0.5)
    assert attitude_of([0.0, half, 0.0, half]).pitch == pytest.approx(math.pi / 2)


def test_the_axis_value_and_limit_are_named() -> None:  # case 136
    assert tilt_problem(Attitude(0.6, 0.1), 0.5, 0.5) == "roll 0.60 rad, limit 0.50 rad"
    assert tilt_problem(Attitude(-0.4, 0.4), 0.5, 0.5) == ""
