# SPDX-License-Identifier: Apache-2.0
import numpy as np
from scipy.spatial.transform import Rotation

from surefoot.robot.bodies import CollisionShape


def test_bodies_of_hyq(hyq):
    bodies = {body.name: body for body in hyq.bodies()}
    assert list(bodies)[:4] == ["base_link", "lf_hipassembly", "lf_upperleg", "lf_lowerleg"]
    assert bodies["base_link"].parent is None
    assert bodies["base_link"].joint is None
    knee = bodies["rh_lowerleg"]
    assert (knee.parent, knee.joint.name) == ("rh_upperleg", "rh_kfe_joint")
    np.testing.assert_allclose(knee.joint.axis, [0, 1, 0])
    np.testing.assert_allclose(knee.parent_from_body_translation, [0, 0, -0.35])
    np.testing.assert_allclose([knee.joint.position_lower, knee.joint.position_upper], np.radians([20, 140]))
    np.testing.assert_allclose(bodies["lf_hipassembly"].joint.axis, [-1, 0, 0])


def test_collisions_are_primitives_by_link(hyq):
    shapes = {body.name: body.collisions for body in hyq.bodies()}
    (trunk,) = shapes["base_link"]
    assert (trunk.kind, trunk.size) == ("box", (1.2, 0.34, 0.24))
    shank, foot = shapes["lf_lowerleg"]
    assert (shank.kind, shank.link) == ("cylinder", "lf_lowerleg")
    assert (foot.kind, foot.link, foot.size) == ("sphere", "lf_foot", (0.02175,))
    np.testing.assert_allclose(foot.body_from_shape_translation, [0, 0, -0.346])


def test_attached_frames(hyq):
    imu = hyq.attached_frame("imu_link")
    assert imu.body == "base_link"
    np.testing.assert_allclose(imu.body_from_frame_translation, [0.29, 0.0, 0.0999214])
    # The unit hangs upside down: its x and z point backwards and downwards.
    np.testing.assert_allclose(imu.body_from_frame_rotation, np.diag([-1.0, 1.0, -1.0]), atol=1e-12)
    assert hyq.attached_frame("rf_foot").body == "rf_lowerleg"


def test_moved_shape():
    turn = Rotation.from_euler("z", 90, degrees=True).as_matrix()
    shape = CollisionShape("a", "sphere", (0.1,), np.eye(3), np.array([1.0, 0.0, 0.0]))
    moved = shape.moved(turn, np.array([0.0, 0.0, 2.0]))
    np.testing.assert_allclose(moved.body_from_shape_translation, [0.0, 1.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(moved.body_from_shape_rotation, turn)
