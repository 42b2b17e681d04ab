# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np
import pytest

from surefoot.contact.multibody import MultibodyContactProblem
from surefoot.contact.reduction import reduced


@pytest.fixture
def problem() -> MultibodyContactProblem:
    random = np.random.default_rng(5)
    root, normals = random.normal(size=(7, 7)), random.normal(size=(3, 3))
    return MultibodyContactProblem(
        mass_matrix=root @ root.T + np.eye(7),
        bias=random.normal(size=7),
        velocity=random.normal(size=7),
        actuated=np.array([1, 4, 6]),
        acceleration=random.normal(size=3),
        effort_limit=np.full(3, np.inf),
        jacobian=random.normal(size=(9, 7)),
        jacobian_rate=random.normal(size=9),
        normals=normals / np.linalg.norm(normals, axis=1, keepdims=True),
        friction=np.full(3, 0.5),
        gaps=np.array([0.0, 0.01, 0.0]),
        step=0.01,
    )


def test_it_says_what_the_equations_of_motion_say(problem: MultibodyContactProblem) -> None:
    reduction = reduced(problem)
    assert reduction is not None
    force = np.random.default_rng(6).normal(size=9)
    acceleration = reduction.acceleration(force)
    torque, odom = reduction.torque(force, acceleration), reduction.in_odom(force)
    selection = np.eye(7)[:, problem.actuated]
    np.testing.assert_allclose(
        problem.mass_matrix @ acceleration + problem.bias, selection @ torque + problem.jacobian.T @ odom, atol=1e-12
    )
    np.testing.assert_array_equal(acceleration[problem.actuated], problem.acceleration)
    end = problem.jacobian @ (problem.velocity / problem.step + acceleration) + problem.jacobian_rate
    np.testing.assert_allclose(reduction.contact_acceleration(force), reduction.in_contact_axes(end), atol=1e-11)
    np.testing.assert_allclose(reduction.in_contact_axes(odom), force, atol=1e-14)
    assert reduction.scale >= 1.0 + np.abs(reduction.free).max() / 4.0
    np.testing.assert_allclose(reduction.floor, [0.0, -100.0, 0.0])


def test_arrays_that_are_read_only_or_views_will_do(problem: MultibodyContactProblem) -> None:
    frozen = problem.jacobian.copy()
    frozen.flags.writeable = False
    strange = replace(problem, jacobian=frozen, mass_matrix=problem.mass_matrix.T, bias=np.repeat(problem.bias, 2)[::2])
    first, second = reduced(problem), reduced(strange)
    assert first is not None
    assert second is not None
    np.testing.assert_array_equal(first.free, second.free)


def test_what_cannot_be_reduced_is_none(problem: MultibodyContactProblem) -> None:
    assert reduced(replace(problem, mass_matrix=-problem.mass_matrix)) is None
    assert reduced(replace(problem, step=0.0)) is None
    assert reduced(replace(problem, step=np.nan)) is None
    for field in ("bias", "normals", "friction", "jacobian"):
        assert reduced(replace(problem, **{field: getattr(problem, field) * np.nan})) is None
