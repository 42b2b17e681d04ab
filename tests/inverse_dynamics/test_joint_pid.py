# SPDX-License-Identifier: Apache-2.0
"""The PID of each joint in closed form, its anti-windup, and how far it walks."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.inverse_dynamics.desired import Attitude, leg_inverses
from surefoot.inverse_dynamics.joint_pid import JointPid, JointPidGains, planned_joint_velocity
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.robot.model import RobotModel
from surefoot.rotation import roll_pitch_yaw

PERIOD = 0.004


def gains(stiffness: float = 0.0, integral: float = 0.0, damping: float = 0.0, limit: float = 1e3) -> JointPidGains:
    return JointPidGains(*(np.full(12, value) for value in (stiffness, integral, damping, limit)))


def ticks(hyq: RobotModel, controller: JointPid, records, terms_of, count: int) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Torques of some ticks in the same state, (count, 12)."""
    plan, state = records
    terms, torques = terms_of(state[0]), []
    for _ in range(count):
        result = controller.control(terms, plan[0], state[0], PERIOD)
        assert result.status == SOLVED
        torques.append(result.effort)
        state["time"] += PERIOD
    return np.array(torques)


def off_by(stand, angle: float):  # type: ignore[no-untyped-def]
    """A stand in which every joint is off by an angle while the plan is the stand pose."""
    plan, state = stand()
    state["joint_position"] -= angle
    return plan, state


def errors(hyq: RobotModel, records) -> np.ndarray:  # type: ignore[no-untyped-def]
    return hyq.stand_joint_position - records[1]["joint_position"].ravel()


def test_each_part_is_what_its_name_says(hyq: RobotModel, stand, terms_of) -> None:
    records = off_by(stand, 0.001)
    error = errors(hyq, records)
    proportional = ticks(hyq, JointPid(hyq, hyq.description.control, gains(stiffness=500.0)), records, terms_of, 1)[0]
    np.testing.assert_allclose(proportional, 500.0 * error, rtol=0.02)
    integral = ticks(hyq, JointPid(hyq, hyq.description.control, gains(integral=1000.0)), records, terms_of, 50)
    np.testing.assert_allclose(integral[:, 4], 1000.0 * PERIOD * error[4] * np.arange(1, 51), rtol=0.02)
    records[1]["joint_velocity"] = 0.2
    derivative = ticks(hyq, JointPid(hyq, hyq.description.control, gains(damping=10.0)), records, terms_of, 1)[0]
    np.testing.assert_allclose(derivative, -2.0, rtol=1e-12)


def test_the_planned_feet_move_the_joints(hyq: RobotModel, stand, terms_of) -> None:
    random = np.random.default_rng(3)
    plan, state = stand()
    rate = random.normal(size=(4, 3))
    terms = terms_of(state[0])
    plan["base_velocity"], plan["base_rate"] = random.normal(size=3), random.normal(size=3)
    motion = np.concatenate((plan["base_velocity"][0], plan["base_rate"][0], rate.ravel()))
    plan["foot_velocity"] = terms.foot_jacobians @ motion
    velocity = planned_joint_velocity(hyq, Attitude.of(plan[0], state[0]), leg_inverses(terms), plan[0])
    np.testing.assert_allclose(velocity, rate.ravel(), atol=1e-9)


def test_an_integral_does_not_wind_up_behind_a_limit(hyq: RobotModel, stand, terms_of) -> None:
    # The proportional part alone saturates: the integral waits.
    records = off_by(stand, 0.2)
    controller = JointPid(hyq, hyq.description.control, gains(stiffness=1e4, integral=1e4))
    assert (np.abs(ticks(hyq, controller, records, terms_of, 100)) == hyq.effort_limit).all()
    records[1]["joint_position"] = hyq.stand_joint_position.reshape(4, 3)
    released = ticks(hyq, controller, records, terms_of, 1)[0]
    np.testing.assert_allclose(released, 0.0, atol=1e-6)
    # Without a limit in the way it grows as far as its own bound and no further.
    records = off_by(stand, 0.05)
    bounded = ticks(hyq, JointPid(hyq, hyq.description.control, gains(integral=1e4, limit=30.0)), records, terms_of, 100)
    np.testing.assert_allclose(np.abs(bounded[-1]), 30.0)


def test_integrals_are_forgotten_after_a_pause(hyq: RobotModel, stand, terms_of) -> None:
    records = off_by(stand, 0.01)
    controller = JointPid(hyq, hyq.description.control, gains(integral=1e3))
    before = ticks(hyq, controller, records, terms_of, 20)
    records[1]["time"] += 10 * PERIOD
    np.testing.assert_allclose(ticks(hyq, controller, records, terms_of, 1)[0], before[0], atol=1e-12)


def test_torques_stay_inside_the_limits_and_are_counted(hyq: RobotModel, perturbed, terms_of) -> None:
    controller, clamped = JointPid(hyq, hyq.description.control), 0
    for seed in range(100):
        plan, state = perturbed(seed)
        result = controller.control(terms_of(state[0]), plan[0], state[0], PERIOD)
        assert (np.abs(result.effort) <= hyq.effort_limit).all()
        assert (result.position >= hyq.position_lower).all()
        assert (result.position <= hyq.position_upper).all()
        clamped += result.saturated
    assert clamped


def test_gains_of_a_robot_leave_the_servo_its_part(hyq: RobotModel) -> None:
    servos, own = hyq.description.servos, JointPidGains.of(hyq)
    np.testing.assert_allclose(own.stiffness + servos.stiffness, servos.posture_stiffness)
    np.testing.assert_allclose(own.damping + servos.damping, servos.posture_damping)


@pytest.mark.parametrize("bad", [np.full(12, -1.0), np.full(12, np.nan), np.zeros(4)])
def test_gains_that_are_none_are_named(bad: np.ndarray) -> None:
    with pytest.raises(ConfigurationError, match="joint PID gain 'damping'"):
        replace(gains(), damping=bad)


def test_it_stands_and_trots_in_the_simulator(hyq: RobotModel) -> None:
    loop = ClosedLoop(hyq, seed=1, perfect_sensors=True, controller=ReferenceController(hyq, controller="joint_pid"))
    loop.run(1.5)
    assert np.abs(loop.course.truth[-1].base_position - (0.0, 0.0, hyq.description.stand_height)).max() < 0.005
    loop.change_gait("trot")
    loop.run(2.0, (0.3, 0.0, 0.0))
    assert not loop.fallen
    angles = np.array([roll_pitch_yaw(sample.base_quaternion)[:2] for sample in loop.course.truth])
    assert np.abs(angles).max() < 0.1
