# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest

from surefoot.estimation.ground_torque import GroundTorque
from surefoot.robot.leg_kinematics import foot_jacobian_in_base
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

STEP = 0.001
LEVEL, STILL = np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3)


def test_a_leg_in_the_air_shows_nothing_however_hard_its_servos_work(links: RobotModel) -> None:
    """Swing at 3 Hz, where rotors and gears ask for more torque than standing does."""
    filtered, servos = GroundTorque(links, 0.004), links.description.servos
    worst_measured, worst_left = 0.0, 0.0
    for k in range(1000):
        phase = 2.0 * np.pi * 3.0 * k * STEP
        wave, speed, acceleration = np.sin(phase), 18.85 * np.cos(phase), -(18.85**2) * np.sin(phase)
        position, velocity = links.stand_joint_position + 0.4 * wave, np.full(12, 0.4 * speed)
        mass, bias = links.joint_dynamics(LEVEL, STILL, position, velocity)
        friction = servos.viscous_friction * velocity + servos.friction * np.tanh(velocity / 0.1)
        effort = mass @ np.full(12, 0.4 * acceleration) + bias + friction
        left = filtered.update(STEP, LEVEL, STILL, position, velocity, effort)
        if k > 100:
            worst_measured, worst_left = max(worst_measured, np.abs(effort).max()), max(worst_left, np.abs(left).max())
    assert worst_measured > 0.4
    assert worst_left < 0.1 * worst_measured


def test_a_standing_leg_shows_the_force_of_the_ground(links: RobotModel) -> None:
    tree, joints = leg_tree(links), links.stand_joint_position
    jacobians = [foot_jacobian_in_base(tree, leg, joints[3 * leg : 3 * leg + 3]) for leg in range(4)]
    held = -np.concatenate([jacobian.T @ np.array([1.0, -2.0, 12.0]) for jacobian in jacobians])
    _, bias = links.joint_dynamics(LEVEL, STILL, joints, np.zeros(12))
    filtered = GroundTorque(links, 0.004)
    assert filtered.update(0.0, LEVEL, STILL, joints, np.zeros(12), held + bias) == pytest.approx(held)
    assert filtered.update(STEP, LEVEL, STILL, joints, np.zeros(12), held + bias) == pytest.approx(held)


def test_the_dynamics_are_the_joints_rows_of_the_whole(links: RobotModel) -> None:
    generator = np.random.default_rng(3)
    position, velocity = links.stand_joint_position + 0.2 * generator.normal(size=12), generator.normal(size=12)
    quaternion, rate = generator.normal(size=4), generator.normal(size=3)
    quaternion /= np.linalg.norm(quaternion)
    whole = links.rigid_body_terms(np.zeros(3), quaternion, position, np.zeros(3), rate, velocity)
    mass, bias = links.joint_dynamics(quaternion, rate, position, velocity)
    np.testing.assert_allclose(mass, whole.mass_matrix[6:, 6:], atol=1e-12)
    np.testing.assert_allclose(bias, whole.bias[6:], atol=1e-9)


def test_effort_that_is_not_measured_is_no_torque_and_leaves_nothing_behind(links: RobotModel) -> None:
    filtered, joints, still = GroundTorque(links, 0.004), links.stand_joint_position, np.zeros(12)
    assert np.isnan(filtered.update(0.0, LEVEL, STILL, joints, still, np.full(12, np.nan))).all()
    assert np.isfinite(filtered.update(STEP, LEVEL, STILL, joints, still, np.ones(12))).all()
