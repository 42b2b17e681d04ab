# SPDX-License-Identifier: Apache-2.0

import numpy as np

from surefoot.estimation.contact import ContactDetector, foot_force_from_torque
from surefoot.estimation.settings import ContactSettings, EstimatorSettings
from surefoot.robot.leg_kinematics import foot_jacobian_in_base
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

UP, NOTHING = np.array([0.0, 0.0, 1.0]), np.full(12, np.nan)
SETTINGS = ContactSettings(release_ratio=0.5, softness=0.1, jacobian_damping=0.02, torque_time_constant=0.008)


def probabilities(detector: ContactDetector, force: float) -> np.ndarray:
    return detector.update(np.tile([0.0, 0.0, force], (4, 1)), NOTHING, np.zeros((4, 3, 3)), UP)


def test_probability_is_one_half_at_the_threshold_and_grows_with_force() -> None:
    assert probabilities(ContactDetector(40.0, SETTINGS), 40.0)[0] == 0.5
    values = [probabilities(ContactDetector(40.0, SETTINGS), force)[0] for force in np.linspace(-100.0, 1000.0, 50)]
    assert np.all(np.diff(values) >= 0.0)
    assert values[0] < 1e-6
    assert values[-1] > 1.0 - 1e-6


def test_a_foot_keeps_its_contact_between_the_two_thresholds() -> None:
    detector = ContactDetector(40.0, SETTINGS)
    decisions = []
    for force in (0.0, 30.0, 45.0, 30.0, 25.0, 15.0, 30.0):
        probabilities(detector, force)
        decisions.append(bool(detector.in_contact[0]))
    assert decisions == [False, False, True, True, True, False, False]


def test_only_the_force_along_the_normal_counts() -> None:
    detector = ContactDetector(40.0, SETTINGS)
    force = np.tile([500.0, 0.0, 0.0], (4, 1))
    assert (detector.update(force, NOTHING, np.zeros((4, 3, 3)), UP) < 0.01).all()
    assert (detector.update(force, NOTHING, np.zeros((4, 3, 3)), np.array([1.0, 0.0, 0.0])) > 0.99).all()


def test_joint_torques_take_the_place_of_a_missing_force_sensor(hyq: RobotModel, settings: EstimatorSettings) -> None:
    tree, joints = leg_tree(hyq), hyq.stand_joint_position.reshape(4, 3)
    jacobians = np.array([foot_jacobian_in_base(tree, leg, joints[leg]) for leg in range(4)])
    force = np.array([[0.0, 0.0, 200.0], [0.0, 0.0, 0.0], [20.0, -10.0, 300.0], [0.0, 0.0, 10.0]])
    effort = np.concatenate([-jacobians[leg].T @ force[leg] for leg in range(4)])
    found = foot_force_from_torque(effort[6:9], jacobians[2], 1e-6)
    np.testing.assert_allclose(found, force[2], rtol=1e-4, atol=0.1)
    blind = np.full((4, 3), np.nan)
    blind[0] = [0.0, 0.0, 5.0]
    probability = ContactDetector(40.0, settings.contact).update(blind, effort, jacobians, UP)
    assert (probability > 0.5).tolist() == [False, False, True, False]


def test_a_foot_of_which_nothing_is_known_is_not_in_contact() -> None:
    probability = ContactDetector(40.0, SETTINGS).update(np.full((4, 3), np.nan), NOTHING, np.zeros((4, 3, 3)), UP)
    assert probability.tolist() == [0.0] * 4


def test_a_straight_leg_gives_a_finite_force() -> None:
    assert np.isfinite(foot_force_from_torque(np.ones(3), np.zeros((3, 3)), 0.02)).all()
