# SPDX-License-Identifier: Apache-2.0
"""The yaw is not measured: errors follow the estimate, and how little the yaw is known makes no difference to where the robot goes."""

import numpy as np
import pytest
from neighbours import neighbour

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.filter_state import ERRORS, FEET, ORIENTATION, POSITION, VELOCITY
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import PoseMeasurement
from surefoot.estimation.unseen import turn_errors_along
from surefoot.robot.model import RobotModel

consider_tests = neighbour("estimation/test_consider.py")

FIRST = (POSITION, VELOCITY, FEET, FEET + 3, FEET + 6, FEET + 9)


def test_errors_of_all_that_turns_with_the_robot_follow_its_estimate() -> None:
    state, generator = consider_tests.random_state(), np.random.default_rng(7)
    moved_by = generator.normal(size=(6, 3))
    state["moved_by"] = moved_by
    transition = np.eye(ERRORS)
    for first, way in zip(FIRST, moved_by, strict=True):
        x, y, z = way
        # error x way
        transition[first : first + 3, ORIENTATION : ORIENTATION + 3] = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    before = state.copy()
    turn_errors_along(state[0])
    np.testing.assert_allclose(state["covariance"][0], transition @ before["covariance"][0] @ transition.T, atol=1e-12)
    np.testing.assert_allclose(state["zero_effect"][0], transition @ before["zero_effect"][0], atol=1e-12)
    assert (state["covariance"][0] == state["covariance"][0].T).all()
    assert not state["moved_by"].any()


def test_a_robot_goes_the_same_way_whether_its_yaw_is_known_or_not(hyq: RobotModel, settings: EstimatorSettings, trot, noisy) -> None:
    """Ten seconds of trot, once with a yaw that is known to 0.1 mrad at the start, and once to 0.3 rad."""
    samples, ways, spreads = noisy(trot, 3)[:2500], [], []
    for deviation in (1e-4, 0.3):
        start = settings.start.model_copy(update={"place_standard_deviation": deviation})
        estimator = StateEstimator(hyq.description, hyq, settings.model_copy(update={"start": start}))
        states = [estimator.update(sample) for sample in samples]
        ways.append(np.array([[*state.base_position, *state.base_linear_velocity] for state in states[500:]]))
        spreads.append([state.pose_covariance[5, 5] for state in states[500:]])
    assert np.linalg.norm(ways[0][-1, :2] - ways[0][0, :2]) > 1.0
    np.testing.assert_allclose(ways[1], ways[0], atol=2e-4)
    # Nor does anything tell the yaw.
    assert min(spreads[1]) > 0.999 * 0.3**2


def test_places_that_are_measured_at_rest_tell_nothing_of_the_yaw(hyq: RobotModel, settings: EstimatorSettings, still) -> None:
    """The first of them moves the estimate by half a metre."""
    start = settings.start.model_copy(update={"place_standard_deviation": 0.3})
    estimator = StateEstimator(hyq.description, hyq, settings.model_copy(update={"start": start}))
    variance, generator = np.array([4e-4, 4e-4, *[np.nan] * 4]), np.random.default_rng(5)
    known, yaw = [], []
    for count, sample in enumerate(still(600)):
        state = estimator.update(sample)
        known.append(state.pose_covariance[5, 5])
        yaw.append(2.0 * state.base_quaternion[2])
        if count >= 100 and count % 20 == 0:
            x, y = generator.normal((0.5, 0.2), 0.02)
            estimator.take(PoseMeasurement(sample.time, np.array([x, y, 0.0]), np.zeros(4), variance))
    assert state.base_position[:2] == pytest.approx([0.5, 0.2], abs=0.05)
    # The IMU lies beside the base, so the first of them tells something of its place, and with it of the yaw; the others do not.
    assert known[-1] > 0.97 * known[150]
    assert abs(yaw[-1] - yaw[150]) < 5e-3
