# SPDX-License-Identifier: Apache-2.0
import numpy as np
from scipy.spatial.transform import Rotation

from surefoot.inverse_dynamics.desired import Attitude, leg_accelerations, leg_inverses, wanted_base_acceleration
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RobotModel

GAINS = ControlDescription(foot_force_threshold=1.0, foot_force_limit=1.0)


def test_nothing_is_wanted_where_nothing_is_wrong(stand) -> None:
    plan, state = stand(slope=0.2)
    attitude = Attitude.of(plan[0], state[0])
    np.testing.assert_allclose(attitude.measured, attitude.planned, atol=1e-15)
    np.testing.assert_allclose(wanted_base_acceleration(GAINS, attitude, plan[0], state[0]), 0.0, atol=1e-12)


def test_attitudes_are_those_of_an_independent_library(stand) -> None:
    plan, state = stand()
    for seed in range(100):
        random = np.random.default_rng(seed)
        measured = Rotation.from_rotvec(random.normal(size=3))
        # As much off the unit length as rounding in a message makes it.
        state["base_quaternion"] = measured.as_quat() * (1.0 + 1e-4 * random.normal())
        plan["base_roll_pitch_yaw"] = random.normal(size=3)
        planned = Rotation.from_euler("xyz", plan["base_roll_pitch_yaw"][0])
        attitude = Attitude.of(plan[0], state[0])
        np.testing.assert_allclose(attitude.measured, measured.as_matrix(), atol=1e-12)
        np.testing.assert_allclose(attitude.planned, planned.as_matrix(), atol=1e-12)
        np.testing.assert_allclose(attitude.error, (planned * measured.inv()).as_rotvec(), atol=1e-9)


def test_gains_act_along_the_heading(stand) -> None:
    plan, state = stand()
    heading = Rotation.from_euler("z", 2.0)
    state["base_quaternion"], plan["base_roll_pitch_yaw"] = heading.as_quat(), (0.0, 0.0, 2.0)
    plan["base_position"] += heading.apply([0.01, 0.02, 0.03])
    plan["base_rate"] = heading.apply([0.1, 0.2, 0.3])
    wanted = wanted_base_acceleration(GAINS, Attitude.of(plan[0], state[0]), plan[0], state[0])
    np.testing.assert_allclose(heading.inv().apply(wanted[:3]), np.array([0.01, 0.02, 0.03]) * GAINS.base_position_gain, atol=1e-12)
    np.testing.assert_allclose(heading.inv().apply(wanted[3:]), np.array([0.1, 0.2, 0.3]) * GAINS.base_rate_gain, atol=1e-12)


def test_a_roll_that_is_too_large_is_rolled_back(stand) -> None:
    plan, state = stand()
    state["base_quaternion"] = Rotation.from_euler("x", 0.1).as_quat()
    wanted = wanted_base_acceleration(GAINS, Attitude.of(plan[0], state[0]), plan[0], state[0])
    np.testing.assert_allclose(wanted, [0, 0, 0, -0.1 * GAINS.base_orientation_gain[0], 0, 0], atol=1e-9)


def test_loaded_feet_brake_and_the_others_follow(perturbed, terms_of) -> None:
    for seed in range(20):
        plan, state = perturbed(seed)
        terms = terms_of(state[0])
        constant, by_base = leg_accelerations(GAINS, plan[0], terms, leg_inverses(terms))
        base = np.random.default_rng(seed).normal(size=6)
        motion = np.concatenate((base, constant + by_base @ base))
        foot_acceleration = terms.foot_jacobians @ motion + terms.foot_bias_accelerations
        for leg in range(4):
            if plan["load"][0, leg] > 0.0:
                expected = -GAINS.contact_velocity_gain * terms.foot_velocities[leg]
            else:
                expected = GAINS.foot_position_gain * (plan["foot_position"][0, leg] - terms.foot_positions[leg])
                expected = expected + GAINS.foot_velocity_gain * (plan["foot_velocity"][0, leg] - terms.foot_velocities[leg])
            np.testing.assert_allclose(foot_acceleration[leg], expected, atol=1e-8)


def test_inverses_are_exact_but_for_stretched_legs(hyq: RobotModel, stand, terms_of) -> None:
    _, state = stand()
    terms = terms_of(state[0])
    for leg, inverse in enumerate(leg_inverses(terms)):
        np.testing.assert_allclose(inverse @ terms.foot_jacobians[leg][:, 6 + 3 * leg : 9 + 3 * leg], np.eye(3), atol=1e-12)
    state["joint_position"][0, :, 2] = 0.0
    inverses = leg_inverses(terms_of(state[0]))
    assert np.isfinite(inverses).all()
    assert np.abs(inverses).max() < 1e3 / hyq.description.max_reach
