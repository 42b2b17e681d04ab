# SPDX-License-Identifier: Apache-2.0
import itertools

import pytest

from surefoot.servos.motors.torque_speed import MOTORS, most_torque, torque_speed_room


@pytest.mark.parametrize("name", sorted(MOTORS))
def test_the_diamond(name: str) -> None:
    motor = MOTORS[name]
    torque, speed = motor.stall_torque, motor.no_load_speed
    assert torque_speed_room(torque, speed, 0.0, 0.0) == 1.0
    for sign, other in itertools.product((-1.0, 1.0), repeat=2):
        assert torque_speed_room(torque, speed, sign * torque, 0.0) == pytest.approx(0.0)
        assert torque_speed_room(torque, speed, 0.0, other * speed) == pytest.approx(0.0)
        assert torque_speed_room(torque, speed, sign * 0.4 * torque, other * 0.4 * speed) == pytest.approx(0.2)
        assert torque_speed_room(torque, speed, sign * 0.6 * torque, other * 0.6 * speed) == pytest.approx(-0.2)
        assert most_torque(torque, speed, other * 0.25 * speed, 1.0) == pytest.approx(0.75 * torque)
    assert most_torque(torque, speed, 2.0 * speed, 1.0) == 0.0
    assert most_torque(torque, speed, 2.0 * speed, 0.0) == torque
    assert most_torque(torque, speed, speed, 0.3) == pytest.approx(0.7 * torque)
