# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.robot.command import JointCommand
from surefoot.servos.handover import HandOver, mix

random = np.random.default_rng(11)


def any_command() -> JointCommand:
    return JointCommand(0.0, *random.normal(size=(3, 12)), *random.random((2, 12)))


def torque(command: JointCommand, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    return command.effort + command.stiffness * (command.position - position) + command.damping * (command.velocity - velocity)


@pytest.mark.parametrize("part", [0.0, 0.3, 1.0])
def test_torques_mix_at_every_state(part: float) -> None:
    before, after = any_command(), any_command()
    mixed = mix(before, after, part)
    for _ in range(5):
        state = random.normal(size=(2, 12))
        np.testing.assert_allclose(torque(mixed, *state), (1 - part) * torque(before, *state) + part * torque(after, *state), atol=1e-12)


def test_without_gains_nothing_is_divided_by_zero() -> None:
    damped = JointCommand.damped(0.0, np.ones(12), 0.0)
    np.testing.assert_array_equal(mix(damped, damped, 0.5).position, np.ones(12))


def test_a_hand_over_begins_at_the_old_torque_and_ends_at_the_new() -> None:
    before, after = any_command(), any_command()
    hand_over, state = HandOver(0.4), random.normal(size=(2, 12))
    hand_over.begin(1.0, before)
    torques = np.array([torque(hand_over.carry(time, after), *state) for time in np.arange(1.0, 1.5, 0.004)])
    np.testing.assert_allclose(torques[0], torque(before, *state), atol=1e-12)
    np.testing.assert_allclose(torques[-1], torque(after, *state))
    whole = np.abs(torque(after, *state) - torque(before, *state))
    assert (np.abs(np.diff(torques, axis=0)) <= 1.5 * whole * 0.004 / 0.4 + 1e-12).all()
