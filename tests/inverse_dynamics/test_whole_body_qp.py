# SPDX-License-Identifier: Apache-2.0
"""Whole-body control in closed form, and how it holds limits, pyramids and tasks."""

import numpy as np
import pytest

from surefoot.contact.cone import friction_pyramids
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.inverse_dynamics.whole_body_program import WholeBodyWeights
from surefoot.inverse_dynamics.whole_body_qp import WholeBodyController, default_tasks
from surefoot.inverse_dynamics.whole_body_tasks import BasePose, SwingFeet
from surefoot.robot.model import GRAVITY, RobotModel

PERIOD = 0.004


@pytest.fixture
def controller(hyq: RobotModel) -> ReferenceController:
    return ReferenceController(hyq, controller="whole_body_qp")


def least_forces(hyq: RobotModel, terms_of, records) -> np.ndarray:  # type: ignore[no-untyped-def]
    """The smallest foot forces that bear the weight, by the pseudoinverse of the map from forces to base wrench, (4, 3)."""
    plan, state = records
    terms, legs = terms_of(state[0]), np.flatnonzero(plan["load"][0] > 0.0)
    forces = np.zeros((4, 3))
    forces[legs] = (np.linalg.pinv(terms.foot_jacobians[legs].reshape(-1, 18)[:, :6].T) @ terms.bias[:6]).reshape(-1, 3)
    return forces


def test_the_weight_is_shared_by_least_forces_and_the_torques_hold_them(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand(friction=1.0)
    terms = terms_of(state[0])
    weights = WholeBodyWeights(torque=0.0, torque_rate=0.0, force=1e-5)
    result = WholeBodyController(hyq, hyq.description.control, weights=weights).control(terms, plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    weight = hyq.total_mass * GRAVITY
    np.testing.assert_allclose(result.force.sum(axis=0), [0.0, 0.0, weight], atol=1e-4 * weight)
    np.testing.assert_allclose(result.force, least_forces(hyq, terms_of, (plan, state)), atol=1e-3 * weight)
    torque = terms.bias[6:] - np.einsum("lik,li->k", terms.foot_jacobians, result.force)[6:]
    np.testing.assert_allclose(result.effort, torque, atol=0.05)
    np.testing.assert_allclose(result.base_acceleration, 0.0, atol=1e-3)


def test_a_centred_robot_stands_equally_on_its_feet(links: RobotModel) -> None:
    from surefoot.gait.records import PLAN
    from surefoot.locomotion.policy import state_record

    neutral = links.neutral()
    plan, state = np.zeros(1, PLAN), state_record(neutral)
    plan["base_position"], plan["foot_position"] = neutral.base_position, links.feet_in_base(neutral.joint_position) + neutral.base_position
    plan["load"], plan["friction"], plan["normal"] = 1.0, 0.6, (0.0, 0.0, 1.0)
    offset = links.centre_of_mass(neutral.base_position, neutral.base_quaternion, neutral.joint_position)[:2]
    middle = plan["foot_position"][0, :, :2].mean(axis=0)
    result = ReferenceController(links, controller="whole_body_qp").tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    # The centre of mass is a few millimetres off the middle of the feet.
    unequal = np.abs(offset - middle).sum() / 0.05
    np.testing.assert_allclose(result.force[:, 2], links.total_mass * GRAVITY / 4.0, rtol=0.05 + unequal)


@pytest.mark.parametrize("loads", [(1.0,) * 4, (1.0, 1.0, 1.0, 0.0), (0.0, 1.0, 1.0, 1.0)])
def test_three_or_four_feet_push_and_do_not_pull(controller: ReferenceController, hyq: RobotModel, stand, loads) -> None:
    plan, state = stand(loads=loads)
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    assert (result.force[np.array(loads) == 0.0] == 0.0).all()
    assert (result.force[:, 2] >= -1e-9).all()
    assert (np.linalg.norm(result.force[:, :2], axis=1) <= 0.6 * result.force[:, 2] + 1e-6).all()


def test_standing_still_sums_to_the_weight(controller: ReferenceController, hyq: RobotModel, stand) -> None:
    plan, state = stand()
    result = controller.tick(plan[0], state[0], PERIOD)
    weight = hyq.total_mass * GRAVITY
    np.testing.assert_allclose(result.force.sum(axis=0), [0.0, 0.0, weight], atol=1e-4 * weight)
    assert np.abs(result.joint_acceleration).max() < 0.01


def test_two_feet_hold_the_weight_and_let_the_robot_tip(controller: ReferenceController, hyq: RobotModel, stand) -> None:
    plan, state = stand(loads=(1.0, 0.0, 0.0, 1.0))
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    assert result.force[:, 2].sum() == pytest.approx(hyq.total_mass * GRAVITY, rel=0.1)
    assert np.abs(result.base_acceleration[:3]).max() < 1.0


def test_one_foot_carries_what_it_can(controller: ReferenceController, hyq: RobotModel, stand) -> None:
    plan, state = stand(loads=(0.0, 1.0, 0.0, 0.0))
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    assert (result.force[[0, 2, 3]] == 0.0).all()
    assert 0.0 <= result.force[1, 2] < hyq.total_mass * GRAVITY


def test_in_free_flight_the_centre_of_mass_falls(controller: ReferenceController, stand, terms_of) -> None:
    plan, state = stand(loads=(0.0,) * 4)
    state["base_rate"], state["joint_velocity"] = (0.3, -0.2, 0.1), 0.5
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    assert not result.force.any()
    terms = terms_of(state[0])
    momentum_rate = terms.mass_matrix[:6] @ np.concatenate((result.base_acceleration, result.joint_acceleration)) + terms.bias[:6]
    np.testing.assert_allclose(momentum_rate, 0.0, atol=1e-8)


@pytest.mark.parametrize(("slope", "friction", "slides"), [(0.26, 0.6, False), (0.3, 0.1, True)])
def test_slopes_below_and_above_the_friction_angle(controller: ReferenceController, stand, slope, friction, slides) -> None:
    plan, state = stand(slope=slope, friction=friction)
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    downhill = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    assert (downhill @ result.base_acceleration[:3] > 0.5) is np.bool_(slides)


def test_half_on_ice(controller: ReferenceController, hyq: RobotModel, stand) -> None:
    plan, state = stand(friction=0.8)
    plan["friction"][0, :2] = 0.02
    plan["base_position"][0, 0] += 0.05
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    assert (np.linalg.norm(result.force[:2, :2], axis=1) <= 0.02 * result.force[:2, 2] + 1e-6).all()
    # What the front feet cannot push, the hind feet do.
    assert result.base_acceleration[0] == pytest.approx(0.05 * hyq.description.control.base_position_gain[0], rel=0.05)
    assert result.force[2:, 0].sum() > 0.9 * hyq.total_mass * result.base_acceleration[0]


@pytest.mark.parametrize("loads", [(1.0,) * 4, (0.0, 1.0, 1.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0,) * 4])
@pytest.mark.parametrize("knee", [0.0, 1e-12, -1e-6, 1e-3])
def test_straight_knees_are_finite_and_inside_the_limits(controller: ReferenceController, hyq: RobotModel, stand, loads, knee) -> None:
    plan, state = stand(loads=loads)
    state["joint_position"][0, 0, 2] = state["joint_position"][0, 3, 2] = knee
    result = controller.tick(plan[0], state[0], PERIOD)
    assert result.status == SOLVED
    for part in (result.position, result.velocity, result.effort, result.force):
        assert np.isfinite(part).all()
    assert (np.abs(result.effort) <= hyq.effort_limit).all()


def test_tasks_that_ask_for_too_much_stay_inside_torque_limits_and_pyramids(hyq: RobotModel, stand, terms_of) -> None:
    at_limit = 0
    controller = WholeBodyController(hyq, hyq.description.control)
    for seed in range(100):
        random = np.random.default_rng(seed)
        plan, state = stand(friction=0.4, loads=tuple((random.random(4) < 0.7).astype(float)))
        plan["base_position"] += random.normal(size=3)
        plan["foot_position"] += 0.5 * random.normal(size=(1, 4, 3))
        terms = terms_of(state[0])
        result = controller.control(terms, plan[0], state[0], PERIOD)
        assert result.status == SOLVED
        assert (np.abs(result.effort) <= hyq.effort_limit).all()
        at_limit += int((np.abs(result.effort) >= hyq.effort_limit * (1.0 - 1e-9)).any())
        legs = np.flatnonzero(plan["load"][0] > 0.0)
        rows, bounds = friction_pyramids(plan["normal"][0, legs], plan["friction"][0, legs], np.full(len(legs), 1200.0))
        assert (rows @ result.force[legs].ravel() - bounds).min(initial=0.0) > -1e-6
        drive = np.concatenate((np.zeros(6), result.effort)) + np.einsum("lik,li->k", terms.foot_jacobians, result.force) - terms.bias
        given = np.concatenate((result.base_acceleration, result.joint_acceleration))
        np.testing.assert_allclose(np.linalg.solve(terms.mass_matrix, drive), given, rtol=1e-6, atol=1e-6)
    assert at_limit > 20


def test_swing_feet_follow_their_paths(hyq: RobotModel, stand, terms_of) -> None:
    # The centre of mass is inside the triangle of the other three feet.
    plan, state = stand(loads=(1.0, 1.0, 0.0, 1.0))
    plan["foot_acceleration"][0, 2] = (0.5, -0.3, 0.5)
    plan["foot_velocity"][0, 2] = (0.02, 0.0, 0.02)
    terms, gains = terms_of(state[0]), hyq.description.control
    result = WholeBodyController(hyq, gains).control(terms, plan[0], state[0], PERIOD)
    motion = np.concatenate((result.base_acceleration, result.joint_acceleration))
    acceleration = terms.foot_jacobians[2] @ motion + terms.foot_bias_accelerations[2]
    wanted = plan["foot_acceleration"][0, 2] + gains.foot_velocity_gain * plan["foot_velocity"][0, 2]
    np.testing.assert_allclose(acceleration, wanted, atol=5e-3)
    np.testing.assert_allclose(result.base_acceleration, 0.0, atol=5e-3)


def test_where_not_all_can_be_had_the_base_comes_before_the_swing_feet(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand(loads=(0.0, 1.0, 1.0, 0.0))
    plan["foot_acceleration"][0, 0], plan["foot_acceleration"][0, 3] = (0.0, 0.0, 20.0), (0.0, 0.0, -20.0)
    terms, gains = terms_of(state[0]), hyq.description.control
    first = WholeBodyController(hyq, gains).control(terms, plan[0], state[0], PERIOD)
    equal = [BasePose(gains, weight=0.1), SwingFeet(gains, weight=0.1)]
    second = WholeBodyController(hyq, gains, equal).control(terms, plan[0], state[0], PERIOD)
    assert np.linalg.norm(first.base_acceleration) < 0.97 * np.linalg.norm(second.base_acceleration)


def test_slack_is_published(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    controller = WholeBodyController(hyq, hyq.description.control)
    controller.control(terms_of(state[0]), plan[0], state[0], PERIOD)
    assert controller.contact_slack <= 1e-4
    # Stretched legs cannot mend what two whirling shanks of a diagonal pull at, nor can the base.
    state["joint_position"][0, :, 2] = 0.0
    state["joint_velocity"][0, (0, 3), 2] = 10.0
    controller.control(terms_of(state[0]), plan[0], state[0], PERIOD)
    assert controller.contact_slack > 1.0


def steps(hyq: RobotModel, stand, terms_of, rate: float) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Torques of twenty ticks, (20, 12), in which the load leaves a foot and comes back."""
    weights = WholeBodyWeights(torque_rate=rate)
    controller, torques = WholeBodyController(hyq, hyq.description.control, weights=weights), []
    for k in range(20):
        plan, state = stand(loads=(0.05 if 5 <= k < 12 else 1.0, 1.0, 1.0, 1.0))
        state["time"] = k * PERIOD
        torques.append(controller.control(terms_of(state[0]), plan[0], state[0], PERIOD).effort)
    return np.array(torques)


def test_the_rate_term_smooths_what_is_not_forced(hyq: RobotModel, stand, terms_of) -> None:
    rates = (0.0, 1e-4, 1e-3, 1e-2)
    runs = [np.abs(np.diff(steps(hyq, stand, terms_of, rate), axis=0)) for rate in rates]
    # The bound takes the load away at once; when it lifts, the load may come back as slowly as the rate term likes.
    largest, whole = [run[10:].max() for run in runs], [run.sum() for run in runs]
    assert largest == sorted(largest, reverse=True)
    assert whole == sorted(whole, reverse=True)
    assert largest[-1] < 0.3 * largest[0]


def test_what_was_before_a_gap_is_forgotten(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    controller = WholeBodyController(hyq, hyq.description.control)
    terms = terms_of(state[0])
    fresh = controller.control(terms, plan[0], state[0], PERIOD)
    other, _ = stand(loads=(0.0, 1.0, 1.0, 1.0))
    state["time"] = PERIOD
    controller.control(terms, other[0], state[0], PERIOD)
    state["time"] = 3.0 * PERIOD
    np.testing.assert_array_equal(controller.control(terms, plan[0], state[0], PERIOD).effort, fresh.effort)


def test_another_task_is_an_object_with_rows(hyq: RobotModel, stand, terms_of) -> None:
    from surefoot.inverse_dynamics.whole_body_tasks import TaskRows, Tick

    class Nod:
        def rows(self, tick: Tick) -> TaskRows:
            return TaskRows(np.eye(18)[4:5], np.array([3.0]), np.array([100.0]))

    plan, state = stand()
    controller = WholeBodyController(hyq, hyq.description.control, [*default_tasks(hyq, hyq.description.control), Nod()])
    result = controller.control(terms_of(state[0]), plan[0], state[0], PERIOD)
    assert result.base_acceleration[4] == pytest.approx(3.0, rel=0.05)
