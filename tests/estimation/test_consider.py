# SPDX-License-Identifier: Apache-2.0
"""The effect of the joints' wrong zeros: against whole matrices, derivatives, and what wrong zeros really do to a walk."""

from dataclasses import replace

import numpy as np
import pytest
from neighbours import neighbour
from scipy.stats import chi2

from surefoot.estimation.consider import change_of_drift, honest_covariance
from surefoot.estimation.correction import correct, correct_scalar, drop_foot, set_foot_down
from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.filter_state import ERRORS, FEET, FILTER_PARAMETERS, FILTER_STATE, GYROSCOPE_BIAS, ORIENTATION, VELOCITY, ZEROS
from surefoot.estimation.prediction import predict
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.leg_kinematics import foot_terms_in_base
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

SMALL = 1e-6

filter_tests = neighbour("estimation/test_filter.py")


def random_state() -> np.ndarray:
    """All feet on the ground, biased by nothing in particular, by zeros that are wrong."""
    state: np.ndarray = filter_tests.random_state()
    state["zero_effect"] = np.random.default_rng(4).normal(size=state["zero_effect"].shape)
    return state


def test_a_prediction_moves_the_effect_as_it_moves_an_error() -> None:
    """Carried by the derivative that carries the covariance: an error of rank one is the same as the effect of one joint."""
    state = random_state()
    effect = state["zero_effect"][0].copy()
    state["covariance"] = effect @ effect.T
    record = np.zeros(1, FILTER_PARAMETERS)
    record["gravity"] = 9.81
    predict(state[0], record[0], np.array([0.4, -0.8, 0.5]), np.array([1.0, -2.0, 11.0]), 0.01, 0.01, -1.0)
    moved = state["zero_effect"][0]
    assert np.abs(moved - effect).max() > 1e-3
    np.testing.assert_allclose(moved @ moved.T, state["covariance"][0], atol=1e-12)


@pytest.mark.parametrize("keep_heading", [False, True])
def test_a_correction_takes_its_gain_times_what_the_zeros_do_to_the_innovation(keep_heading: bool) -> None:
    generator, state = np.random.default_rng(1), random_state()
    sensitivity, by_zeros, noise = np.zeros((3, ERRORS)), generator.normal(size=(3, ZEROS)), np.diag([0.1, 0.2, 0.3])
    sensitivity[:, VELOCITY : GYROSCOPE_BIAS + 3] = generator.normal(size=(3, 9))
    covariance, effect = state["covariance"][0].copy(), state["zero_effect"][0].copy()
    gain = covariance @ sensitivity.T @ np.linalg.inv(sensitivity @ covariance @ sensitivity.T + noise)
    if keep_heading:
        gain = filter_tests.gain_that_keeps_the_heading(state, sensitivity, noise)
    seen, innovation, white, whitened = sensitivity @ effect + by_zeros, np.array([0.1, -0.2, 0.3]), np.empty(3), by_zeros.copy()
    assert correct(state[0], sensitivity, innovation, noise, whitened, white, np.inf, keep_heading)
    np.testing.assert_allclose(state["zero_effect"][0], effect - gain @ seen, atol=1e-12)
    root = np.linalg.cholesky(sensitivity @ covariance @ sensitivity.T + noise)
    np.testing.assert_allclose(white, np.linalg.solve(root, innovation), atol=1e-12)
    np.testing.assert_allclose(whitened, np.linalg.solve(root, seen), atol=1e-12)


def test_a_correction_of_one_dimension_does_the_same() -> None:
    state, sensitivity = random_state(), np.random.default_rng(2).normal(size=ERRORS)
    covariance, effect = state["covariance"][0].copy(), state["zero_effect"][0].copy()
    gain = covariance @ sensitivity / (sensitivity @ covariance @ sensitivity + 0.1)
    assert correct_scalar(state[0], sensitivity, 0.2, 0.1, np.inf)
    np.testing.assert_allclose(state["zero_effect"][0], effect - np.outer(gain, sensitivity @ effect), atol=1e-12)


def test_a_foot_that_is_set_down_carries_the_effect_of_base_and_leg() -> None:
    state, arm, leg_in_odom = random_state(), np.array([0.3, 0.2, -0.6]), np.random.default_rng(3).normal(size=(3, 3))
    effect = state["zero_effect"][0].copy()
    set_foot_down(state[0], 2, arm, leg_in_odom, np.eye(3) * 1e-4, 0.002)
    expected = effect[:3] + np.cross(effect[ORIENTATION : ORIENTATION + 3].T, arm).T
    expected[:, 6:9] -= 0.002 * leg_in_odom
    np.testing.assert_allclose(state["zero_effect"][0, FEET + 6 : FEET + 9], expected, atol=1e-12)
    drop_foot(state[0], 2)
    assert not state["zero_effect"][0, FEET + 6 : FEET + 9].any()
    assert state["zero_effect"][0, FEET + 9 :].any()


def test_how_a_joint_changes_the_speed_of_its_foot(hyq: RobotModel) -> None:
    tree, rate, joint_velocity = leg_tree(hyq), np.array([0.3, -0.2, 0.5]), np.array([0.5, 2.0, -3.0])
    foot, jacobian, axes, found = np.empty(3), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))

    def drift(angles: np.ndarray) -> np.ndarray:
        foot_terms_in_base(tree, 1, angles, foot, jacobian, axes)
        return np.cross(rate, foot) + jacobian @ joint_velocity

    angles = np.array([0.1, 0.7, -1.5])
    expected = np.array([(drift(angles + SMALL * one) - drift(angles - SMALL * one)) / (2.0 * SMALL) for one in np.eye(3)]).T
    drift(angles)
    change_of_drift(rate, jacobian, axes, joint_velocity, found)
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_the_covariance_counts_both() -> None:
    state = random_state()
    effect = state["zero_effect"][0]
    np.testing.assert_allclose(honest_covariance(state[0], 27), state["covariance"][0] + effect @ effect.T, atol=1e-12)


def test_the_effect_is_what_wrong_zeros_really_do(hyq: RobotModel, settings: EstimatorSettings, trot) -> None:
    """The estimates of a walk by robots of which each has one wrong joint, less that of a robot that has none."""
    wrong, samples = 1e-4, trot.samples[:900]
    sensors = hyq.description.sensors
    joint = sensors.joint_position.model_copy(update={"bias_standard_deviation": wrong})
    description = hyq.description.model_copy(update={"sensors": sensors.model_copy(update={"joint_position": joint})})

    def heard(zeros: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        estimator = StateEstimator(description, hyq, settings)
        for sample in samples:
            estimator.update(replace(sample, joint_position=sample.joint_position + zeros))
        memory = estimator._memory
        return np.concatenate((memory["position"][0], memory["velocity"][0])), memory["zero_effect"][0]

    right, effect = heard(np.zeros(12))
    effect = effect[[*range(3), *range(VELOCITY, VELOCITY + 3)]]
    assert np.abs(effect[:3]).max() > 0.1 * wrong
    for joint in (1, 3, 8):
        there, _ = heard(wrong * np.eye(12)[joint])
        # Truth less estimate: of two estimates of one truth, what the wrong zero has done with the sign turned.
        done = right - there
        for part in (slice(0, 3), slice(3, 6)):
            np.testing.assert_allclose(effect[part, joint], done[part], atol=0.03 * np.abs(effect[part]).max())


def test_errors_of_many_robots_are_as_large_as_said() -> None:
    """Truth with exactly the noise of the filter: robots that stand, an IMU with white noise, a speed that is heard with white noise and
    with what the robot's own zeros do to it, the same all the time. Normalised squares of errors and innovations over 200 of them lie in
    their band; without the zeros' part the errors do not [Bar-Shalom 2001, section 5.4]."""
    generator, robots, step, up = np.random.default_rng(5), 200, 0.01, np.array([0.0, 0.0, 9.81])
    record = np.zeros(1, FILTER_PARAMETERS)
    record["gravity"], record["accelerometer_variance"] = 9.81, 0.04
    sensitivity, noise, by_zeros = np.zeros((3, ERRORS)), np.eye(3) * 1e-4, 0.005 * generator.normal(size=(3, ZEROS))
    sensitivity[:, VELOCITY : VELOCITY + 3] = np.eye(3)
    parts = np.arange(6)
    errors, alone, innovations = [], [], []
    for _ in range(robots):
        state, zeros = np.zeros(1, FILTER_STATE), generator.normal(size=ZEROS)
        state["rotation"] = np.eye(3)
        state["covariance"][0, parts, parts] = 1e-4
        state["position"], state["velocity"] = 0.01 * generator.normal(size=(2, 3))
        for _ in range(60):
            force = up + 0.2 * generator.normal(size=3)
            state["specific_force"] = force
            predict(state[0], record[0], np.zeros(3), force, step, step, -1.0)
            innovation = by_zeros @ zeros + 0.01 * generator.normal(size=3) - state["velocity"][0]
            white, effect = np.empty(3), by_zeros.copy()
            assert correct(state[0], sensitivity, innovation, noise, effect, white, np.inf, False)
        error = -np.concatenate((state["position"][0], state["velocity"][0]))
        errors.append(error @ np.linalg.solve(honest_covariance(state[0], 27)[:6, :6], error))
        alone.append(error @ np.linalg.solve(state["covariance"][0, :6, :6], error))
        innovations.append(white @ np.linalg.solve(np.eye(3) + effect @ effect.T, white))
    for values, freedom in ((errors, 6), (innovations, 3)):
        low, high = chi2.ppf((0.025, 0.975), freedom * robots) / robots
        assert low < np.mean(values) < high
    assert np.mean(alone) > 2.0 * 6
