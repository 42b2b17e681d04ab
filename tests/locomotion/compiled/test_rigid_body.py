# SPDX-License-Identifier: Apache-2.0
import numba
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.locomotion.compiled.rigid_body import TERMS, rigid_body_terms
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree


@numba.njit
def first(tree, rotation, velocity, rate, position, joint_velocity, terms):  # type: ignore[no-untyped-def]
    rigid_body_terms(tree[0], rotation, velocity, rate, position, joint_velocity, terms[0])


@pytest.fixture(scope="module", params=["hyq", "links"])
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_robot(request.param)


def dense(terms: np.void) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass matrix (18, 18), bias (18,) and foot Jacobians (4, 3, 18) of a record."""
    mass, jacobians = np.zeros((18, 18)), np.zeros((4, 3, 18))
    mass[:6, :6] = terms["base_mass_matrix"]
    for leg in range(4):
        mine = slice(6 + 3 * leg, 9 + 3 * leg)
        mass[:6, mine], mass[mine, :6] = terms["coupling"][leg], terms["coupling"][leg].T
        mass[mine, mine] = terms["leg_mass_matrix"][leg]
        x, y, z = terms["foot_position"][leg]
        jacobians[leg, :, :3] = np.eye(3)
        jacobians[leg, :, 3:6] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
        jacobians[leg, :, mine] = terms["foot_jacobian"][leg]
    return mass, np.concatenate((terms["base_bias"], terms["leg_bias"].ravel())), jacobians


def test_random_states_have_the_terms_of_pinocchio(model: RobotModel) -> None:
    random = np.random.default_rng(12)
    tree, record = np.array([leg_tree(model)]), np.zeros(1, TERMS)
    for _ in range(300):
        base, velocity, rate = random.normal(size=3), random.normal(size=3), 2.0 * random.normal(size=3)
        rotation = Rotation.random(rng=random)
        joints, joint_velocity = random.uniform(-np.pi, np.pi, size=12), 5.0 * random.normal(size=12)
        expected = model.rigid_body_terms(base, rotation.as_quat(), joints, velocity, rate, joint_velocity)
        first(tree, rotation.as_matrix(), velocity, rate, joints.reshape(4, 3), joint_velocity.reshape(4, 3), record)
        mass, bias, jacobians = dense(record[0])
        scale = model.total_mass
        np.testing.assert_allclose(mass, expected.mass_matrix, atol=1e-9 * scale)
        np.testing.assert_allclose(bias, expected.bias, atol=1e-9 * scale * 10.0)
        np.testing.assert_allclose(jacobians, expected.foot_jacobians, atol=1e-9)
        np.testing.assert_allclose(record[0]["foot_position"], expected.foot_positions - base, atol=1e-9)
        np.testing.assert_allclose(record[0]["foot_velocity"], expected.foot_velocities, atol=1e-9)
        np.testing.assert_allclose(record[0]["foot_bias_acceleration"], expected.foot_bias_accelerations, atol=1e-9 * 100.0)


def test_at_rest_the_bias_is_the_weight(model: RobotModel) -> None:
    tree, record, zero = np.array([leg_tree(model)]), np.zeros(1, TERMS), np.zeros(3)
    first(tree, np.eye(3), zero, zero, model.stand_joint_position.copy().reshape(4, 3), np.zeros((4, 3)), record)
    np.testing.assert_allclose(record[0]["base_bias"][:3], [0.0, 0.0, 9.81 * model.total_mass], rtol=1e-12, atol=1e-9)
