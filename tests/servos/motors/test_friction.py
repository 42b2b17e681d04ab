# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.servos.motors.friction import identify_friction
from surefoot.servos.motors.joint import swing
from surefoot.servos.motors.settings import GearSettings

INERTIA, FRICTION, STEP, STALL = 0.05, 0.12, 0.004, 6.0
FINE = 8
"""Steps of the servo between two samples."""


def sweep(seed: int, gear: GearSettings | None = None, fastest: float = 3.0, viscous: float = FRICTION) -> tuple[np.ndarray, ...]:
    """Time, position, velocity and torque of a joint that swings faster and faster; encoders and torque with noise."""
    draw, losses = np.random.default_rng(seed), (1.0, *(gear or GearSettings()).losses)
    position, velocity, torque = np.zeros(1), np.zeros(1), np.zeros(1)
    rows, limits = [], np.array([[STALL], [6.6], [-9.0], [9.0]])
    for count, wanted in enumerate(0.4 * np.sin(2.0 * np.pi * np.cumsum(np.linspace(0.3, fastest, 2000 * FINE)) * STEP / FINE)):
        law = np.array([[wanted], [0.0], [0.0], [60.0], [2.0]])
        swing(position, velocity, law, limits, losses, INERTIA, viscous, STEP / FINE, 2, torque)
        if count % FINE == 0:
            rows.append((position[0], velocity[0], torque[0]))
    angle, speed, given = (np.array(column) for column in zip(*rows, strict=True))
    noise = draw.normal(size=(3, len(given)))
    return STEP * np.arange(len(given)), angle + 0.0005 * noise[0], speed + 0.02 * noise[1], given + 0.01 * STALL * noise[2]


@pytest.mark.parametrize("seed", range(3))
def test_known_inertia_and_friction_are_found_within_two_percent(seed: int) -> None:
    found = identify_friction(*sweep(seed))
    assert found.inertia == pytest.approx(INERTIA, rel=0.02)
    assert found.viscous == pytest.approx(FRICTION, rel=0.02)
    assert abs(found.dry) < 0.02
    assert found.round_trip == pytest.approx(1.0, rel=0.02)
    assert all(deviation > 0.0 for deviation in found.standard_deviation)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("gear", [GearSettings(efficiency=0.8), GearSettings(efficiency=0.8, efficiency_backward=0.67)])
def test_a_gear_shows_by_its_way_there_and_back_and_leaves_the_rest_to_the_motor(gear: GearSettings, seed: int) -> None:
    found, (forward, backward) = identify_friction(*sweep(seed, gear)), gear.losses
    assert found.round_trip == pytest.approx((1.0 - forward) / (1.0 + backward), rel=0.02)
    assert abs(found.round_trip - (1.0 - forward) / (1.0 + backward)) < 4.0 * found.standard_deviation[3]
    assert found.inertia * gear.efficiency == pytest.approx(INERTIA, rel=0.02)
    assert found.viscous * gear.efficiency == pytest.approx(FRICTION, rel=0.08)
    assert abs(found.dry) < 0.04, "a loss that grows with the torque is no dry friction"


def test_a_motor_that_never_brakes_shows_no_loss() -> None:
    """Slow, against much friction: it drives all the time."""
    found = identify_friction(*sweep(0, GearSettings(efficiency=0.8), fastest=0.5, viscous=1.5))
    assert np.isnan(found.round_trip)
    assert np.isnan(found.standard_deviation[3])
    assert found.viscous * 0.8 == pytest.approx(1.5, rel=0.03)


def test_what_the_recording_does_not_show_is_said() -> None:
    time, position, velocity, torque = sweep(0)
    with pytest.raises(ConfigurationError, match="too few"):
        identify_friction(time[:20], position[:20], velocity[:20], torque[:20])
    with pytest.raises(ConfigurationError, match="did not move enough"):
        identify_friction(time, 0.0 * position, 0.0 * velocity, torque)
