# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.servos.motors.heat import Heat, HeatEstimate, limited_by_current

HEAT = Heat(torque_per_ampere=1.8, resistance=3.0, thermal_resistance=4.0, time_constant=300.0)


def test_steps_of_any_length_lead_to_the_same_temperature() -> None:
    torque, one, many = np.array([0.0, 1.0, -2.0]), HeatEstimate(HEAT, 3), HeatEstimate(HEAT, 3)
    one.advance(torque, 100.0)
    for _ in range(1000):
        many.advance(torque, 0.1)
    np.testing.assert_allclose(one.temperature, many.temperature)
    np.testing.assert_allclose(one.advance(torque, 1e5), HEAT.settled(torque))
    assert one.temperature[0] == 25.0


def test_the_lasting_torque_settles_at_its_temperature() -> None:
    assert HEAT.settled(np.array([HEAT.lasting_torque(80.0)]))[0] == pytest.approx(80.0)
    assert HEAT.lasting_torque(10.0) == 0.0


def test_what_is_not_measured_changes_nothing() -> None:
    estimate = HeatEstimate(HEAT, 2)
    estimate.heard(np.array([60.0, np.nan]))
    np.testing.assert_array_equal(estimate.temperature, (60.0, 25.0))
    np.testing.assert_array_equal(estimate.advance(np.array([np.nan, np.inf]), 1.0), (60.0, 25.0))


def test_current_bounds_torque_on_both_sides() -> None:
    np.testing.assert_allclose(limited_by_current(np.array([5.0, -5.0, 1.0]), np.full(3, 2.0), np.full(3, 1.5)), (3.0, -3.0, 1.0))
