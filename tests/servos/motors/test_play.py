# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.buses.simulated import SimulatedBus, SimulatedSettings
from surefoot.servos.motors.play import Play, identify_play
from surefoot.servos.motors.report import report_motor
from surefoot.servos.motors.transmission import torque_through_play

STEP, FINE, INERTIA, FRICTION, STALL = 0.004, 8, 0.05, 0.12, 6.0
PRESSED, DRAGGED = "pressed", "dragged"
"""Where in its play a joint is: where its load presses it, or where the motor dragged it."""

Recording = dict[str, np.ndarray]


def sweeps(seed: int, seconds: float) -> np.ndarray:
    """Targets that swing faster and faster, sometimes wide and sometimes narrow, rad."""
    draw, time = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, 2), np.arange(0.0, seconds, STEP)
    wide = 0.45 + 0.35 * np.sin(2.0 * np.pi * time / 9.7 + draw[0])
    return wide * np.sin(2.0 * np.pi * np.cumsum(np.linspace(0.15, 0.6, len(time))) * STEP + draw[1])


def recording(
    kind: str, play: float, seed: int, stiffness: float = 200.0, weight: float = 1.5, held: float = 0.0, noise: float = 1.0,
    targets: np.ndarray | None = None,
) -> Recording:  # fmt: skip
    """A leg that hangs at a joint with play; encoders of 0.5 mrad and 20 mrad/s, and torque with a noise of 1 % of the stall torque."""
    targets = sweeps(seed, 40.0) if targets is None else targets
    damping, angle, speed, given, link = 4.0, float(targets[0]), 0.0, 0.0, float(targets[0])
    rows = []
    for wanted in targets.tolist():
        rows.append((wanted, link if kind == DRAGGED else angle, speed, given))
        for _ in range(FINE):
            spring = stiffness * (wanted - angle)
            given = (torque_through_play(spring, stiffness, play) if kind == PRESSED else spring) - damping * speed
            given = min(max(given, -STALL), STALL)
            speed += STEP / FINE * (given - FRICTION * speed - weight * math.sin(angle) - held) / INERTIA
            angle += STEP / FINE * speed
            link = min(max(link, angle - 0.5 * play), angle + 0.5 * play)
    target, position, velocity, effort = np.array(rows).T
    draw = noise * np.random.default_rng(seed + 1000).normal(size=(3, len(rows)))
    return measured(target, position + 0.0005 * draw[0], velocity + 0.02 * draw[1], effort + 0.01 * STALL * draw[2], stiffness, damping)


def measured(
    target: np.ndarray, position: np.ndarray, velocity: np.ndarray, effort: np.ndarray, stiffness: float, damping: float
) -> Recording:  # fmt: skip
    return {
        "time": STEP * np.arange(len(target)),
        "target": target,
        "asked": stiffness * (target - position) - damping * velocity,
        "stiffness": np.full(len(target), stiffness),
        "position": position,
        "velocity": velocity,
        "effort": effort,
    }


def play_in(seen: Recording) -> Play:
    return identify_play(seen["time"], seen["target"], seen["asked"], seen["stiffness"], seen["velocity"], seen["effort"])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [PRESSED, DRAGGED])
@pytest.mark.parametrize("width", [0.006, 0.015])
def test_a_known_play_is_found_within_two_percent(kind: str, width: float, seed: int) -> None:
    found = play_in(recording(kind, width, seed))
    assert found.width == pytest.approx(width, rel=0.02)
    assert abs(found.width - width) < 4.0 * found.standard_deviation < 0.03 * width
    assert found.changes > 10


def test_the_play_of_the_simulated_bus_is_found(hyq: RobotModel) -> None:
    """Out of what that bus is told and says, with noise on top."""
    settings, now, one = SimulatedSettings(backlash=0.01, inertia=INERTIA, friction=FRICTION), [0.0], np.ones(12)
    bus, rows = SimulatedBus(hyq, settings, lambda: now[0]), []
    for target in sweeps(3, 40.0):
        now[0] += STEP
        sample = bus.read()
        assert sample is not None
        rows.append((hyq.stand_joint_position[1] + target, sample.joint_position[1], sample.joint_velocity[1], sample.joint_effort[1]))
        bus.write(JointCommand(0.0, hyq.stand_joint_position + target, 0.0 * one, 0.0 * one, 200.0 * one, 4.0 * one))
    target, position, velocity, effort = np.array(rows)[500:].T
    draw = np.random.default_rng(3).normal(size=(3, len(target)))
    seen = measured(target, position + 0.0005 * draw[0], velocity + 0.02 * draw[1], effort + 0.06 * draw[2], 200.0, 4.0)
    assert play_in(seen).width == pytest.approx(0.01, rel=0.02)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("width", [0.0, 0.0005])
def test_a_play_that_the_noise_hides_is_no_number(width: float, seed: int) -> None:
    with pytest.raises(ConfigurationError, match=r"no play shows, and none under 0\.00\d+ rad would beside the noise"):
        play_in(recording(PRESSED, width, seed))


@pytest.mark.parametrize("kind", [PRESSED, DRAGGED])
def test_a_joint_that_is_loaded_one_way_shows_none(kind: str) -> None:
    with pytest.raises(ConfigurationError, match=r"loaded forward in \d+ samples and backward in \d+, and 100 each are needed"):
        play_in(recording(kind, 0.01, 0, held=4.0))


def test_a_joint_that_is_not_moved_shows_none() -> None:
    with pytest.raises(ConfigurationError, match=r"loaded forward in \d samples and backward in \d, and 100"):
        play_in(recording(PRESSED, 0.01, 0, weight=0.0, targets=np.zeros(2000)))


@pytest.mark.parametrize("late", [1, 2])
def test_a_torque_that_comes_late_is_no_play(late: int) -> None:
    seen = recording(PRESSED, 0.0, 0)
    with pytest.raises(ConfigurationError):
        play_in(seen | {"effort": np.roll(seen["effort"], late)})


@pytest.mark.parametrize("width", [0.0, 0.01])
@pytest.mark.parametrize("scale", [0.6, 1.5])
def test_a_torque_of_another_scale_is_no_play(scale: float, width: float) -> None:
    seen = recording(PRESSED, width, 0)
    with pytest.raises(ConfigurationError, match=r"compare scale and stamps of effort|no play shows"):
        play_in(seen | {"effort": scale * seen["effort"]})


def test_few_samples_are_too_few() -> None:
    seen = recording(PRESSED, 0.01, 0, targets=sweeps(0, 1.0))
    with pytest.raises(ConfigurationError, match="250 samples under stiffness are too few"):
        play_in(seen)


def test_play_is_not_taken_for_a_limit_of_the_motor() -> None:
    """Sweeps, and steps that ask for more than it has: of both the number is found."""
    steps = np.repeat(np.random.default_rng(5).uniform(-0.8, 0.8, 40), 50)
    seen = recording(PRESSED, 0.02, 1, targets=np.concatenate((sweeps(1, 40.0), steps)))
    found = report_motor(**seen)
    assert not isinstance(found.play, str)
    assert found.play.width == pytest.approx(0.02, rel=0.02)
    assert not isinstance(found.envelope, str), found.envelope
    assert found.envelope.motor.stall_torque == pytest.approx(STALL, rel=0.02)
