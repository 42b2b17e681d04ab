# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.servos.motors.drive import Motors
from surefoot.servos.motors.heat import Heat, HeatEstimate
from surefoot.servos.motors.settings import GearSettings, MotorSettings
from surefoot.servos.motors.torque_speed import most_torque, torque_speed_room

EFFORT, SPEED = np.array([10.0, 20.0]), np.array([5.0, 8.0])


def test_the_diamond_is_that_of_the_limits() -> None:
    motors, speed = Motors(MotorSettings(torque_speed_loss=1.0), EFFORT, SPEED), np.array([2.5, -9.0])
    most = motors.most(speed)
    np.testing.assert_array_equal(most, [most_torque(10.0, 5.0, 2.5, 1.0), 0.0])
    assert torque_speed_room(10.0, 5.0, most[0], 2.5) == pytest.approx(0.0)
    np.testing.assert_array_equal(Motors(MotorSettings(), EFFORT, SPEED).most(speed), EFFORT)


def test_current_bounds_the_torque_at_rest() -> None:
    motors = Motors(MotorSettings(torque_per_ampere=2.0, current_limit=6.0), EFFORT, SPEED)
    np.testing.assert_array_equal(motors.most(np.zeros(2)), [10.0, 12.0])


def test_what_is_said_of_the_motor_counts_the_ratio_of_the_gear_at_the_joint() -> None:
    geared = Motors(MotorSettings(gear=GearSettings(ratio=100.0), torque_per_ampere=0.02, current_limit=6.0), EFFORT, SPEED)
    joint = Motors(MotorSettings(torque_per_ampere=2.0, current_limit=6.0), EFFORT, SPEED)
    np.testing.assert_array_equal(geared.most(np.zeros(2)), joint.most(np.zeros(2)))
    for motors in (geared, joint):
        motors.warm(np.array([1.0, -4.0]), 10.0)
    np.testing.assert_array_equal(geared.temperature, joint.temperature)


def test_a_gear_rubs_by_the_direction_of_the_power() -> None:
    motors = Motors(MotorSettings(gear=GearSettings(efficiency=0.8, efficiency_backward=0.5)), EFFORT, SPEED)
    np.testing.assert_allclose(motors.friction(np.array([3.0, -3.0]), np.array([1.0, -1.0])), 0.2 * 3.0)
    np.testing.assert_allclose(motors.friction(np.array([3.0, -3.0]), np.array([-1.0, 1.0])), 3.0)
    np.testing.assert_allclose(motors.friction(np.array([3.0, 0.0]), np.zeros(2)), [0.6, 0.0])
    np.testing.assert_array_equal(Motors(MotorSettings(), EFFORT, SPEED).friction(EFFORT, -SPEED), 0.0)


def test_play_takes_the_same_from_a_torque_of_either_sign() -> None:
    motors = Motors(MotorSettings(backlash=0.02), EFFORT, SPEED)
    np.testing.assert_allclose(motors.passed(np.array([3.0, -3.0]), np.zeros(2), np.array([100.0, 100.0])), [2.0, -2.0])
    np.testing.assert_array_equal(motors.passed(np.array([0.5, -0.5]), np.zeros(2), np.array([100.0, 100.0])), 0.0)


def test_it_warms_as_the_estimate_says() -> None:
    motors, estimate = Motors(MotorSettings(), EFFORT, SPEED), HeatEstimate(Heat(1.8, 3.0, 4.0, 300.0), 2)
    for _ in range(5):
        motors.warm(np.array([1.0, -4.0]), 10.0)
    np.testing.assert_allclose(motors.temperature, estimate.advance(np.array([1.0, -4.0]), 50.0))
    assert motors.temperature[1] > motors.temperature[0] > 25.0
