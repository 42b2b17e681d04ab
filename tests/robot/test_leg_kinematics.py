# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest

from surefoot.robot.leg_kinematics import foot_in_base, foot_jacobian_in_base, foot_terms_in_base
from surefoot.robot.load import load_robot
from surefoot.robot.tree import leg_tree


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
