# SPDX-License-Identifier: Apache-2.0
"""Feedback that is switched on beside a controller: signs, no pulling, and what it is good for."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.errors import UnknownNameError
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.inverse_dynamics.feedback import (
    FEEDBACK_NAMES,
    Feedback,
    OperationalSpaceFeedback,
    PendulumStabiliser,
    WithFeedback,
    make_feedback,
)
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.inverse_dynamics.selector import make_controller
from surefoot.robot.model import RobotModel
from surefoot.rotation import roll_pitch_yaw

PERIOD = 0.004


@pytest.fixture(scope="module")
def stabiliser(hyq: RobotModel) -> PendulumStabiliser:
    return PendulumStabiliser(hyq.description.control, hyq.description.control.foot_force_limit)


@pytest.mark.parametrize("name", ["two_stage_qp", "whole_body_qp", "joint_pid"])
def test_nothing_is_added_where_nothing_is_wrong_or_nothing_is_switched_on(hyq: RobotModel, stand, terms_of, name, stabiliser) -> None:
    plan, state = stand()
    terms, gains = terms_of(state[0]), hyq.description.control
    plain = make_controller(name, hyq).control(terms, plan[0], state[0], PERIOD)
    for modules in ([], [OperationalSpaceFeedback(gains), stabiliser]):
        result = WithFeedback(hyq, make_controller(name, hyq), modules).control(terms, plan[0], state[0], PERIOD)
        np.testing.assert_allclose(result.effort, plain.effort, atol=1e-6)


def test_the_sum_stays_inside_the_limits(hyq: RobotModel, stand, terms_of) -> None:
    class Brute:
        def torque(self, *_: object) -> np.ndarray:
            return np.linspace(-1e4, 1e4, 12)

    plan, state = stand()
    result = WithFeedback(hyq, make_controller("two_stage_qp", hyq), [Brute()]).control(terms_of(state[0]), plan[0], state[0], PERIOD)
    assert (np.abs(result.effort) <= hyq.effort_limit).all()
    assert result.saturated == 12


def test_a_feedback_that_is_no_number_is_no_answer(hyq: RobotModel, stand, terms_of) -> None:
    class Broken:
        def torque(self, *_: object) -> np.ndarray:
            return np.full(12, np.nan)

    plan, state = stand()
    module: Feedback = Broken()
    result = WithFeedback(hyq, make_controller("two_stage_qp", hyq), [module]).control(terms_of(state[0]), plan[0], state[0], PERIOD)
    assert not result.usable


def test_a_swing_foot_is_accelerated_towards_its_path(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand(loads=(0.0, 1.0, 1.0, 1.0))
    plan["foot_position"][0, 0] += (0.01, -0.02, 0.03)
    terms, gains = terms_of(state[0]), hyq.description.control
    torque = OperationalSpaceFeedback(gains).torque(terms, plan[0], state[0])
    np.testing.assert_allclose(torque[3:], 0.0, atol=1e-9)
    joints = np.linalg.solve(terms.mass_matrix[6:, 6:], torque)
    moved = terms.foot_jacobians[0][:, 6:] @ joints
    np.testing.assert_allclose(moved, gains.foot_position_gain * np.array((0.01, -0.02, 0.03)), rtol=1e-9)


def test_loaded_feet_push_the_base_to_its_reference(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    plan["base_position"][0, 0] += 0.02
    terms, gains = terms_of(state[0]), hyq.description.control
    torque = OperationalSpaceFeedback(gains).torque(terms, plan[0], state[0])
    # The forces of the ground that hold these torques in balance.
    force = np.linalg.solve(terms.foot_jacobians[:, :, 6:].reshape(12, 12).T, -torque).reshape(4, 3)
    np.testing.assert_allclose(force.sum(axis=0), [hyq.total_mass * gains.base_position_gain[0] * 0.02, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(OperationalSpaceFeedback(gains, base_share=0.0).torque(terms, plan[0], state[0]), 0.0, atol=1e-9)


@pytest.mark.parametrize(
    ("turn", "pushing"),
    [((0.1, 0.0, 0.0), (1, 3)), ((-0.1, 0.0, 0.0), (0, 2)), ((0.0, 0.1, 0.0), (0, 1)), ((0.0, -0.1, 0.0), (2, 3))],
)
def test_the_feet_on_the_low_side_push(hyq: RobotModel, stand, terms_of, turn, pushing, stabiliser: PendulumStabiliser) -> None:
    plan, state = stand()
    state["base_quaternion"] = Rotation.from_euler("xyz", turn).as_quat()
    pushes = stabiliser.pushes(terms_of(state[0]), plan[0], state[0])
    assert set(np.flatnonzero(pushes > 1.0)) == set(pushing)
    assert (pushes >= 0.0).all()


def test_a_robot_that_sinks_is_pushed_up_by_all_loaded_feet(hyq: RobotModel, stand, terms_of, stabiliser: PendulumStabiliser) -> None:
    plan, state = stand()
    plan["base_position"][0, 2] += 0.01
    pushes = stabiliser.pushes(terms_of(state[0]), plan[0], state[0])
    assert (pushes > 0.0).all()
    assert pushes.sum() == pytest.approx(hyq.total_mass * hyq.description.control.base_position_gain[2] * 0.01, rel=0.05)


def test_no_foot_pulls_or_pushes_beyond_its_bound(stand, terms_of, perturbed, stabiliser: PendulumStabiliser) -> None:
    for seed in range(200):
        plan, state = perturbed(seed)
        state["base_position"][0, 2] += 0.3 * np.random.default_rng(seed).normal()
        pushes = stabiliser.pushes(terms_of(state[0]), plan[0], state[0])
        assert (pushes >= 0.0).all()
        assert (pushes <= stabiliser.foot_force_limit * plan["load"][0] + 1e-6).all()
        assert (pushes[plan["load"][0] == 0.0] == 0.0).all()


def test_no_feet_no_pushes(stand, terms_of, stabiliser: PendulumStabiliser) -> None:
    plan, state = stand(loads=(0.0,) * 4)
    state["base_quaternion"] = Rotation.from_euler("x", 0.3).as_quat()
    assert not stabiliser.pushes(terms_of(state[0]), plan[0], state[0]).any()


def test_a_joint_pid_that_pitches_in_a_walk_walks_level_with_the_stabiliser(hyq: RobotModel) -> None:
    feedback = [make_feedback(name, hyq) for name in FEEDBACK_NAMES]
    pitch = []
    for modules in ([], feedback):
        controller = ReferenceController(hyq, controller=WithFeedback(hyq, make_controller("joint_pid", hyq), modules))
        loop = ClosedLoop(hyq, seed=1, perfect_sensors=True, controller=controller)
        loop.run(1.0)
        loop.change_gait("walk")
        loop.run(4.0, (0.5, 0.0, 0.0))
        assert not loop.fallen
        pitch.append(max(abs(roll_pitch_yaw(np.array(truth.base_quaternion))[1]) for truth in loop.course.truth))
    assert pitch[1] < 0.6 * pitch[0]


def test_an_unknown_feedback_is_named(hyq: RobotModel) -> None:
    with pytest.raises(UnknownNameError, match="unknown feedback 'stabilizer'; did you mean 'stabiliser'"):
        make_feedback("stabilizer", hyq)
