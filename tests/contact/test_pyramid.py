# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.contact.pyramid import ROWS_PER_CONTACT, contact_frame, pyramid_rows

CASE_114 = [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.6, 0.0, 0.8)]


def frame_of(normal: np.ndarray) -> np.ndarray:
    frame = np.empty((3, 3))
    contact_frame(np.asarray(normal, dtype=float), frame)
    return frame


def unit_vectors(count: int) -> np.ndarray:
    vectors = np.random.default_rng(3).normal(size=(count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("normal", [*CASE_114, (0.0, -1.0, 0.0), (0.0, 0.0, -1.0), *map(tuple, unit_vectors(50))])
def test_frames_are_orthonormal_and_right_handed(normal: tuple[float, float, float]) -> None:
    frame = frame_of(np.array(normal))
    np.testing.assert_array_equal(frame[0], normal)
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(frame) == pytest.approx(1.0, abs=1e-14)


def test_on_flat_ground_the_tangents_are_axes_of_odom() -> None:
    np.testing.assert_allclose(frame_of(np.array([0.0, 0.0, 1.0])), [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-15)


def test_rounding_of_the_normal_does_not_turn_the_tangents() -> None:
    there = frame_of(np.array([1e-15, -1e-15, 1.0]))
    back = frame_of(np.array([-1e-15, 1e-15, 1.0]))
    np.testing.assert_allclose(there, back, atol=1e-14)


def test_the_pyramid_touches_the_cone_from_inside() -> None:
    random = np.random.default_rng(4)
    friction, contact = 0.4, 1
    for normal in unit_vectors(20):
        frame, rows, bounds = frame_of(normal), np.zeros((12, 6)), np.zeros(12)
        pyramid_rows(contact, frame, friction, 5.0, 100.0, rows, bounds)
        assert not rows[:, :3].any()
        mine = slice(ROWS_PER_CONTACT * contact, ROWS_PER_CONTACT * (contact + 1))
        rows, bounds = rows[mine, 3:], bounds[mine]
        for _ in range(50):
            force = random.uniform(-50, 150) * normal + random.normal(size=3) * 20.0
            load, first, second = frame @ force
            inside = 5.0 <= load <= 100.0 and abs(first) + abs(second) <= friction * load
            assert (rows @ force >= bounds).all() == inside
            assert not inside or np.hypot(first, second) <= friction * load
        edge = 50.0 * (frame[0] + friction * frame[1])
        assert np.min(rows @ edge - bounds) == pytest.approx(0.0, abs=1e-12)
