# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest

from surefoot.estimation.filter_state import FILTER_PARAMETERS, FILTER_STATE
from surefoot.estimation.ground_torque import update_ground_torque
from surefoot.estimation.leg_dynamics import leg_torque
from surefoot.robot.leg_kinematics import foot_jacobian_in_base
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree
from surefoot.rotation import rotation_matrix

STEP = 0.001
LEVEL, STILL = np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3)
DOWN = np.array([0.0, 0.0, -9.81])


class Watched:
    """The torque of the ground on a level robot that does not turn."""

    def __init__(self, model: RobotModel) -> None:
        self.state, self.parameters, self.trees = np.zeros(1, FILTER_STATE), np.zeros(1, FILTER_PARAMETERS), np.array([leg_tree(model)])
        servos = model.description.servos
        self.parameters["viscous_friction"], self.parameters["dry_friction"] = servos.viscous_friction, servos.friction
        self.parameters["torque_time_constant"] = 0.004

    def update(self, step: float, position: np.ndarray, velocity: np.ndarray, effort: np.ndarray) -> np.ndarray:
        torque = np.empty(12)
        update_ground_torque(self.state[0], self.parameters[0], self.trees[0], DOWN, STILL, position, velocity, effort, step, torque)
        return torque


def test_a_leg_in_the_air_shows_nothing_however_hard_its_servos_work(links: RobotModel) -> None:
    """Swing at 3 Hz, where rotors and gears ask for more torque than standing does."""
    filtered, servos = Watched(links), links.description.servos
    worst_measured, worst_left = 0.0, 0.0
    for k in range(1000):
        phase = 2.0 * np.pi * 3.0 * k * STEP
        wave, speed, acceleration = np.sin(phase), 18.85 * np.cos(phase), -(18.85**2) * np.sin(phase)
        position, velocity = links.stand_joint_position + 0.4 * wave, np.full(12, 0.4 * speed)
        mass, bias = links.joint_dynamics(LEVEL, STILL, position, velocity)
        friction = servos.viscous_friction * velocity + servos.friction * np.tanh(velocity / 0.1)
        effort = mass @ np.full(12, 0.4 * acceleration) + bias + friction
        left = filtered.update(STEP, position, velocity, effort)
        if k > 100:
            worst_measured, worst_left = max(worst_measured, np.abs(effort).max()), max(worst_left, np.abs(left).max())
    assert worst_measured > 0.4
    assert worst_left < 0.1 * worst_measured


def test_a_standing_leg_shows_the_force_of_the_ground(links: RobotModel) -> None:
    tree, joints = leg_tree(links), links.stand_joint_position
    jacobians = [foot_jacobian_in_base(tree, leg, joints[3 * leg : 3 * leg + 3]) for leg in range(4)]
    held = -np.concatenate([jacobian.T @ np.array([1.0, -2.0, 12.0]) for jacobian in jacobians])
    _, bias = links.joint_dynamics(LEVEL, STILL, joints, np.zeros(12))
    filtered = Watched(links)
    assert filtered.update(0.0, joints, np.zeros(12), held + bias) == pytest.approx(held)
    assert filtered.update(STEP, joints, np.zeros(12), held + bias) == pytest.approx(held)


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
    filtered, joints, still = Watched(links), links.stand_joint_position, np.zeros(12)
    assert np.isnan(filtered.update(0.0, joints, still, np.full(12, np.nan))).all()
    assert np.isfinite(filtered.update(STEP, joints, still, np.ones(12))).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_legs_move_as_the_model_says(links: RobotModel, seed: int) -> None:
    generator, trees = np.random.default_rng(seed), np.array([leg_tree(links)])
    position, velocity, acceleration = links.stand_joint_position + 0.3 * generator.normal(size=12), *generator.normal(size=(2, 12))
    quaternion, rate = generator.normal(size=4), generator.normal(size=3)
    quaternion /= np.linalg.norm(quaternion)
    mass, bias = links.joint_dynamics(quaternion, rate, position, velocity)
    base_from_odom, torque = rotation_matrix(quaternion).T, np.empty(12)
    for leg in range(4):
        mine = slice(3 * leg, 3 * leg + 3)
        moving = position[mine], velocity[mine], acceleration[mine]
        leg_torque(trees[0], leg, base_from_odom @ DOWN, base_from_odom @ rate, *moving, torque[mine])
    np.testing.assert_allclose(torque, mass @ acceleration + bias, atol=1e-9)
