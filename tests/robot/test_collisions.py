# SPDX-License-Identifier: Apache-2.0
import numpy as np
from scipy.spatial.transform import Rotation

from surefoot.robot.collisions import collision_shapes


def test_primitives_with_origins_and_no_meshes():
    urdf = """<robot><link name="a">
      <collision><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><geometry><box size="1 2 3"/></geometry></collision>
      <collision><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>
      <collision><geometry><mesh filename="a.dae"/></geometry></collision></link>
      <link name="b"><collision><geometry/></collision></link></robot>"""
    shapes = collision_shapes(urdf)
    assert list(shapes) == ["a"]
    box, cylinder = shapes["a"]
    assert (box.kind, box.size) == ("box", (1.0, 2.0, 3.0))
    assert (cylinder.kind, cylinder.size) == ("cylinder", (0.1, 0.5))
    np.testing.assert_allclose(box.body_from_shape_translation, [1.0, 2.0, 3.0])
    # URDF: roll, pitch, yaw about fixed axes.
    np.testing.assert_allclose(box.body_from_shape_rotation, Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix(), atol=1e-12)
