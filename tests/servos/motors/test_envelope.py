# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.servos.motors.envelope import identify_envelope, identify_friction
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
        swing(position, velocity, law, limits, 1.0, INERTIA, FRICTION, STEP / FINE, 2, torque)
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


def test_known_inertia_and_friction_are_found_within_two_percent() -> None:
    time, _, given, speed, angle = recording(MOTORS["MX-64"])
    sweeping = time > 8.2
    found = identify_friction(time[sweeping], angle[sweeping], speed[sweeping], given[sweeping])
    assert found.inertia == pytest.approx(INERTIA, rel=0.02)
    assert found.viscous == pytest.approx(FRICTION, rel=0.02)
    assert abs(found.dry) < 0.02
    assert all(deviation > 0.0 for deviation in found.standard_deviation)


def test_what_the_recording_does_not_show_is_said() -> None:
    time, _, given, speed, angle = recording(MOTORS["MX-64"])
    with pytest.raises(ConfigurationError, match=r"at its limit in 0 of .* record steps"):
        identify_envelope(0.9 * given, given, speed)
    blocked = np.abs(given) * 0.0 + 6.0
    assert np.isnan(identify_envelope(2.0 * blocked, blocked, 0.0 * speed).motor.no_load_speed)
    with pytest.raises(ConfigurationError, match="too few"):
        identify_friction(time[:20], angle[:20], speed[:20], given[:20])
    with pytest.raises(ConfigurationError, match="did not move enough"):
        identify_friction(time, 0.0 * angle, 0.0 * speed, given)
