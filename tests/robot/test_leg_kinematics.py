# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest

from surefoot.robot.leg_kinematics import feet_in_odom, foot_in_base, foot_jacobian_in_base, foot_terms_in_base
from surefoot.robot.load import load_robot
from surefoot.robot.tree import leg_tree
from surefoot.rotation import rotation_matrix


@pytest.mark.parametrize("robot", ["hyq", "links"])
def test_feet_and_jacobians_are_those_of_the_model(robot: str) -> None:
    model = load_robot(robot)
    tree = leg_tree(model)
    generator, level = np.random.default_rng(0), np.array([0.0, 0.0, 0.0, 1.0])
    for _ in range(50):
        joints = generator.uniform(-3.0, 3.0, 12)
        terms = model.rigid_body_terms(np.zeros(3), level, joints, np.zeros(3), np.zeros(3), np.zeros(12))
        feet, jacobians = terms.foot_positions, terms.foot_jacobians[:, :, 6:]
        for leg in range(4):
            mine = joints[3 * leg : 3 * leg + 3]
            np.testing.assert_allclose(foot_in_base(tree, leg, mine), feet[leg], atol=1e-12)
            np.testing.assert_allclose(foot_jacobian_in_base(tree, leg, mine), jacobians[leg][:, 3 * leg : 3 * leg + 3], atol=1e-12)


def test_the_axes_are_what_the_foot_turns_about() -> None:
    tree = leg_tree(load_robot("hyq"))
    joints, step = np.array([0.3, -0.7, 1.1]), 1e-6
    foot, jacobian, axes = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    foot_terms_in_base(tree, 1, joints, foot, jacobian, axes)
    np.testing.assert_allclose(np.linalg.norm(axes, axis=0), 1.0)
    for joint in range(3):
        moved = joints.copy()
        moved[joint] += step
        np.testing.assert_allclose((foot_in_base(tree, 1, moved) - foot) / step, jacobian[:, joint], atol=1e-5)
        # A foot moves at right angles to the axis that moves it.
        assert abs(axes[:, joint] @ jacobian[:, joint]) < 1e-12


def test_feet_in_odom_move_as_the_model_says() -> None:
    model = load_robot("hyq")
    trees, generator = np.array([leg_tree(model)]), np.random.default_rng(1)
    position, velocity = np.empty((4, 3)), np.empty((4, 3))
    for _ in range(20):
        quaternion = generator.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        place, speed, rate = generator.normal(size=(3, 3))
        joints, rates = generator.uniform(-2.0, 2.0, (2, 12))
        terms = model.rigid_body_terms(place, quaternion, joints, speed, rate, rates)
        feet_in_odom(trees, place, rotation_matrix(quaternion), speed, rate, joints.reshape(4, 3), rates.reshape(4, 3), position, velocity)
        np.testing.assert_allclose(position, terms.foot_positions, atol=1e-12)
        np.testing.assert_allclose(velocity, terms.foot_velocities, atol=1e-12)
