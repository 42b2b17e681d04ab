# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.servos.motors.joint import swing

FREE = np.array([[10.0], [8.0], [-100.0], [100.0]])


def run(law: list[float], motor: np.ndarray, seconds: float, loss: float = 1.0, friction: float = 0.5) -> tuple[float, float, float]:
    position, velocity, torque = np.zeros(1), np.zeros(1), np.zeros(1)
    for _ in range(round(seconds / 0.002)):
        swing(position, velocity, np.array(law)[:, None], motor, loss, 0.1, friction, 0.002, 4, torque)
    return position[0], velocity[0], torque[0]


def test_a_joint_goes_to_its_target_and_stays() -> None:
    position, velocity, torque = run([0.5, 0.0, 0.0, 40.0, 2.0], FREE, 2.0)
    assert (position, velocity, torque) == pytest.approx((0.5, 0.0, 0.0), abs=1e-6)


def test_a_motor_runs_no_faster_than_its_torque_lets_it() -> None:
    # Friction eats 0.5 v; the motor has 10 (1 - v / 8) left: they meet at 10 / (0.5 + 10 / 8).
    _, velocity, torque = run([0.0, 0.0, 1000.0, 0.0, 0.0], FREE, 3.0)
    assert velocity == pytest.approx(10.0 / 1.75, rel=1e-3)
    assert torque == pytest.approx(0.5 * velocity, rel=1e-3)
    assert run([0.0, 0.0, 1000.0, 0.0, 0.0], FREE, 3.0, loss=0.0)[1] == pytest.approx(20.0, rel=1e-3)


def test_damping_stops_it_however_strong() -> None:
    position, velocity, _ = run([0.0, 0.0, 0.0, 0.0, 1e6], FREE, 0.1)
    assert (position, velocity) == (0.0, 0.0)


def test_it_stops_at_its_ends() -> None:
    ends = FREE.copy()
    ends[3] = 0.3
    assert run([0.0, 0.0, 5.0, 0.0, 0.0], ends, 1.0)[:2] == (0.3, 0.0)
