# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.contact.cone import contact_frames, friction_pyramids

NORMALS = np.array([[0.0, 0.0, 1.0], [0.6, 0.0, 0.8]])


def test_frames_stand_on_their_normals() -> None:
    frames = contact_frames(NORMALS)
    np.testing.assert_array_equal(frames[:, 0], NORMALS)
    np.testing.assert_allclose(frames @ frames.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (2, 3, 3)), atol=1e-15)


def test_each_contact_is_bounded_alone() -> None:
    rows, bounds = friction_pyramids(NORMALS, np.array([0.5, 0.2]), np.array([100.0, 30.0]))
    assert rows.shape == (12, 6)
    force = np.concatenate((99.0 * NORMALS[0], 29.0 * NORMALS[1]))
    assert (rows @ force > bounds).all()
    # A tangential force of a tenth of the load more than friction allows breaks the bounds of that foot alone.
    force[3:] += 29.0 * 0.3 * np.array([0.8, 0.0, -0.6])
    broken = rows @ force < bounds
    assert not broken[:6].any()
    assert broken[6:].any()


def test_no_contact_has_no_rows() -> None:
    rows, bounds = friction_pyramids(np.empty((0, 3)), np.empty(0), np.empty(0))
    assert rows.shape == (0, 0)
    assert bounds.shape == (0,)
