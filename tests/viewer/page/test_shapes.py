# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from surefoot.viewer.page.shapes import (
    cone_use,
    covariance_ellipsoid,
    cross,
    dashes,
    friction_cone,
    rods,
    segments,
    thinned,
    wxyz_about,
    wxyz_between,
)

LINE = np.column_stack((np.linspace(0.0, 1.0, 11), np.zeros((11, 2)))).astype(np.float32)


def test_dashes_cover_half_of_a_line_from_its_beginning() -> None:
    pieces = dashes(LINE, 0.05)
    lengths = np.linalg.norm(pieces[:, 1] - pieces[:, 0], axis=1)
    assert lengths.sum() == pytest.approx(0.5, abs=0.05)
    assert pieces[0, 0] == pytest.approx((0.0, 0.0, 0.0))
    assert len(segments(LINE)) == 10
    assert dashes(LINE[:1], 0.05).shape == (0, 2, 3)
    assert dashes(np.zeros((4, 3), np.float32), 0.05).shape == (0, 2, 3)


def test_thinning_keeps_the_ends() -> None:
    assert thinned(LINE, 4)[:, 0] == pytest.approx((0.0, 0.3, 0.7, 1.0), abs=1e-6)
    assert thinned(LINE, 20) is LINE


def test_rods_stay_around_their_lines_and_leave_out_points() -> None:
    pieces = [segments(LINE), cross(np.zeros(3, np.float32), 0.1), np.zeros((2, 2, 3), np.float32)]
    vertices, faces = rods(pieces, 0.01)
    assert len(vertices) == 8 * 13
    assert faces.max() == len(vertices) - 1
    assert np.isfinite(vertices).all()
    assert np.hypot(vertices[:80, 1], vertices[:80, 2]) == pytest.approx(np.full(80, 0.01), abs=1e-6)
    assert rods([], 0.01)[0].shape == (0, 3)


def test_a_cone_holds_what_friction_allows() -> None:
    vertices, faces = friction_cone(0.5, 2.0)
    assert np.hypot(vertices[1:, 0], vertices[1:, 1]) == pytest.approx(np.ones(len(vertices) - 1))
    assert (faces[:, 0] == 0).all()


@pytest.mark.parametrize(("force", "use"), [((0.0, 0.0, 100.0), 0.0), ((30.0, 40.0, 100.0), 1.0), ((0.0, 60.0, 100.0), 1.2)])
def test_use_of_a_cone(force: tuple[float, float, float], use: float) -> None:
    assert cone_use(np.array(force), np.array((0.0, 0.0, 1.0)), 0.5) == pytest.approx(use)


@pytest.mark.parametrize(
    ("force", "friction"),
    [((0.0, 0.0, 0.0), 0.5), ((1.0, 0.0, -5.0), 0.5), ((1.0, 0.0, 5.0), math.nan), ((1.0, 0.0, 5.0), 0.0)],
)
def test_without_load_or_friction_no_use_is_known(force: tuple[float, float, float], friction: float) -> None:
    assert math.isnan(cone_use(np.array(force), np.array((0.0, 0.0, 1.0)), friction))


@given(st.integers(0, 1000))
def test_the_ellipsoid_holds_95_percent_of_a_gaussian(seed: int) -> None:
    random = np.random.default_rng(seed)
    root = random.normal(size=(3, 3))
    half_axes, wxyz = covariance_ellipsoid(root @ root.T)
    points = random.normal(size=(4000, 3)) @ root.T
    inside = Rotation.from_quat(wxyz[[1, 2, 3, 0]]).inv().apply(points) / half_axes
    assert np.mean(np.linalg.norm(inside, axis=1) < 1.0) == pytest.approx(0.95, abs=0.025)


def test_a_covariance_that_is_none_has_no_size() -> None:
    assert (covariance_ellipsoid(np.full((3, 3), np.nan)).half_axes == 0.0).all()
    assert np.isfinite(covariance_ellipsoid(-np.eye(3)).half_axes).all()


@pytest.mark.parametrize("largest", [1e17, 1e19, 1e200, 1e308, 1.7e308, np.inf])
def test_a_covariance_of_absurd_numbers_has_axes_all_the_same(largest: float) -> None:
    random = np.random.default_rng(0)
    for _ in range(100):
        covariance = random.uniform(-1.0, 1.0, (3, 3)) * largest ** random.integers(0, 2, (3, 3))
        half_axes, wxyz = covariance_ellipsoid(covariance)
        assert np.isfinite(half_axes).all()
        assert np.linalg.norm(wxyz) == pytest.approx(1.0)


@pytest.mark.parametrize("end", [(0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (0.0, 0.0, -1.0)])
def test_rotations_between_directions(end: tuple[float, float, float]) -> None:
    wxyz = wxyz_between(np.array((0.0, 0.0, 1.0)), np.array(end))
    assert Rotation.from_quat(wxyz[[1, 2, 3, 0]]).apply((0.0, 0.0, 1.0)) == pytest.approx(end, abs=1e-6)
    assert wxyz_about(np.array((0.0, 0.0, 1.0)), math.pi)[3] == pytest.approx(1.0)
