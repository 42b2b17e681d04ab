# SPDX-License-Identifier: Apache-2.0
import itertools

import numpy as np
import pytest

from surefoot.inverse_dynamics.contact_problem import contact_problem
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.inverse_dynamics.two_stage_qp import base_accelerations, stage_one, stage_two, two_stage
from surefoot.robot.model import RobotModel

PERIOD = 0.004
BRAKING = 20.0


def end_velocity_and_torque(state, terms, contacts, force, joint_acceleration):
    """Generalized velocity after a tick, (18,), and joint torques, (12,), of contact forces."""
    mass, bias = terms.mass_matrix, terms.bias
    base = np.linalg.solve(mass[:6, :6], contacts.wrench_map @ force - bias[:6] - mass[:6, 6:] @ joint_acceleration)
    acceleration = np.concatenate((base, joint_acceleration))
    velocity = np.concatenate((state["base_velocity"], state["base_rate"], state["joint_velocity"].ravel()))
    return velocity + PERIOD * acceleration, mass[6:] @ acceleration + bias[6:] - contacts.jacobian[:, 6:].T @ force


def test_stage_two_keeps_the_energy_and_never_raises_the_torque_norm(hyq: RobotModel, perturbed, terms_of) -> None:
    lowered = 0
    for seed in range(200):
        plan, state = perturbed(seed)
        terms = terms_of(state[0])
        contacts = contact_problem(terms, plan[0], 1200.0)
        joint_acceleration = 3.0 * np.random.default_rng(seed).normal(size=12)
        force, status = stage_one(contacts, base_accelerations(terms, contacts, joint_acceleration), joint_acceleration, BRAKING, PERIOD)
        assert status == SOLVED
        before, torque_before = end_velocity_and_torque(state[0], terms, contacts, force, joint_acceleration)
        free_torque = torque_before + contacts.jacobian[:, 6:].T @ force
        moved, status = stage_two(contacts, force, free_torque, hyq.effort_limit)
        after, torque_after = end_velocity_and_torque(state[0], terms, contacts, moved, joint_acceleration)
        energies = [0.5 * velocity @ terms.mass_matrix @ velocity for velocity in (before, after)]
        assert energies[1] == pytest.approx(energies[0], rel=1e-9)
        assert (contacts.rows @ moved >= contacts.bounds - 1e-6).all()
        assert (contacts.rows @ force >= contacts.bounds - 1e-6).all()
        # From outside of the torque limits the way in may cost some of the norm.
        if (np.abs(torque_before) <= hyq.effort_limit).all():
            assert status == SOLVED
            assert np.linalg.norm(torque_after) <= np.linalg.norm(torque_before) * (1.0 + 1e-9)
            lowered += np.linalg.norm(torque_after) < 0.99 * np.linalg.norm(torque_before)
    assert lowered > 10


def test_the_normal_velocity_never_points_into_the_ground(hyq: RobotModel, perturbed, terms_of) -> None:
    for seed in range(100):
        plan, state = perturbed(seed)
        terms = terms_of(state[0])
        contacts = contact_problem(terms, plan[0], 1200.0)
        joint_acceleration = 10.0 * np.random.default_rng(seed).normal(size=12)
        force, status = stage_one(contacts, base_accelerations(terms, contacts, joint_acceleration), joint_acceleration, BRAKING, PERIOD)
        if status != SOLVED:
            continue
        after, _ = end_velocity_and_torque(state[0], terms, contacts, force, joint_acceleration)
        approach = np.einsum("ij,ij->i", contacts.normals, (contacts.jacobian @ after).reshape(-1, 3))
        target = (1.0 - BRAKING * PERIOD) * contacts.velocity - PERIOD * contacts.bias_acceleration
        allowed = np.minimum(0.0, np.einsum("ij,ij->i", contacts.normals, target.reshape(-1, 3)))
        assert (approach >= allowed - 1e-9).all()


def test_torques_do_not_depend_on_the_order_of_the_contacts(hyq: RobotModel, stand, terms_of, reordered) -> None:
    plan, state = stand()
    terms, gains = terms_of(state[0]), hyq.description.control
    contacts = contact_problem(terms, plan[0], gains.foot_force_limit)
    expected = two_stage(hyq, gains, terms, contacts, np.zeros(12), PERIOD)
    assert expected.status == SOLVED
    for order in itertools.permutations(range(4)):
        answer = two_stage(hyq, gains, terms, reordered(contacts, terms, plan[0], list(order)), np.zeros(12), PERIOD)
        assert answer.status == SOLVED
        np.testing.assert_allclose(answer.torque, expected.torque, atol=1e-6)


def test_four_points_on_one_foot_are_one_foot(hyq: RobotModel, stand, terms_of, reordered) -> None:
    plan, state = stand()
    terms, gains = terms_of(state[0]), hyq.description.control
    contacts = contact_problem(terms, plan[0], gains.foot_force_limit)
    expected = two_stage(hyq, gains, terms, contacts, np.zeros(12), PERIOD)
    answer = two_stage(hyq, gains, terms, reordered(contacts, terms, plan[0], [0, 0, 0, 0, 1, 2, 3]), np.zeros(12), PERIOD)
    assert answer.status == SOLVED
    np.testing.assert_allclose(answer.torque, expected.torque, atol=1e-5)


def test_a_stretched_leg_does_not_make_stage_one_push_with_internal_forces(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    state["joint_position"][0, 0, 2] = 0.0
    state["base_velocity"] = (0.05, 0.0, 0.1)
    terms = terms_of(state[0])
    contacts = contact_problem(terms, plan[0], 1200.0)
    force, status = stage_one(contacts, base_accelerations(terms, contacts, np.zeros(12)), np.zeros(12), BRAKING, PERIOD)
    assert status == SOLVED
    # The least force that makes the same wrench is not far below the one that was found.
    least = np.linalg.pinv(contacts.wrench_map) @ (contacts.wrench_map @ force)
    assert np.linalg.norm(force) < 2.0 * np.linalg.norm(least)
