# SPDX-License-Identifier: Apache-2.0
"""Feet that stay flat: what they hold, and the moment that friction lets them hold."""

import numpy as np
import pytest

from surefoot.contact.wrench_cone import ROWS_PER_WRENCH, YAW_ROWS, Sole, wrench_cone
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.inverse_dynamics.planar_feet import planar_feet, sole_frame
from surefoot.inverse_dynamics.whole_body_qp import WholeBodyController
from surefoot.robot.model import GRAVITY, RobotModel

PERIOD = 0.004
LEFT_HIND_RIGHT_FORE = (0.0, 1.0, 1.0, 0.0)


def wrenches(hyq: RobotModel, terms_of, records, sole: Sole) -> tuple[np.ndarray, np.ndarray]:
    """What the loaded feet take from the ground, (n, 6), and the base acceleration, (6,)."""
    plan, state = records
    controller = WholeBodyController(hyq, hyq.description.control, sole=sole)
    result = controller.control(terms_of(state[0]), plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    np.testing.assert_array_equal(result.force, controller._wrench[:, :3])
    return controller._wrench[plan["load"][0] > 0.0], result.base_acceleration


def test_what_is_held_moves_the_robot_as_it_says(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand(friction=0.8, loads=LEFT_HIND_RIGHT_FORE)
    plan["base_roll_pitch_yaw"] = (0.1, 0.0, 0.2)
    controller = WholeBodyController(hyq, hyq.description.control, sole=Sole(0.1, 0.04))
    terms, rotation = terms_of(state[0]), rotation_terms(hyq, state[0])
    result = controller.control(terms, plan[0], state[0], PERIOD)
    pushed = np.concatenate((np.zeros(6), result.effort)) - terms.bias
    for leg, wrench in enumerate(controller._wrench):
        pushed += terms.foot_jacobians[leg].T @ wrench[:3] + rotation.jacobians[leg].T @ wrench[3:]
    acceleration = np.concatenate((result.base_acceleration, result.joint_acceleration))
    np.testing.assert_allclose(terms.mass_matrix @ acceleration, pushed, atol=1e-6)
    # Soles hold moments, those of feet in the air nothing.
    assert np.abs(controller._wrench[1:3, 3:]).min(axis=1).max() > 0.1
    assert not controller._wrench[[0, 3]].any()


def test_each_wrench_is_one_that_the_ground_gives(hyq: RobotModel, stand, terms_of) -> None:
    sole = Sole(0.1, 0.04)
    plan, state = stand(friction=0.5)
    plan["base_position"][0] += (0.3, -0.2, 0.1)
    plan["base_roll_pitch_yaw"] = (0.3, -0.3, 0.5)
    held, _ = wrenches(hyq, terms_of, (plan, state), sole)
    rotation = rotation_terms(hyq, state[0])
    weight, margins = hyq.total_mass * GRAVITY, []
    for wrench, link in zip(held, rotation.odom_from_link, strict=True):
        rows, bounds = wrench_cone(sole_frame(plan["normal"][0, 0], link[:, 0]), 0.5, hyq.description.control.foot_force_limit, sole)
        margins.append((rows @ wrench - bounds).min())
    assert min(margins) > -1e-8 * weight
    # The body asks for more than they give.
    assert min(margins) < 1e-6 * weight


@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_a_moment_about_the_normal_ends_at_what_friction_holds(hyq: RobotModel, stand, terms_of, turn: float) -> None:
    plan, state = stand(friction=0.05, loads=(1.0, 0.0, 0.0, 0.0))
    plan["base_roll_pitch_yaw"] = (0.0, 0.0, 3.0 * turn)
    (bounded,), _ = wrenches(hyq, terms_of, (plan, state), Sole(0.1, 0.04))
    (free,), _ = wrenches(hyq, terms_of, (plan, state), Sole(0.1, 0.04, bounds_yaw=False))
    most = 0.05 / np.sqrt(2.0) * 0.14 * bounded[2]
    assert abs(bounded[5]) <= most * (1.0 + 1e-6)
    assert abs(free[5]) > 2.0 * most


def rotation_terms(hyq: RobotModel, state: np.void):
    return hyq.foot_rotation_terms(
        state["base_quaternion"], state["joint_position"].ravel(), state["base_rate"], state["joint_velocity"].ravel()
    )


@pytest.mark.parametrize("seed", range(4))
def test_sizes_and_what_keeps_a_sole_still(hyq: RobotModel, perturbed, terms_of, seed: int) -> None:
    plan, state = perturbed(seed)
    terms, rotation = terms_of(state[0]), rotation_terms(hyq, state[0])
    gains = hyq.description.control
    feet = planar_feet(terms, rotation, plan[0], gains, Sole(0.1, 0.04))
    count = int(np.count_nonzero(plan["load"][0]))
    assert feet.jacobian.shape == (6 * count, 18)
    assert feet.rows.shape == ((ROWS_PER_WRENCH + YAW_ROWS) * count, 6 * count)
    # An acceleration that serves it takes the rotation of the foot back as fast as its slip.
    acceleration = np.linalg.lstsq(feet.jacobian[:6], feet.acceleration[:6], rcond=None)[0]
    leg = int(feet.legs[0])
    turning = rotation.jacobians[leg] @ acceleration + rotation.bias_accelerations[leg]
    np.testing.assert_allclose(turning, -gains.contact_velocity_gain * rotation.velocities[leg], atol=1e-9)


def test_a_link_that_stands_on_its_toe_has_a_frame_all_the_same() -> None:
    frame = sole_frame(np.array((0.0, 0.0, 1.0)), np.array((0.0, 0.0, -1.0)))
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(frame) == pytest.approx(1.0)
