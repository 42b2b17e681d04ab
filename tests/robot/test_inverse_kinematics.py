# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.robot.inverse_kinematics import leg_velocity, solve_leg

anything = st.floats(-1e6, 1e6, allow_nan=False)


def test_reachable_points_are_reached(model):
    """R-32: within 0.1 mm over the reachable space, joint limits respected."""
    random = np.random.default_rng(5)
    for leg in range(4):
        mine = slice(3 * leg, 3 * leg + 3)
        lower, upper = model.position_lower[mine], model.position_upper[mine]
        for _ in range(40):
            goal, _ = model.foot_and_jacobian_in_base(leg, random.uniform(lower, upper))
            answer = solve_leg(model, leg, goal)
            assert answer.reachable
            np.testing.assert_allclose(model.foot_and_jacobian_in_base(leg, answer.joint_position)[0], goal, atol=1e-5)
            assert (answer.joint_position >= lower).all()
            assert (answer.joint_position <= upper).all()


def test_seed_keeps_the_branch(hyq):
    angles = np.array([-0.1, 0.6, -1.2])
    goal, _ = hyq.foot_and_jacobian_in_base(0, angles)
    np.testing.assert_allclose(solve_leg(hyq, 0, goal, seed=angles + 0.05).joint_position, angles, atol=1e-4)


@settings(max_examples=25, deadline=None)
@given(goal=st.tuples(anything, anything, anything), leg=st.integers(0, 3))
def test_any_goal_gets_a_finite_answer(hyq, goal, leg):
    """R-33."""
    answer = solve_leg(hyq, leg, np.array(goal))
    assert np.isfinite(answer.joint_position).all()
    assert answer.distance == pytest.approx(np.linalg.norm(answer.foot_in_base - goal))
    if np.linalg.norm(np.array(goal) - hyq.hip_in_base[leg]) > 0.78:
        assert not answer.reachable


def test_far_goal_gets_the_closest_point(hyq):
    random = np.random.default_rng(2)
    samples = np.stack(
        np.meshgrid(*(np.linspace(low, high, 18) for low, high in zip(hyq.position_lower[:3], hyq.position_upper[:3], strict=True))), -1
    ).reshape(-1, 3)
    reached = np.array([hyq.foot_and_jacobian_in_base(0, sample)[0] for sample in samples])
    for _ in range(15):
        goal = hyq.hip_in_base[0] + random.uniform(-1.5, 1.5, 3)
        assert solve_leg(hyq, 0, goal).distance <= np.linalg.norm(reached - goal, axis=1).min() + 1e-4


def test_straight_down_out_of_reach(hyq):
    answer = solve_leg(hyq, 0, hyq.hip_in_base[0] + [0.0, 0.0, -2.0])
    assert not answer.reachable
    assert answer.joint_position[2] == pytest.approx(hyq.position_upper[2])  # the knee is as straight as it gets


@pytest.mark.parametrize("goal", [(np.nan, 0.0, 0.0), (np.inf, 0.0, 0.0)])
def test_goal_that_is_no_number(hyq, goal):
    answer = solve_leg(hyq, 1, np.array(goal), seed=np.array([np.nan, 0.0, 0.0]))
    assert not answer.reachable
    np.testing.assert_array_equal(answer.joint_position, hyq.stand_joint_position[3:6])


def test_velocity(hyq):
    angles, wanted = hyq.stand_joint_position[:3], np.array([0.3, -0.1, 0.2])
    _, jacobian = hyq.foot_and_jacobian_in_base(0, angles)
    np.testing.assert_allclose(jacobian @ leg_velocity(hyq, 0, angles, wanted), wanted, atol=1e-3)


def test_velocity_of_a_straight_leg_is_finite(hyq):
    """Case 108."""
    velocity = leg_velocity(hyq, 0, np.zeros(3), np.array([0.0, 0.0, 1.0]))
    assert np.isfinite(velocity).all()
    assert np.abs(velocity).max() < 1.0
