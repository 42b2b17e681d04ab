# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.contact.complementarity import SOLVED
from surefoot.contact.inscribed_pyramid import inscribed_pyramids, pulls_or_slides
from surefoot.contact.pyramid_rays import least_torque, push_rays, rays_of
from surefoot.contact.quadratic_program import solve_quadratic_program
from surefoot.contact.span import add_span

FRICTION = np.array([0.4, 0.0, np.inf, 1.5])


@pytest.mark.parametrize("edges", [4, 6, 8])
def test_rays_are_at_the_edges_of_the_pyramids(edges: int) -> None:
    most = 4 * max(edges, 5)
    rays, owner, begin = np.empty((most, 3)), np.empty(most, np.int64), np.empty(5, np.int64)
    count = rays_of(FRICTION, edges, np.array([True, True, True, False]), rays, owner, begin)
    assert count == edges + 1 + 5
    assert list(begin) == [0, edges, edges + 1, edges + 6, edges + 6]
    rows = inscribed_pyramids(FRICTION, edges)
    for ray, contact in zip(rays[:count], owner[:count], strict=True):
        assert np.linalg.norm(ray) == pytest.approx(1.0)
        force = np.zeros(12)
        force[3 * contact : 3 * contact + 3] = ray
        assert np.min(rows @ force) == pytest.approx(0.0, abs=1e-15)


def draw(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    contacts = int(random.integers(1, 7))
    whitened, friction = random.normal(size=(3 * contacts, 6)), random.choice(FRICTION, contacts)
    return whitened, whitened @ random.normal(size=6), friction, np.ones(contacts, np.bool_)


@pytest.mark.parametrize("edges", [4, 8])
def test_the_motion_is_that_of_the_program_with_all_sides(edges: int) -> None:
    random, pushed = np.random.default_rng(11), 0
    for _ in range(100):
        whitened, drive, friction, usable = draw(random)
        force = np.empty(len(drive))
        assert push_rays(whitened, drive, friction, edges, usable, 1.0, force)[0] == SOLVED
        assert pulls_or_slides(force, friction, edges) <= 1e-12 * (1.0 + np.abs(force).max())
        rows = inscribed_pyramids(friction, edges)
        hessian = whitened @ whitened.T + 1e-9 * np.eye(len(drive))
        other = solve_quadratic_program(hessian, drive, rows, np.zeros(len(rows)))
        assert other.solved
        np.testing.assert_allclose(whitened.T @ force, whitened.T @ other.solution, atol=1e-5)
        pushed += np.linalg.norm(force) > 0.1
    assert pushed > 50


def test_what_is_not_usable_gets_no_force() -> None:
    random = np.random.default_rng(12)
    whitened, drive, force = random.normal(size=(6, 6)), np.array([-1.0, 0.0, 0.0, -1.0, 0.0, 0.0]), np.empty(6)
    push_rays(whitened, drive, np.full(2, 0.5), 4, np.array([False, True]), 1.0, force)
    np.testing.assert_array_equal(force[:3], 0.0)
    assert force[3] > 0.0


@pytest.mark.parametrize("edges", [4, 6, 8])
def test_torques_become_least_and_the_motion_stays(edges: int) -> None:
    random, lowered, cold, warm = np.random.default_rng(13), 0, 0, 0
    for _ in range(60):
        whitened, drive, friction, usable = draw(random)
        force = np.empty(len(drive))
        assert push_rays(whitened, drive, friction, edges, usable, 1.0, force)[0] == SOLVED
        force /= 1.0 + np.abs(force).max()
        usable[0] = len(usable) < 3
        by_force, start, basis = random.normal(size=(8, len(force))), random.normal(size=8), np.empty((6, len(force)))
        # Nothing that is not usable changes, so that only the rest has to keep its motion.
        kept = basis[: add_span(np.where(np.repeat(usable, 3), whitened.T, 0.0), 1e-12, basis, 0)]
        moved = force.copy()
        status, pivots = least_torque(kept, by_force, start, friction, edges, usable, np.zeros(len(force)), moved)
        assert status == SOLVED
        change = moved - force
        np.testing.assert_allclose(whitened.T @ change, 0.0, atol=1e-10)
        np.testing.assert_array_equal(change[np.repeat(~usable, 3)], 0.0)
        assert pulls_or_slides(moved, friction, edges) <= 1e-12 * (1.0 + np.abs(moved).max())
        torque, before = start + by_force @ change, np.linalg.norm(start)
        lowered += np.linalg.norm(torque) < 0.99 * before
        # No step inside the pyramids that keeps the motion lowers the torques any more.
        used = np.flatnonzero(np.repeat(usable, 3))
        _, lengths, right = np.linalg.svd(kept[:, used])
        inside = right[np.count_nonzero(lengths > 1e-9) :].T
        if inside.size:
            rows, step = inscribed_pyramids(friction, edges), by_force[:, used] @ inside
            bounds = np.minimum(-rows @ moved, 0.0) - 1e-12
            hessian = step.T @ step + 1e-9 * np.eye(inside.shape[1])
            better = solve_quadratic_program(hessian, step.T @ torque, rows[:, used] @ inside, bounds)
            assert better.solved
            assert np.linalg.norm(torque + step @ better.solution) >= np.linalg.norm(torque) - 1e-6
        # From its own answer it has less far to go.
        again = force.copy()
        cold, warm = cold + pivots, warm + least_torque(kept, by_force, start, friction, edges, usable, moved, again)[1]
        np.testing.assert_allclose(by_force @ again, by_force @ moved, atol=1e-6)
    assert lowered > 10
    assert warm < cold // 2
