# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.servos.motors.identify import identify_motor
from surefoot.servos.motors.servo_law import LITTLEDOG_HIP, LITTLEDOG_KNEE, ServoFollower, ServoLaw


def recording(law: ServoLaw, noise: float, largest: float = 1.0, seed: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps of several sizes, then a chirp; sampled at 100 Hz by an encoder with noise."""
    generator, servo = np.random.default_rng(seed), ServoFollower([law], [0.0], step=1e-4)
    time = 0.01 * np.arange(600)
    steps = np.repeat(generator.uniform(-largest, largest, 20), 20)
    chirp = 0.1 * largest * np.sin(2.0 * np.pi * (1.0 + 3.0 * np.arange(200) / 200.0) * 0.01 * np.arange(200))
    target = np.concatenate((steps, chirp))
    position = np.empty(600)
    for k in range(600):
        position[k] = servo.position[0]
        servo.advance(target[k : k + 1], 0.01)
    return time, target, position + generator.normal(size=600) * noise


@pytest.mark.parametrize("law", [LITTLEDOG_HIP, LITTLEDOG_KNEE, ServoLaw(1200.0, 60.0, 4.8, 90.0)])
@pytest.mark.parametrize("noise", [0.0, 0.0005])
def test_known_numbers_are_found_within_two_percent(law: ServoLaw, noise: float) -> None:
    fit = identify_motor(*recording(law, noise))
    np.testing.assert_allclose(fit.law.parameters(), law.parameters(), rtol=0.02)
    assert fit.velocity_seen
    assert fit.acceleration_seen
    assert fit.error < 0.0002 + 1.2 * noise


def test_it_says_which_bound_the_recording_never_reached() -> None:
    fit = identify_motor(*recording(LITTLEDOG_HIP, 0.0, largest=0.03))
    assert fit.law.stiffness == pytest.approx(3800.0, rel=0.02)
    assert fit.law.damping == pytest.approx(98.0, rel=0.02)
    assert not fit.velocity_seen


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda t, u, q: (t[:20], u[:20], q[:20]), "20 samples are too few"),
        (lambda t, u, q: (t, u[:-1], q), "must be alike"),
        (lambda t, u, q: (t, u, np.where(t < 0.1, np.nan, q)), "position holds 10 numbers that are not finite"),
        (lambda t, u, q: (t[::-1], u, q), "must rise"),
        (lambda t, u, q: (t, u, 0.0 * q), r"moved 0\.000 rad"),
    ],
)
def test_what_is_no_recording_is_refused(spoil: object, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        identify_motor(*spoil(*recording(LITTLEDOG_HIP, 0.0)))  # type: ignore[operator]
