# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest

from surefoot.estimation.contact import foot_force_from_torque, judge_contact
from surefoot.estimation.filter_state import FILTER_PARAMETERS, FILTER_STATE
from surefoot.robot.leg_kinematics import foot_jacobian_in_base
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

UP = np.array([0.0, 0.0, 1.0])


def parameters() -> np.ndarray:
    record = np.zeros(1, FILTER_PARAMETERS)
    record["contact_begin"], record["contact_end"], record["contact_scale"] = 40.0, 20.0, 4.0
    record["contact_evidence"], record["contact_certainty"] = 2.5, 3.0
    return record


def judged(state: np.ndarray, force: np.ndarray, normal: np.ndarray = UP) -> float:
    judge_contact(state[0], parameters()[0], 0, force, normal)
    return float(state["contact_probability"][0, 0])


def decisions(forces: list[float]) -> list[bool]:
    """What a foot that has felt nothing so far is taken for after each sample of its normal force, N."""
    state, taken = np.zeros(1, FILTER_STATE), []
    for force in forces:
        judged(state, force * UP)
        taken.append(bool(state["in_contact"][0, 0]))
    return taken


def test_probability_is_one_half_at_the_threshold_and_grows_with_force() -> None:
    assert judged(np.zeros(1, FILTER_STATE), 40.0 * UP) == 0.5
    values = [judged(np.zeros(1, FILTER_STATE), force * UP) for force in np.linspace(-100.0, 1000.0, 50)]
    assert np.all(np.diff(values) >= 0.0)
    assert values[0] == pytest.approx(1.0 / (1.0 + np.exp(2.5)))
    assert values[-1] == pytest.approx(1.0 / (1.0 + np.exp(-2.5)))


def test_samples_that_agree_make_a_foot_surer_up_to_a_bound() -> None:
    state = np.zeros(1, FILTER_STATE)
    values = [judged(state, 500.0 * UP) for _ in range(10)]
    assert values[1] > values[0]
    assert values[-1] == values[1] == pytest.approx(1.0 / (1.0 + np.exp(-3.0)))


def test_a_foot_keeps_its_contact_between_the_two_thresholds() -> None:
    assert decisions([0.0, 30.0, 60.0, 60.0, 30.0, 25.0, 0.0, 0.0, 30.0]) == [False, False, False, True, True, True, True, False, False]


@pytest.mark.parametrize("wrong", [1e4, 60.0])
def test_one_spoilt_sample_never_changes_a_foot_that_was_sure(wrong: float) -> None:
    assert not any(decisions([0.0, 0.0, wrong, 0.0, wrong, 0.0]))
    assert all(decisions([300.0, 300.0, 40.0 - wrong, 300.0, 40.0 - wrong, 300.0]))


def test_two_samples_in_a_row_are_enough_to_touch_down_and_to_lift_off() -> None:
    assert decisions([0.0, 0.0, 300.0, 300.0, 300.0, 0.0, 0.0]) == [False, False, False, True, True, True, False]


def test_only_the_force_along_the_normal_counts() -> None:
    force = np.array([500.0, 0.0, 0.0])
    assert judged(np.zeros(1, FILTER_STATE), force) < 0.1
    assert judged(np.zeros(1, FILTER_STATE), force, np.array([1.0, 0.0, 0.0])) > 0.9


def test_joint_torques_tell_the_force_of_a_foot(hyq: RobotModel) -> None:
    tree, joints = leg_tree(hyq), hyq.stand_joint_position.reshape(4, 3)
    jacobian, force, found = foot_jacobian_in_base(tree, 2, joints[2]), np.array([20.0, -10.0, 300.0]), np.empty(3)
    foot_force_from_torque(-jacobian.T @ force, jacobian, 1e-6, found)
    np.testing.assert_allclose(found, force, rtol=1e-4, atol=0.1)


def test_a_foot_of_which_nothing_is_known_is_not_in_contact() -> None:
    assert judged(np.zeros(1, FILTER_STATE), np.full(3, np.nan)) == 0.0


def test_a_straight_leg_gives_a_finite_force() -> None:
    force = np.empty(3)
    foot_force_from_torque(np.ones(3), np.zeros((3, 3)), 0.02, force)
    assert np.isfinite(force).all()
