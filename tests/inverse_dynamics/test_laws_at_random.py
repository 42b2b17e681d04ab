# SPDX-License-Identifier: Apache-2.0
"""What each contact law of multi-bodies promises, on random bodies and on hyq.

SUREFOOT_RANDOM_CASES is how many of each, SUREFOOT_RANDOM_FIRST the first seed; 100000 cases take minutes for each law.
"""

import os
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.inverse_dynamics.contact_problem import contact_problem
from surefoot.inverse_dynamics.coulomb_lcp import LARGEST_FRICTION, coulomb_lcp
from surefoot.inverse_dynamics.inverse_contact import inverse_contact
from surefoot.inverse_dynamics.law import FAILED, RELAXED, SOLVED
from surefoot.inverse_dynamics.multibody_two_stage import MultibodyTwoStage, two_stage_qp, two_stage_qp_no_slip
from surefoot.inverse_dynamics.no_slip_lcp import no_slip_lcp
from surefoot.inverse_dynamics.orthogonal_decomposition import orthogonal_decomposition
from surefoot.inverse_dynamics.robot_law import robot_problem
from surefoot.robot.model import RobotModel

CASES = int(os.environ.get("SUREFOOT_RANDOM_CASES", "150"))
FIRST = int(os.environ.get("SUREFOOT_RANDOM_FIRST", "0"))

pytestmark = pytest.mark.timeout(300 + CASES // 20)

NO_SLIP = {"no_slip_lcp": no_slip_lcp, "two_stage_qp_no_slip": two_stage_qp_no_slip}
COULOMB = {"two_stage_qp": two_stage_qp, "two_stage_qp_8": MultibodyTwoStage(edges=8), "coulomb_lcp": coulomb_lcp}
LAWS = NO_SLIP | COULOMB | {"inverse_contact": inverse_contact, "orthogonal_decomposition": orthogonal_decomposition}
UNANSWERED = {"coulomb_lcp": 1e-3, "orthogonal_decomposition": 1e-4}
"""Share of random bodies to which a law may say that it has no answer; every other answer has to hold."""
RELAXED_OF_NO_SLIP = 5e-4
"""Share in which a law without slip may say that it lets something slip, rather than hold it by absurd forces."""

EVERY = pytest.mark.parametrize("name", LAWS)


class Looked:
    """The parts of an answer that the laws speak about, worked out anew."""

    def __init__(self, problem: MultibodyContactProblem, answer: MultibodyContactSolution) -> None:
        force = answer.force.reshape(-1, 3)
        end = problem.velocity + problem.step * answer.acceleration
        motion = (problem.jacobian @ end + problem.step * problem.jacobian_rate).reshape(-1, 3)
        self.load = np.einsum("ij,ij->i", force, problem.normals)
        self.friction_force = np.linalg.norm(force - self.load[:, np.newaxis] * problem.normals, axis=1)
        along = np.einsum("ij,ij->i", motion, problem.normals)
        self.above = along + problem.gaps / problem.step
        self.slip = np.linalg.norm(motion - along[:, np.newaxis] * problem.normals, axis=1)
        self.size = 1.0 + np.abs(force).max(initial=0.0)


def check(name: str, problem: MultibodyContactProblem, answer: MultibodyContactSolution) -> None:
    selection = np.zeros((len(problem.bias), len(problem.actuated)))
    selection[problem.actuated, np.arange(len(problem.actuated))] = 1.0
    pushed = selection @ answer.torque + problem.jacobian.T @ answer.force - problem.bias
    looked = Looked(problem, answer)
    assert np.abs(problem.mass_matrix @ answer.acceleration - pushed).max() < 1e-8 * looked.size
    # The right inverse: forward dynamics with these forces and torques gives back what was commanded.
    forward = np.linalg.solve(problem.mass_matrix, pushed)
    if not answer.repaired:
        np.testing.assert_allclose(forward[problem.actuated], problem.acceleration, atol=1e-8 * looked.size)
    if name == "orthogonal_decomposition":
        assert answer.status == SOLVED or looked.load.min() < 0.0
        assert max(looked.slip.max(initial=0.0), np.abs(looked.above - problem.gaps / problem.step).max(initial=0.0)) < 1e-6
        return
    assert answer.status == SOLVED or name == "no_slip_lcp"
    assert looked.load.min(initial=0.0) >= -1e-9 * looked.size
    if name != "inverse_contact":
        assert looked.above.min(initial=0.0) >= -2e-6
    if name not in NO_SLIP:
        finite = np.isfinite(problem.friction)
        limit = np.where(finite, np.minimum(problem.friction, LARGEST_FRICTION), 0.0) * looked.load
        assert ((looked.friction_force - limit)[finite]).max(initial=0.0) <= 1e-8 * looked.size
    loaded = looked.load > 1e-6 * looked.size
    if name in NO_SLIP and answer.status == SOLVED:
        # A contact that lands may slide over the step in which it lands.
        assert looked.slip[loaded & (problem.gaps == 0.0)].max(initial=0.0) < 2e-6
    if name in ("no_slip_lcp", "coulomb_lcp"):
        assert looked.above[loaded].max(initial=0.0) < 2e-6


def check_all(name: str, cases: int, problem_of: Callable[[int], MultibodyContactProblem]) -> int:
    """Check the answers to so many problems; returns how many were repaired. It says of all that do not hold which they are."""
    repaired, relaxed, unanswered, broken = 0, 0, [], []
    for seed in range(FIRST, FIRST + cases):
        problem = problem_of(seed)
        answer = LAWS[name](problem)
        repaired, relaxed = repaired + answer.repaired, relaxed + (answer.status == RELAXED)
        if answer.status == FAILED:
            unanswered.append(seed)
            continue
        try:
            check(name, problem, answer)
        except AssertionError as error:
            broken.append(f"seed {seed}: {str(error).strip().splitlines()[0]}")
    assert not broken, f"{cases - len(broken)} of {cases} hold\n" + "\n".join(broken[:30])
    assert len(unanswered) <= UNANSWERED.get(name, 0.0) * cases, f"no answer to {unanswered}"
    assert name not in NO_SLIP or relaxed <= RELAXED_OF_NO_SLIP * cases
    return repaired


@EVERY
def test_random_bodies(name: str, random_multibody) -> None:
    assert (check_all(name, CASES, random_multibody) > 0) == (name != "inverse_contact")


def hyq_problem(hyq: RobotModel, perturbed, terms_of, seed: int) -> MultibodyContactProblem:
    plan, state = perturbed(seed)
    random = np.random.default_rng(seed)
    plan["friction"] = random.choice([0.1, 0.6, 1.0, np.inf], 4)
    if seed % 7 == 0:
        state["joint_position"][0, 0, 2] = 0.0  # a straight knee
    if seed % 11 == 0:
        plan["load"] = 0.0
    terms, gains = terms_of(state[0]), hyq.description.control
    contacts = contact_problem(terms, plan[0], 1200.0)
    return robot_problem(hyq, gains, terms, contacts, 3.0 * random.normal(size=12), 0.004)


@EVERY
def test_hyq_on_one_to_four_feet(name: str, hyq: RobotModel, perturbed, terms_of) -> None:
    check_all(name, CASES // 2, lambda seed: replace(hyq_problem(hyq, perturbed, terms_of, seed), effort_limit=np.full(12, np.inf)))


@pytest.mark.parametrize("name", NO_SLIP | {"two_stage_qp": two_stage_qp, "inverse_contact": inverse_contact})
def test_points_that_coincide_are_one_foot(name: str, hyq: RobotModel, perturbed, terms_of) -> None:
    for seed in (3, 18, 31):
        one = hyq_problem(hyq, perturbed, terms_of, seed)
        still = np.linalg.lstsq(one.jacobian, -one.jacobian_rate, rcond=None)[0]
        one = replace(one, friction=np.full(one.contacts, 0.7), acceleration=still[6:])
        parts = {"jacobian": one.jacobian, "jacobian_rate": one.jacobian_rate, "normals": one.normals}
        twice = {key: np.concatenate((value[: len(value) // one.contacts], value)) for key, value in parts.items()}
        many = replace(one, **twice, friction=np.full(one.contacts + 1, 0.7), gaps=np.zeros(one.contacts + 1))
        first, second = LAWS[name](one), LAWS[name](many)
        assert first.status != FAILED
        assert second.status != FAILED
        # Soft points share a load, so that two of them give less.
        tolerance = 1e-4 if name != "inverse_contact" else 0.1
        np.testing.assert_allclose(second.acceleration, first.acceleration, atol=tolerance)


@pytest.mark.parametrize("edges", [4, 8])
def test_stage_two_keeps_the_energy_and_never_raises_the_torque_norm(edges: int, random_multibody) -> None:
    lowered = 0
    for seed in range(CASES):
        problem = random_multibody(seed)
        one, two = MultibodyTwoStage(edges=edges, second_stage=False)(problem), MultibodyTwoStage(edges=edges)(problem)
        energies = []
        for answer in (one, two):
            end = problem.velocity + problem.step * answer.acceleration
            energies.append(0.5 * end @ problem.mass_matrix @ end)
        assert energies[1] == pytest.approx(energies[0], rel=1e-9, abs=1e-12)
        assert np.linalg.norm(two.torque) <= np.linalg.norm(one.torque) * (1.0 + 1e-12)
        lowered += np.linalg.norm(two.torque) < 0.99 * np.linalg.norm(one.torque)
    assert lowered > CASES // 50


def test_no_slip_by_complementarity_and_by_optimisation_is_the_same_motion(random_multibody) -> None:
    # In the last two every contact that has a load in one round opens, and only rounding is left to compare loads with.
    for seed in (*range(CASES), 487, 743):
        problem = random_multibody(seed)
        first, second = no_slip_lcp(problem), two_stage_qp_no_slip(problem)
        if not first.repaired and not second.repaired and (problem.gaps == 0.0).all():
            np.testing.assert_allclose(second.acceleration, first.acceleration, atol=1e-3)


@EVERY
def test_what_is_not_a_number_fails(name: str, hyq: RobotModel, perturbed, terms_of) -> None:
    good = hyq_problem(hyq, perturbed, terms_of, 3)
    for field in ("mass_matrix", "bias", "velocity", "acceleration", "jacobian", "jacobian_rate", "normals", "gaps", "friction"):
        spoilt = getattr(good, field).copy()
        spoilt.flat[0] = np.nan
        answer = LAWS[name](replace(good, **{field: spoilt}))
        assert answer.status == FAILED
        assert np.isnan(answer.torque).all()
    assert LAWS[name](replace(good, mass_matrix=-good.mass_matrix)).status == FAILED
    assert LAWS[name](replace(good, step=0.0)).status == FAILED
