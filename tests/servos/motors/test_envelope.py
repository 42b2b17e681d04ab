# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.servos.motors.envelope import identify_envelope
from surefoot.servos.motors.joint import swing
from surefoot.servos.motors.torque_speed import MOTORS, Motor

INERTIA, FRICTION, STEP = 0.05, 0.12, 0.004
FINE = 8
"""Steps of the servo between two samples."""


def recording(motor: Motor, stiffness: float = 60.0, seed: int = 3) -> tuple[np.ndarray, ...]:
    """A joint under a servo of that motor: steps that ask for more than it has, then sweeps; encoders and torque with noise."""
    draw = np.random.default_rng(seed)
    steps = np.repeat(draw.uniform(-1.2, 1.2, 40), 50 * FINE)
    sweep = 0.4 * np.sin(2.0 * np.pi * np.cumsum(np.linspace(0.3, 3.0, 1500 * FINE)) * STEP / FINE)
    position, velocity, torque = np.zeros(1), np.zeros(1), np.zeros(1)
    rows, limits = [], np.array([[motor.stall_torque], [motor.no_load_speed], [-9.0], [9.0]])
    for count, wanted in enumerate(np.concatenate((steps, sweep))):
        law = np.array([[wanted], [0.0], [0.0], [stiffness], [2.0]])
        swing(position, velocity, law, limits, (1.0, 0.0, 0.0), INERTIA, FRICTION, STEP / FINE, 2, torque)
        if count % FINE == 0:
            rows.append((stiffness * (wanted - position[0]) - 2.0 * velocity[0], torque[0], velocity[0], position[0]))
    asked, given, speed, angle = (np.array(column) for column in zip(*rows, strict=True))
    noise = draw.normal(size=(3, len(given)))
    time = STEP * np.arange(len(given))
    return time, asked, given + 0.01 * motor.stall_torque * noise[0], speed + 0.02 * noise[1], angle + 0.0005 * noise[2]


@pytest.mark.parametrize("name", ["RX-24F", "MX-64"])
def test_a_known_diamond_is_found_within_two_percent(name: str) -> None:
    motor = MOTORS[name]
    _, asked, given, speed, _ = recording(motor)
    found = identify_envelope(asked, given, speed)
    assert found.motor.stall_torque == pytest.approx(motor.stall_torque, rel=0.02)
    assert found.motor.no_load_speed == pytest.approx(motor.no_load_speed, rel=0.02)
    assert found.samples > 100
    assert found.error < 0.05 * motor.stall_torque


def sine(frequency: float, late: float, inertia: float, friction: float, seed: int = 0) -> tuple[np.ndarray, ...]:
    """A joint under a strong motor that is asked for a sine of 20 N m and is nowhere near its limit; its torque is stamped late."""
    draw, turn = np.random.default_rng(seed).normal(size=(2, 4000)), 2.0 * np.pi * frequency
    angle = turn * STEP * np.arange(4000)
    speed = 20.0 / np.hypot(turn * inertia, friction) * np.sin(angle - np.arctan2(turn * inertia, friction))
    return 20.0 * np.sin(angle), 20.0 * np.sin(angle - turn * late) + 0.2 * draw[0], speed + 0.02 * draw[1]


@pytest.mark.parametrize("scale", [0.5, 0.8])
def test_a_torque_of_another_scale_is_no_limit(scale: float) -> None:
    _, asked, _, speed, _ = recording(MOTORS["MX-64"])
    with pytest.raises(ConfigurationError, match=r"miss a limit of .* compare the scale and the stamps of effort"):
        identify_envelope(asked, scale * asked, speed)


@pytest.mark.parametrize("frequency", [0.5, 1.0, 2.0, 3.0, 5.0, 8.0])
@pytest.mark.parametrize("late", [0.002, 0.004, 0.008, 0.012])
@pytest.mark.parametrize("joint", [(0.05, 0.12), (0.05, 0.5), (0.05, 2.0), (0.5, 0.1)])
def test_a_torque_that_comes_late_is_no_limit(frequency: float, late: float, joint: tuple[float, float]) -> None:
    with pytest.raises(ConfigurationError):
        identify_envelope(*sine(frequency, late, *joint))


def test_why_a_late_torque_is_no_limit_is_said_with_numbers() -> None:
    with pytest.raises(ConfigurationError, match=r"stalls at \d\d\.\d\d N m, and the most that it gave are 20\.\d\d N m"):
        identify_envelope(*sine(3.0, 0.008, 0.05, 0.12))
    with pytest.raises(ConfigurationError, match=r"in \d+ of 4000 samples it gave more than that permits"):
        identify_envelope(*sine(2.0, 0.004, 0.05, 0.5))


def test_a_motor_may_brake_with_more_than_it_drives_with() -> None:
    speed, drives = np.linspace(0.1, 5.0, 400), np.arange(400) % 20 < 10
    given = np.where(drives, 6.0 * (1.0 - speed / 6.6), -7.5)
    found = identify_envelope(np.where(drives, 9.0, given), given, speed)
    assert (found.motor.stall_torque, found.motor.no_load_speed) == pytest.approx((6.0, 6.6))


def test_what_the_recording_does_not_show_is_said() -> None:
    _, _, given, speed, _ = recording(MOTORS["MX-64"])
    with pytest.raises(ConfigurationError, match=r"at its limit in 0 of .* record steps"):
        identify_envelope(0.9 * given, given, speed)
    blocked = np.abs(given) * 0.0 + 6.0
    assert np.isnan(identify_envelope(2.0 * blocked, blocked, 0.0 * speed).motor.no_load_speed)
