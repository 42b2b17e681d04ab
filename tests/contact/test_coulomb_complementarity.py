# SPDX-License-Identifier: Apache-2.0
"""A point mass on the ground by closed form, and what every answer has to satisfy."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.contact.coulomb_complementarity import coulomb_complementarity
from surefoot.contact.lemke import solve_lemke
from surefoot.contact.multibody import MultibodyContactProblem
from surefoot.contact.reduction import Reduction, reduced

MASS, STEP, FRICTION = 2.0, 0.01, 0.3
WEIGHT = MASS * 9.81
CASES = int(os.environ.get("SUREFOOT_RANDOM_CASES", "200"))


def points(velocity: np.ndarray, gaps: np.ndarray, mass: np.ndarray, jacobian: np.ndarray, push: np.ndarray, friction: float) -> Reduction:
    contacts = len(gaps)
    problem = MultibodyContactProblem(
        mass_matrix=mass, bias=-push, velocity=velocity, actuated=np.empty(0, np.int64), acceleration=np.empty(0), effort_limit=np.empty(0),
        jacobian=jacobian, jacobian_rate=np.zeros(3 * contacts), normals=np.tile((0.0, 0.0, 1.0), (contacts, 1)),
        friction=np.full(contacts, friction), gaps=gaps, step=STEP,
    )  # fmt: skip
    reduction = reduced(problem)
    assert reduction is not None
    return reduction


def force_on(reduction: Reduction, edges: int = 4) -> np.ndarray:
    near = np.arange(reduction.contacts)
    problem = coulomb_complementarity(reduction, near, reduction.problem.friction, edges)
    result = solve_lemke(problem.matrix, problem.offset)
    assert result.solved
    return problem.to_force @ result.solution


def point(velocity: tuple[float, float, float], gap: float = 0.0, push: tuple[float, float, float] = (0.0, 0.0, -WEIGHT)) -> Reduction:
    return points(np.array(velocity), np.array([gap]), MASS * np.eye(3), np.eye(3), np.array(push), FRICTION)


@pytest.mark.parametrize(
    ("reduction", "force"),
    [
        (point((0.0, 0.0, 0.0)), (WEIGHT, 0.0, 0.0)),
        (point((0.0, 0.0, 0.0), push=(2.0, -3.0, -WEIGHT)), (WEIGHT, -2.0, 3.0)),
        (point((1.0, 0.0, 0.0)), (WEIGHT, -FRICTION * WEIGHT, 0.0)),
        (point((0.0, -1.0, 0.0)), (WEIGHT, 0.0, FRICTION * WEIGHT)),
        # A fall ends within the step, and so does a slow slide.
        (point((0.0, 0.0, -1.0)), (WEIGHT + MASS * 1.0 / STEP, 0.0, 0.0)),
        (point((0.01, 0.0, 0.0)), (WEIGHT, -MASS * 0.01 / STEP, 0.0)),
        (point((0.0, 0.0, -1.0), gap=0.004), (WEIGHT + MASS * (1.0 - 0.4) / STEP, 0.0, 0.0)),
        (point((0.0, 0.0, -1.0), gap=0.02), (0.0, 0.0, 0.0)),
        (point((1.0, 0.0, 1.0)), (0.0, 0.0, 0.0)),
    ],
    ids=["rests", "held", "slides along x", "slides along y", "lands", "stops", "lands from above", "stays above", "leaves"],
)
def test_a_point_mass_meets_the_ground(reduction: Reduction, force: tuple[float, float, float]) -> None:
    assert force_on(reduction) == pytest.approx(force, abs=1e-6)


@pytest.mark.parametrize("edges", [4, 8, 16])
def test_the_pyramid_is_inscribed(edges: int) -> None:
    heading = np.pi / edges
    force = force_on(point((np.cos(heading), np.sin(heading), 0.0)), edges)
    sideways = np.hypot(*force[1:]) / (FRICTION * WEIGHT)
    assert np.cos(heading) - 1e-9 <= sideways <= 1.0 + 1e-9
    assert force[1:] @ (np.cos(heading), np.sin(heading)) == pytest.approx(-np.cos(heading) * FRICTION * WEIGHT)


@given(st.integers(0, 2**32), st.integers(1, 5), st.sampled_from([0.0, 0.1, 1.0, 100.0]), st.sampled_from([4, 8]))
@settings(max_examples=CASES)
def test_answers_push_do_not_penetrate_and_rub_against_the_motion(seed: int, contacts: int, friction: float, edges: int) -> None:
    random = np.random.default_rng(seed)
    size = 3 * contacts
    root, jacobian = (np.eye(size) + 0.1 * random.normal(size=(size, size)) for _ in range(2))
    reduction = points(
        random.normal(size=size), random.uniform(0.0, 0.02, contacts), root @ root.T, jacobian,
        30.0 * random.normal(size=size), friction,
    )  # fmt: skip
    force = force_on(reduction, edges)
    after = STEP * reduction.contact_acceleration(force)
    scale = STEP * reduction.scale
    normal, above = force[::3], after[::3] - STEP * reduction.floor
    assert normal.min() >= 0.0
    assert above.min() >= -1e-6 * scale
    size_of_force = 1.0 + np.abs(force).max()
    assert np.minimum(normal / size_of_force, np.abs(above) / scale) == pytest.approx(np.zeros(contacts), abs=1e-6)
    sideways, slip = force.reshape(-1, 3)[:, 1:], after.reshape(-1, 3)[:, 1:]
    assert (np.linalg.norm(sideways, axis=1) <= friction * normal + 1e-6 * size_of_force).all()
    # Dissipation is the largest that the pyramid allows.
    corners = np.array([(np.cos(angle), np.sin(angle)) for angle in 2.0 * np.pi * np.arange(edges) / edges])
    most = friction * normal * (slip @ corners.T).max(axis=1)
    assert -np.einsum("ci,ci->c", sideways, slip) == pytest.approx(most, abs=1e-5 * size_of_force * scale)
