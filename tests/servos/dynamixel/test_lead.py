# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.robot.command import JointCommand
from surefoot.servos.dynamixel.lead import Lead

ONE = np.ones(12)


def command(position: float, effort: float, stiffness: float = 12.0) -> JointCommand:
    return JointCommand(0.0, position * ONE, 0.0 * ONE, effort * ONE, stiffness * ONE, 0.0 * ONE)


def made(velocity: float = 8.0, stiffness: float = 10.0) -> Lead:
    return Lead(-1.0 * ONE, 1.0 * ONE, velocity * ONE, stiffness * ONE)


@pytest.mark.parametrize(
    ("position", "effort", "target"), [(0.5, 1.0, 0.6), (0.95, 2.0, 1.0), (1.0, 2.0, 1.0), (-1.0, -2.0, -1.0), (-0.9, 3.0, -0.6)]
)
def test_the_limits_of_the_joint_hold_with_the_lead(position: float, effort: float, target: float) -> None:
    lead = made()
    lead.target(0.0, command(position, effort))
    np.testing.assert_allclose(lead.target(1.0, command(position, effort)), target)


@pytest.mark.parametrize(("effort", "target"), [(2.0, 1.2), (-1.0, 1.1), (-3.0, 0.9)])
def test_a_joint_that_begins_beyond_a_limit_is_led_inwards_only(effort: float, target: float) -> None:
    lead = made()
    lead.target(0.0, command(1.2, effort))
    np.testing.assert_allclose(lead.target(1.0, command(1.2, effort)), target)


def test_targets_step_no_further_than_the_velocity_limit_allows() -> None:
    lead, before = made(velocity=2.0), 0.3 * ONE
    np.testing.assert_array_equal(lead.target(5.0, command(0.3, 3.0)), before, "at the begin nothing leads")
    generator = np.random.default_rng(0)
    for tick in range(1, 200):
        effort, position = generator.uniform(-3.0, 3.0), 0.3 + 0.5 * np.sin(0.01 * tick)
        target = lead.target(5.0 + 0.004 * tick, command(position, effort))
        assert np.abs(target - before).max() <= 2.0 * 0.004 + 1e-12
        before = target
    for tick in range(200, 300):
        target = lead.target(5.0 + 0.004 * tick, command(0.3, 1.0))
    np.testing.assert_allclose(target, 0.4, err_msg="it comes to where it is asked to be")


def test_after_damping_it_begins_anew() -> None:
    lead = made(velocity=1e-3)
    lead.target(0.0, command(0.3, 1.0))
    lead.target(0.004, JointCommand.damped(0.0, 0.7 * ONE, 0.1))
    np.testing.assert_array_equal(lead.target(0.008, command(0.7, 1.0)), 0.7)


def test_without_a_stiffness_there_is_no_lead() -> None:
    lead = made(stiffness=np.inf)
    lead.target(0.0, command(0.2, 3.0))
    np.testing.assert_array_equal(lead.target(1.0, command(0.2, 3.0)), 0.2)
