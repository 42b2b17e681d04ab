# SPDX-License-Identifier: Apache-2.0
import math

import pytest

from surefoot.teleop.driving import STILL, PlanarVelocity, fade, velocity_from_sticks, within
from surefoot.teleop.settings import DrivingSettings

HOLONOMIC = DrivingSettings()
CAR = DrivingSettings(mode="car")
SLOW_GAIT = PlanarVelocity(0.2, 0.1, 0.3)


def test_full_sticks_are_full_speeds() -> None:
    assert velocity_from_sticks(PlanarVelocity(1.0, -1.0, 0.5), HOLONOMIC, None) == pytest.approx((0.5, -0.3, 0.3))
    assert velocity_from_sticks(STILL, HOLONOMIC, None) == STILL


def test_there_is_no_strafe_in_car_mode() -> None:
    assert velocity_from_sticks(PlanarVelocity(1.0, 1.0, 1.0), CAR, None) == pytest.approx((0.5, 0.0, 0.6))
    assert within(PlanarVelocity(0.1, 0.2, 0.1), CAR, None) == pytest.approx((0.1, 0.0, 0.1))


def test_the_gait_bounds_the_speed_and_may_scale_the_stick() -> None:
    half = PlanarVelocity(0.5, 0.5, 0.5)
    assert velocity_from_sticks(half, HOLONOMIC, SLOW_GAIT) == pytest.approx((0.2, 0.1, 0.3))
    assert velocity_from_sticks(half, DrivingSettings(full_stick="gait"), SLOW_GAIT) == pytest.approx((0.1, 0.05, 0.15))


@pytest.mark.parametrize(("age", "part"), [(0.0, 1.0), (0.25, 1.0), (0.375, 0.5), (0.5, 0.0), (9.0, 0.0), (math.inf, 0.0), (math.nan, 0.0)])
def test_fading(age: float, part: float) -> None:
    assert fade(age, 0.25, 0.5) == pytest.approx(part)


def test_a_velocity_is_finite_or_not() -> None:
    assert STILL.finite
    assert not PlanarVelocity(0.0, math.nan, 0.0).finite
