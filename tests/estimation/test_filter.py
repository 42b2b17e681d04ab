# SPDX-License-Identifier: Apache-2.0
"""The linear algebra of the filter against slower, plainer ways to say the same."""

import numpy as np
import pytest

from surefoot.estimation.correction import correct, correct_scalar, drop_foot, set_foot_down
from surefoot.estimation.filter_state import (
    ACCELEROMETER_BIAS,
    ERRORS,
    FEET,
    FILTER_PARAMETERS,
    FILTER_STATE,
    GYROSCOPE_BIAS,
    ORIENTATION,
    POSITION,
    VELOCITY,
)
from surefoot.estimation.output import base_estimate
from surefoot.estimation.prediction import predict
from surefoot.estimation.rotation import quaternion_from_rotation, rotation_from_vector

RATE, FORCE, STEP = np.array([0.4, -0.8, 0.5]), np.array([1.0, -2.0, 11.0]), 0.01
PARTS = {"position": POSITION, "velocity": VELOCITY, "gyroscope_bias": GYROSCOPE_BIAS, "accelerometer_bias": ACCELEROMETER_BIAS}


def random_state(seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    state = np.zeros(1, FILTER_STATE)
    for name in (*PARTS, "feet", "angular_velocity", "specific_force"):
        state[name] = generator.normal(size=state[name].shape)
    state["rotation"] = rotation_from_vector(0.3, -0.2, 1.0)
    state["foot_held"] = 1.0
    root = generator.normal(size=(ERRORS, ERRORS))
    state["covariance"] = root @ root.T / ERRORS
    return state


def parameters() -> np.ndarray:
    record = np.zeros(1, FILTER_PARAMETERS)
    record["gravity"], record["imu_in_base"] = 9.81, (0.3, -0.1, 0.2)
    return record


def plus(state: np.ndarray, error: np.ndarray) -> np.ndarray:
    moved = state.copy()
    for name, first in PARTS.items():
        moved[name] += error[first : first + 3]
    moved["feet"] += error[FEET:].reshape(4, 3)
    moved["rotation"] = rotation_from_vector(*error[ORIENTATION : ORIENTATION + 3]) @ state["rotation"][0]
    return moved


def minus(after: np.ndarray, before: np.ndarray) -> np.ndarray:
    error = np.zeros(ERRORS)
    for name, first in PARTS.items():
        error[first : first + 3] = (after[name] - before[name])[0]
    error[FEET:] = (after["feet"] - before["feet"]).ravel()
    turn = after["rotation"][0] @ before["rotation"][0].T
    error[ORIENTATION : ORIENTATION + 3] = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return error


def predicted(state: np.ndarray) -> np.ndarray:
    moved = state.copy()
    predict(moved[0], parameters()[0], RATE, FORCE, STEP, STEP, -1.0)
    return moved


def test_the_covariance_is_carried_by_the_derivative_of_the_mean() -> None:
    state, small = random_state(), 1e-6
    there = predicted(state)
    transition = np.empty((ERRORS, ERRORS))
    for column in range(ERRORS):
        error = np.zeros(ERRORS)
        error[column] = small
        transition[:, column] = minus(predicted(plus(state, error)), there) / small
    expected = transition @ state["covariance"][0] @ transition.T
    # The products of bias and step squared that the filter leaves out are of this size.
    np.testing.assert_allclose(there["covariance"][0], expected, atol=2e-3)
    np.testing.assert_allclose(there["covariance"][0], there["covariance"][0].T, atol=1e-12)


def test_half_a_turn_by_the_gyroscope_is_half_a_turn() -> None:
    state = np.zeros(1, FILTER_STATE)
    state["rotation"] = np.eye(3)
    rate = np.array([0.0, 0.0, np.pi])
    state["angular_velocity"] = rate
    for _ in range(100):
        predict(state[0], parameters()[0], rate, np.array([0.0, 0.0, 9.81]), 0.01, 0.01, -1.0)
    np.testing.assert_allclose(state["rotation"][0], np.diag([-1.0, -1.0, 1.0]), atol=1e-9)


def test_a_correction_is_the_textbook_one_in_joseph_form() -> None:
    generator = np.random.default_rng(1)
    sensitivity, innovation, noise = generator.normal(size=(3, ERRORS)), generator.normal(size=3) * 0.1, np.diag([0.1, 0.2, 0.3])
    state = random_state()
    before = state.copy()
    covariance = before["covariance"][0]
    gain = covariance @ sensitivity.T @ np.linalg.inv(sensitivity @ covariance @ sensitivity.T + noise)
    rest = np.eye(ERRORS) - gain @ sensitivity
    assert correct(state[0], sensitivity, innovation, noise, np.zeros((3, 12)), np.empty(3), np.inf, False)
    np.testing.assert_allclose(state["covariance"][0], rest @ covariance @ rest.T + gain @ noise @ gain.T, atol=1e-12)
    for name, value in plus(before, gain @ innovation)[0].dtype.fields.items():
        if name not in ("covariance", "moved_by"):
            np.testing.assert_allclose(state[name], plus(before, gain @ innovation)[name], atol=1e-9, err_msg=str(value))
    way = gain @ innovation
    expected = np.vstack((way[POSITION : POSITION + 3], way[VELOCITY : VELOCITY + 3], way[FEET:].reshape(4, 3)))
    np.testing.assert_allclose(state["moved_by"][0], expected, atol=1e-12)

    once = before.copy()
    assert correct_scalar(once[0], sensitivity[0], innovation[0], 0.1, np.inf)
    gain = covariance @ sensitivity[0] / (sensitivity[0] @ covariance @ sensitivity[0] + 0.1)
    np.testing.assert_allclose(once["covariance"][0], covariance - np.outer(gain, sensitivity[0] @ covariance), atol=1e-12)


def gain_that_keeps_the_heading(state: np.ndarray, sensitivity: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """The best gain (27, 3), after which all that has followed the yaw, and the feet about the robot, are turned back by what it turned."""
    covariance, vertical = state["covariance"][0], state["rotation"][0, 2]
    gain: np.ndarray = covariance @ sensitivity.T @ np.linalg.inv(sensitivity @ covariance @ sensitivity.T + noise)
    left = covariance - gain @ sensitivity @ covariance
    turned, yaw, up = np.zeros(ERRORS), ORIENTATION + 2, np.array([0.0, 0.0, 1.0])
    followed = np.append(left[POSITION : POSITION + 2, yaw] / left[yaw, yaw], 0.0)
    turned[yaw], turned[POSITION : POSITION + 3], turned[VELOCITY : VELOCITY + 3] = 1.0, followed, np.cross(up, state["velocity"][0])
    for leg in range(4):
        turned[FEET + 3 * leg : FEET + 3 * leg + 3] = followed + np.cross(up, state["feet"][0, leg] - state["position"][0])
    gain -= np.outer(turned, gain[yaw])
    bias = slice(GYROSCOPE_BIAS, GYROSCOPE_BIAS + 3)
    gain[bias] -= np.outer(vertical, vertical @ gain[bias])
    return gain


def test_a_correction_that_keeps_the_heading_is_joseph_form_with_its_gain() -> None:
    generator = np.random.default_rng(2)
    sensitivity, innovation, noise = np.zeros((3, ERRORS)), generator.normal(size=3) * 0.1, np.diag([0.1, 0.2, 0.3])
    sensitivity[:, VELOCITY : GYROSCOPE_BIAS + 3] = generator.normal(size=(3, 9))
    state = random_state()
    covariance, gain = state["covariance"][0].copy(), gain_that_keeps_the_heading(state, sensitivity, noise)
    rest = np.eye(ERRORS) - gain @ sensitivity
    expected = plus(state, gain @ innovation)
    assert correct(state[0], sensitivity, innovation, noise, np.zeros((3, 12)), np.empty(3), np.inf, True)
    np.testing.assert_allclose(state["covariance"][0], rest @ covariance @ rest.T + gain @ noise @ gain.T, atol=1e-12)
    assert (state["covariance"][0] == state["covariance"][0].T).all()
    for name in (*PARTS, "rotation", "feet"):
        np.testing.assert_allclose(state[name], expected[name], atol=1e-9, err_msg=name)


def test_what_legs_say_of_the_yaw_turns_the_feet_about_the_robot() -> None:
    """As seen by the robot, its feet and its velocity are where the best correction has put them, and the yaw is what it was."""
    generator = np.random.default_rng(6)
    sensitivity, innovation, noise = np.zeros((3, ERRORS)), generator.normal(size=3) * 1e-6, np.diag([0.1, 0.2, 0.3])
    sensitivity[:, POSITION:] = generator.normal(size=(3, ERRORS - POSITION))
    best, kept = random_state(), random_state()
    for state, keep in ((best, False), (kept, True)):
        assert correct(state[0], sensitivity, innovation, noise, np.zeros((3, 12)), np.empty(3), np.inf, keep)
    turn = best["rotation"][0] @ kept["rotation"][0].T
    assert np.abs(turn[:2, :2] - np.eye(2)).max() > 1e-8
    np.testing.assert_allclose(kept["velocity"][0], turn.T @ best["velocity"][0], atol=1e-11)
    for leg in range(4):
        one, other = (state["feet"][0, leg] - state["position"][0] for state in (best, kept))
        np.testing.assert_allclose(other, turn.T @ one, atol=1e-11)


def test_the_covariance_is_carried_by_the_whole_matrix() -> None:
    """The nine rows that move, against the product of whole matrices."""
    state = random_state()
    rate = 0.5 * (state["angular_velocity"][0] + RATE) - state["gyroscope_bias"][0]
    force = 0.5 * (state["specific_force"][0] + FORCE) - state["accelerometer_bias"][0]
    middle = state["rotation"][0] @ rotation_from_vector(*(0.5 * STEP * rate))
    x, y, z = middle @ force
    transition, there = np.eye(ERRORS), predicted(state)
    kick = np.zeros((3, ERRORS))
    kick[:, ORIENTATION : ORIENTATION + 3] = STEP * np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    kick[:, ACCELEROMETER_BIAS : ACCELEROMETER_BIAS + 3] = -STEP * middle
    transition[VELOCITY : VELOCITY + 3] += kick
    transition[POSITION : POSITION + 3] += 0.5 * STEP * kick
    transition[POSITION : POSITION + 3, VELOCITY : VELOCITY + 3] += STEP * np.eye(3)
    transition[ORIENTATION : ORIENTATION + 3, GYROSCOPE_BIAS : GYROSCOPE_BIAS + 3] = -STEP * middle
    np.testing.assert_allclose(there["covariance"][0], transition @ state["covariance"][0] @ transition.T, atol=1e-12)
    assert (there["covariance"][0] == there["covariance"][0].T).all()


@pytest.mark.parametrize("value", [10.0, np.nan, np.inf])
def test_what_is_beyond_the_gate_changes_nothing(value: float) -> None:
    state = random_state()
    before, sensitivity, tiny = state.copy(), np.zeros((3, ERRORS)), np.eye(3) * 1e-6
    sensitivity[:, :3] = np.eye(3)
    assert not correct(state[0], sensitivity, np.array([value, 0.0, 0.0]), tiny, np.zeros((3, 12)), np.empty(3), 16.0, False)
    assert not correct_scalar(state[0], sensitivity[0], value, 1e-6, 16.0)
    assert state.tobytes() == before.tobytes()


def test_a_foot_that_is_set_down_is_as_uncertain_as_base_and_leg_together() -> None:
    state, arm, noise = random_state(), np.array([0.3, 0.2, -0.6]), np.diag([1e-4, 2e-4, 3e-4])
    before = state["covariance"][0].copy()
    set_foot_down(state[0], 2, arm, np.zeros((3, 3)), noise, 0.0)
    mine = slice(FEET + 6, FEET + 9)
    cross = np.array([[0.0, -arm[2], arm[1]], [arm[2], 0.0, -arm[0]], [-arm[1], arm[0], 0.0]])
    growth = np.zeros((3, ERRORS))
    growth[:, POSITION : POSITION + 3], growth[:, ORIENTATION : ORIENTATION + 3] = np.eye(3), -cross
    np.testing.assert_allclose(state["feet"][0, 2], state["position"][0] + arm)
    np.testing.assert_allclose(state["covariance"][0, mine, mine], growth @ before @ growth.T + noise, atol=1e-12)
    np.testing.assert_allclose(state["covariance"][0, mine, :FEET], (growth @ before)[:, :FEET], atol=1e-12)
    np.testing.assert_allclose(state["covariance"][0], state["covariance"][0].T, atol=1e-12)
    drop_foot(state[0], 2)
    assert not state["covariance"][0, mine].any()


def test_the_base_covariance_is_the_derivative_of_the_base() -> None:
    state, small = random_state(), 1e-6
    state["covariance"] = np.eye(ERRORS)
    here = base_estimate(state, parameters())
    columns = []
    for column in range(ERRORS):
        error = np.zeros(ERRORS)
        error[column] = small
        there = base_estimate(plus(state, error), parameters())
        turn = there.rotation @ here.rotation.T
        angle = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        linear, angular = turn.T @ there.linear_velocity, turn.T @ there.angular_velocity
        parts = (there.position - here.position, angle, linear - here.linear_velocity)
        columns.append(np.concatenate((*parts, angular - here.angular_velocity)) / small)
    jacobian = np.array(columns).T
    np.testing.assert_allclose(here.pose_covariance, jacobian[:6] @ jacobian[:6].T, atol=1e-5)
    np.testing.assert_allclose(here.twist_covariance, jacobian[6:] @ jacobian[6:].T, atol=1e-5)


def test_who_does_not_know_the_heading_knows_how_the_robot_moves() -> None:
    state = random_state()
    state["covariance"] = 1e-6 * np.eye(ERRORS)
    known = base_estimate(state, parameters())
    turned = np.zeros(ERRORS)
    turned[ORIENTATION + 2] = 1.0
    turned[VELOCITY : VELOCITY + 2] = -state["velocity"][0, 1], state["velocity"][0, 0]
    state["covariance"][0] += 4.0 * np.outer(turned, turned)
    unknown = base_estimate(state, parameters())
    assert unknown.pose_covariance[5, 5] == pytest.approx(4.0, abs=0.01)
    np.testing.assert_allclose(unknown.twist_covariance, known.twist_covariance, atol=1e-9)


def test_quaternions_of_all_quarters() -> None:
    for vector in np.random.default_rng(0).uniform(-np.pi, np.pi, (200, 3)):
        rotation = rotation_from_vector(*vector)
        x, y, z, w = quaternion_from_rotation(rotation)
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        np.testing.assert_allclose(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross, rotation, atol=1e-12)
        assert w >= 0.0


def test_parts_of_a_span_of_the_imu_add_up_to_the_whole() -> None:
    """Between two samples there is one noise, however many other samples fall into it."""
    record = parameters()
    for name in ("accelerometer_variance", "gyroscope_variance"):
        record[name] = 1e-3
    whole, halves = (np.zeros(1, FILTER_STATE) for _ in range(2))
    for state in (whole, halves):
        state["rotation"] = np.eye(3)
    still, up = np.zeros(3), np.array([0.0, 0.0, 9.81])
    predict(whole[0], record[0], still, up, 0.01, 0.01, -1.0)
    for _ in range(2):
        predict(halves[0], record[0], still, up, 0.005, 0.01, -1.0)
    for first in (VELOCITY, ORIENTATION):
        assert halves["covariance"][0, first, first] == pytest.approx(whole["covariance"][0, first, first], rel=0.01)


def test_two_samples_are_the_worse_for_what_lies_between_them_the_more_they_differ() -> None:
    record = parameters()
    record["acceleration_variance"], record["acceleration_change_variance"], record["rate_change_variance"] = 0.04, 0.25, 0.01
    variance = []
    for parts in (1, 4):
        state = np.zeros(1, FILTER_STATE)
        state["rotation"], state["specific_force"] = np.eye(3), (0.0, 0.0, 9.81)
        for k in range(parts):
            # In parts it is the same difference: another sensor spoke in between.
            share = (k + 1) / parts
            predict(state[0], record[0], np.array([0.2, 0.0, 0.0]) * share, np.array([0.0, 2.0 * share, 9.81]), 0.004 / parts, 0.004, -1.0)
        variance.append(np.diag(state["covariance"][0]))
    np.testing.assert_allclose(variance[0][VELOCITY : VELOCITY + 3], np.array([0.04, 0.04 + 0.25 * 4.0, 0.04]) * 0.004**2, rtol=0.01)
    np.testing.assert_allclose(variance[0][ORIENTATION : ORIENTATION + 3], np.array([0.01 * 0.04, 0.0, 0.0]) * 0.004**2, atol=1e-12)
    for first in (VELOCITY, ORIENTATION):
        np.testing.assert_allclose(variance[1][first : first + 3], variance[0][first : first + 3], rtol=0.01, atol=1e-12)
