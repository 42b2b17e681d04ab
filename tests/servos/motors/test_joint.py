# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.servos.motors.joint import swing

FREE = np.array([[10.0], [8.0], [-100.0], [100.0]])


def run(
    law: list[float], motor: np.ndarray, seconds: float, loss: float = 1.0, friction: float = 0.5, gear: tuple[float, float] = (0.0, 0.0)
) -> tuple[float, float, float]:  # fmt: skip
    position, velocity, torque = np.zeros(1), np.zeros(1), np.zeros(1)
    for _ in range(round(seconds / 0.002)):
        swing(position, velocity, np.array(law)[:, None], motor, (loss, *gear), 0.1, friction, 0.002, 4, torque)
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


def test_what_a_gear_takes_is_missing_at_the_joint_that_is_driven() -> None:
    # Four fifths of 4 N m arrive, and friction eats 0.5 v.
    _, velocity, torque = run([0.0, 0.0, 4.0, 0.0, 0.0], FREE, 3.0, loss=0.0, gear=(0.2, 0.5))
    assert (velocity, torque) == pytest.approx((0.8 * 4.0 / 0.5, 4.0), rel=1e-3)


def test_a_gear_helps_the_motor_to_brake() -> None:
    def slowed(gear: tuple[float, float]) -> float:
        position, velocity, torque = np.zeros(1), np.array([5.0]), np.zeros(1)
        law = np.array([[0.0], [0.0], [-2.0], [0.0], [0.0]])
        swing(position, velocity, law, FREE, (0.0, *gear), 0.1, 0.0, 0.05, 100, torque)
        return 5.0 - velocity[0]

    assert slowed((0.2, 0.5)) == pytest.approx(1.5 * 2.0 * 0.05 / 0.1, rel=1e-9)
    assert slowed((0.2, 0.0)) == pytest.approx(2.0 * 0.05 / 0.1, rel=1e-9)


def test_the_power_of_the_motor_goes_into_motion_friction_and_gear() -> None:
    """Over a swing of both directions, driven and braked: what is left over is that of the integration."""
    inertia, friction, (forward, backward), h = 0.1, 0.5, (0.2, 0.4), 2e-5
    position, velocity, torque = np.zeros(1), np.zeros(1), np.zeros(1)
    energy, rubbed, lost = 0.0, 0.0, 0.0
    backwards = 0
    for step in range(100_000):
        law = np.array([[0.8 * np.sin(5.0 * step * h)], [0.0], [0.0], [40.0], 1.0 * np.ones(1)])
        swing(position, velocity, law, FREE, (1.0, forward, backward), inertia, friction, h, 1, torque)
        energy += torque[0] * velocity[0] * h
        rubbed += friction * velocity[0] ** 2 * h
        braked = torque[0] * velocity[0] < 0.0
        backwards += braked
        lost += (backward if braked else forward) * abs(torque[0] * velocity[0]) * h
    assert 10_000 < backwards < 90_000
    assert lost > 0.1 * energy
    assert energy == pytest.approx(0.5 * inertia * velocity[0] ** 2 + rubbed + lost, rel=1e-3)
