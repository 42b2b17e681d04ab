# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from surefoot.servos.motors.servo_law import (
    ACCELERATION_SATURATED,
    LITTLEDOG_HIP,
    LITTLEDOG_KNEE,
    VELOCITY_SATURATED,
    ServoFollower,
    ServoLaw,
)

HIP, KNEE = LITTLEDOG_HIP, LITTLEDOG_KNEE
MOMENTS = (0.01, 0.02, 0.05, 0.1, 0.2)


@pytest.mark.parametrize(
    ("law", "step", "golden", "fastest"),
    [
        (HIP, 0.02, (0.00273, 0.00781, 0.01835, 0.02023, 0.02000), 0.519),
        (HIP, 0.1, (0.00997, 0.03392, 0.08981, 0.10125, 0.09999), 2.587),
        (HIP, 0.5, (0.01000, 0.04000, 0.23898, 0.49427, 0.49993), 7.9),
        (HIP, 1.0, (0.01000, 0.04000, 0.23898, 0.63398, 1.00397), 7.9),
        (KNEE, 0.02, (0.00583, 0.01379, 0.02055, 0.01999, 0.02000), 0.862),
        (KNEE, 0.1, (0.02108, 0.06143, 0.10271, 0.09992, 0.10000), 3.905),
        (KNEE, 0.5, (0.02150, 0.08600, 0.42073, 0.50224, 0.50000), 12.0),
        (KNEE, 1.0, (0.02150, 0.08600, 0.43256, 0.97987, 1.00000), 12.0),
    ],
)
def test_step_responses_are_those_of_the_table(law: ServoLaw, step: float, golden: tuple[float, ...], fastest: float) -> None:
    servo = ServoFollower([law], [0.0], step=1e-4)
    seen, most = [], 0.0
    for tick in range(200):
        servo.advance(np.array([step]), 1e-3)
        if tick % 10 == 9:  # the table's largest speeds are those at its control ticks
            most = max(most, abs(servo.velocity[0]))
        if any(math.isclose(1e-3 * (tick + 1), moment) for moment in MOMENTS):
            seen.append(servo.position[0])
    np.testing.assert_allclose(seen, golden, atol=2e-5)
    assert most == pytest.approx(fastest, abs=1e-3)


def test_a_millisecond_is_a_short_enough_step() -> None:
    coarse, fine = ServoFollower([HIP], [0.0], step=1e-3), ServoFollower([HIP], [0.0], step=1e-4)
    for servo in (coarse, fine):
        for _ in range(5):
            servo.advance(np.array([0.5]), 0.01)
    assert abs(coarse.position[0] - fine.position[0]) < 2e-5


def test_flags_say_which_bound_held() -> None:
    large, small = ServoFollower([HIP], [0.0]), ServoFollower([HIP], [0.0])
    seen = 0
    for _ in range(10):
        large.advance(np.array([1.0]), 0.01)
        small.advance(np.array([0.02]), 0.01)
        seen |= int(large.flags[0])
        assert small.flags[0] == 0
    assert seen == VELOCITY_SATURATED | ACCELERATION_SATURATED


@pytest.mark.parametrize(
    ("law", "table"),
    [
        (HIP, {2.0: (0.988, -18.7), 4.0: (0.947, -37.9), 8.0: (0.747, -75.5)}),
        (KNEE, {2.0: (0.998, -11.0), 4.0: (0.990, -22.3), 8.0: (0.939, -46.0)}),
    ],
)
def test_small_sinusoids_have_the_gain_and_phase_of_the_table(law: ServoLaw, table: dict[float, tuple[float, float]]) -> None:
    for frequency, (gain, phase) in table.items():
        servo, omega, step = ServoFollower([law], [0.0]), 2.0 * math.pi * frequency, 1e-3
        times, answers = [], []
        for tick in range(3000):
            # A held target is late by half of its step.
            servo.advance(np.array([0.01 * math.sin(omega * (tick + 0.5) * step)]), step)
            if tick >= 1000:
                times.append((tick + 1) * step)
                answers.append(servo.position[0])
        waves = np.column_stack((np.sin(omega * np.array(times)), np.cos(omega * np.array(times))))
        sine, cosine = np.linalg.lstsq(waves, np.array(answers), rcond=None)[0] / 0.01
        assert math.hypot(sine, cosine) == pytest.approx(gain, rel=0.01)
        assert math.degrees(math.atan2(cosine, sine)) == pytest.approx(phase, abs=1.0)


def test_no_bound_is_ever_exceeded() -> None:
    generator = np.random.default_rng(3)
    servo = ServoFollower([HIP, KNEE], [0.0, 0.0])
    for _ in range(2000):
        before = servo.velocity.copy()
        servo.advance(generator.uniform(-2.0, 2.0, 2), 0.01)
        assert (np.abs(servo.velocity) <= (7.9, 12.0)).all()
        assert (np.abs(servo.velocity - before) <= np.array((200.0, 430.0)) * 0.01 + 1e-9).all()


def test_a_law_has_to_be_one() -> None:
    with pytest.raises(ValueError, match="damping of a servo law is -1"):
        ServoLaw(1.0, -1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"shape \(2,\), not \(1,\)"):
        ServoFollower([HIP], [0.0, 0.0])
