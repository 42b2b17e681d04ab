# SPDX-License-Identifier: Apache-2.0
"""Closed forms: what must come out whatever the law."""

import numpy as np
import pytest

from surefoot.inverse_dynamics.law import FAILED, SOLVED
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.robot.model import GRAVITY, RobotModel

PERIOD = 0.004


@pytest.fixture(scope="module")
def controller(hyq: RobotModel) -> ReferenceController:
    return ReferenceController(hyq)


def tangential(force: np.ndarray, normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normal forces and lengths of the tangential ones, (4,) each."""
    loads = force @ normal
    return loads, np.linalg.norm(force - loads[:, np.newaxis] * normal, axis=1)


@pytest.mark.parametrize("loads", [(1.0, 1.0, 1.0, 1.0), (1.0, 0.5, 1.0, 0.25)])
def test_on_flat_ground_the_feet_carry_the_weight(controller: ReferenceController, hyq: RobotModel, stand, loads) -> None:
    plan, state = stand(loads=loads)
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    weight = hyq.total_mass * GRAVITY
    np.testing.assert_allclose(result.force.sum(axis=0), [0.0, 0.0, weight], atol=1e-6 * weight)
    np.testing.assert_allclose(result.base_acceleration, 0.0, atol=1e-5)
    np.testing.assert_allclose(result.joint_acceleration, 0.0, atol=1e-4)
    load, friction = tangential(result.force, np.array([0.0, 0.0, 1.0]))
    assert (load >= 0.0).all()
    assert (friction <= 0.6 * load + 1e-6).all()


def test_a_slope_below_the_friction_angle_is_stood_on(controller: ReferenceController, hyq: RobotModel, stand) -> None:
    slope, friction = 0.26, 0.6
    plan, state = stand(slope=slope, friction=friction)
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    weight = hyq.total_mass * GRAVITY
    np.testing.assert_allclose(result.force.sum(axis=0), [0.0, 0.0, weight], atol=1e-6 * weight)
    load, along = tangential(result.force, plan["normal"][0, 0])
    assert (along <= friction * load + 1e-6).all()
    assert along.sum() >= weight * np.sin(slope) * (1.0 - 1e-6)


def test_a_slope_above_the_friction_angle_is_slid_down(controller: ReferenceController, stand) -> None:
    slope, friction = 0.3, 0.1
    plan, state = stand(slope=slope, friction=friction)
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.usable
    load, along = tangential(result.force, plan["normal"][0, 0])
    assert (along <= friction * load + 1e-6).all()
    downhill = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    # However hard the legs push, friction holds back less than gravity pulls.
    assert downhill @ result.base_acceleration[:3] > 0.5


def test_in_free_flight_the_centre_of_mass_falls(controller: ReferenceController, hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand(loads=(0.0,) * 4)
    state["base_rate"], state["joint_velocity"] = (0.3, -0.2, 0.1), 0.5
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    assert not result.force.any()
    assert np.isfinite(result.effort).all()
    terms = terms_of(state[0])
    momentum_rate = terms.mass_matrix[:6] @ np.concatenate((result.base_acceleration, result.joint_acceleration)) + terms.bias[:6]
    np.testing.assert_allclose(momentum_rate, 0.0, atol=1e-8)


@pytest.mark.parametrize("loads", [(1.0,) * 4, (0.0, 1.0, 1.0, 0.0), (1.0, 0.0, 0.0, 1.0), (0.0,) * 4])
@pytest.mark.parametrize("knee", [0.0, 1e-12, -1e-6, 1e-3])
def test_straight_knees_are_finite_and_inside_the_limits(controller: ReferenceController, hyq: RobotModel, stand, loads, knee) -> None:
    plan, state = stand(loads=loads)
    state["joint_position"][0, 0, 2] = state["joint_position"][0, 3, 2] = knee
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.usable
    for part in (result.position, result.velocity, result.effort, result.force):
        assert np.isfinite(part).all()
    assert (np.abs(result.effort) <= hyq.effort_limit).all()


def test_torque_limits_hold_and_what_was_clamped_is_counted(controller: ReferenceController, hyq: RobotModel, perturbed) -> None:
    clamped = 0
    for seed in range(200):
        plan, state = perturbed(seed)
        state["joint_velocity"] *= 1.0 + seed / 10.0
        result = controller.tick(plan[0], state[0], PERIOD)
        assert result.usable
        assert (np.abs(result.effort) <= hyq.effort_limit).all()
        assert (result.position >= hyq.position_lower).all()
        assert (result.position <= hyq.position_upper).all()
        assert (np.abs(result.velocity) <= hyq.velocity_limit).all()
        at_limit = np.count_nonzero(np.abs(result.effort) >= hyq.effort_limit)
        assert result.saturated <= at_limit
        clamped += result.saturated
    assert clamped


def test_forward_dynamics_gives_back_the_acceleration(controller: ReferenceController, perturbed, terms_of) -> None:
    checked = 0
    for seed in range(200):
        plan, state = perturbed(seed)
        result = controller.tick(plan[0], state[0], PERIOD)
        assert result.usable
        if result.saturated:
            continue
        terms = terms_of(state[0])
        drive = np.concatenate((np.zeros(6), result.effort)) + np.einsum("lik,li->k", terms.foot_jacobians, result.force) - terms.bias
        acceleration = np.linalg.solve(terms.mass_matrix, drive)
        np.testing.assert_allclose(acceleration[6:], result.joint_acceleration, rtol=1e-8, atol=1e-6)
        np.testing.assert_allclose(acceleration[:6], result.base_acceleration, rtol=1e-8, atol=1e-6)
        checked += 1
    assert checked > 100


def test_ticks_have_no_memory(controller: ReferenceController, perturbed) -> None:
    plan, state = perturbed(3)
    first = controller.tick(plan[0], state[0], PERIOD)
    controller.tick(*(record[0] for record in perturbed(4)), PERIOD)
    np.testing.assert_array_equal(controller.tick(plan[0], state[0], PERIOD).effort, first.effort)


@pytest.mark.parametrize("period", [0.0, -0.004, float("nan"), float("inf")])
def test_a_period_that_is_none_fails(controller: ReferenceController, stand, period: float) -> None:
    plan, state = stand()
    assert controller.tick(plan[0], state[0], period).status == FAILED
