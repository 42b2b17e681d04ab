# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.contact.inscribed_pyramid import check_edges, clipped_into_pyramids, friction_directions, inscribed_pyramids
from surefoot.errors import ConfigurationError

FRICTION = np.array([0.4, 0.0, np.inf])


@pytest.mark.parametrize("edges", [4, 6, 8, 16])
def test_pyramids_are_the_hull_of_their_corners(edges: int) -> None:
    rows = inscribed_pyramids(FRICTION, edges)
    assert rows.shape == (2 * (1 + edges) + 1, 9)
    for first, second in friction_directions(edges):
        corner = np.array([1.0, 0.4 * first, 0.4 * second, 1.0, 0.0, 0.0, 1.0, 50.0 * first, 50.0 * second])
        assert np.min(rows @ corner) == pytest.approx(0.0, abs=1e-12)
        beyond = corner.copy()
        beyond[1:3] *= 1.001
        assert np.min(rows @ beyond) < -1e-5


def test_four_edges_are_the_pyramid_of_the_sum() -> None:
    random, rows = np.random.default_rng(2), inscribed_pyramids(np.array([0.7]))
    for force in random.normal(size=(200, 3)):
        assert (rows @ force >= 0.0).all() == (0.7 * force[0] >= np.abs(force[1:]).sum())


def test_clipping_brings_forces_inside_and_leaves_those_that_are() -> None:
    random, rows = np.random.default_rng(3), inscribed_pyramids(FRICTION, 6)
    for _ in range(100):
        force = random.normal(size=9)
        clipped = clipped_into_pyramids(force, FRICTION, 6)
        assert np.min(rows @ clipped) >= -1e-15
        np.testing.assert_allclose(clipped_into_pyramids(clipped, FRICTION, 6), clipped, atol=1e-15)


@pytest.mark.parametrize("edges", [0, 3, 5])
def test_what_is_no_pyramid_is_refused(edges: int) -> None:
    with pytest.raises(ConfigurationError, match=f"cannot have {edges} edges"):
        check_edges(edges)
