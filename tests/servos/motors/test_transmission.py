# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.servos.motors.transmission import Transmission, drag_along, torque_through_play


def test_there_and_back_again() -> None:
    generator = np.random.default_rng(1)
    gear = Transmission(np.where(generator.random(12) < 0.5, -1.0, 1.0), generator.normal(size=12), generator.uniform(0.3, 50.0, 12))
    angle = generator.normal(size=12)
    np.testing.assert_allclose(gear.joint_position(gear.motor_position(angle)), angle)
    np.testing.assert_allclose(gear.joint_velocity(gear.motor_velocity(angle)), angle)
    np.testing.assert_allclose(gear.joint_torque(gear.motor_torque(angle)), angle)
    np.testing.assert_allclose(gear.motor_torque(angle) * gear.motor_velocity(angle), angle * angle, err_msg="power is kept")
    np.testing.assert_allclose(gear.motor_position(gear.offset), 0.0, atol=1e-15)


def test_a_joint_lags_half_of_the_play_both_ways() -> None:
    joint, play = np.zeros(1), np.array([0.02])
    for motor, expected in ((0.005, 0.0), (0.1, 0.09), (0.085, 0.09), (0.05, 0.06)):
        drag_along(np.array([motor]), play, joint)
        assert joint[0] == pytest.approx(expected)


@pytest.mark.parametrize(("torque", "arrives"), [(0.5, 0.0), (-0.9, 0.0), (3.0, 2.0), (-3.0, -2.0)])
def test_play_takes_the_first_part_of_a_torque(torque: float, arrives: float) -> None:
    assert torque_through_play(torque, 100.0, 0.02) == pytest.approx(arrives)
