# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from transforms3d.quaternions import quat2mat

from surefoot.terrain.box import box_under
from surefoot.terrain.world import GroundStrip


@pytest.mark.parametrize(("height", "rise"), [(0.0, 0.0), (0.3, 0.0), (0.1, 0.5), (-0.2, -0.7)])
@pytest.mark.parametrize("half_thickness", [0.001, 0.5])
def test_the_edges_of_its_top_are_those_of_the_strip(height: float, rise: float, half_thickness: float) -> None:
    strip = GroundStrip(start=1.0, end=3.0, friction=0.5, height=height, rise=rise)
    box = box_under(strip, 4.0, half_thickness)
    length, width, thickness = box.half_size
    rotation = quat2mat(box.wxyz)
    for side, x in ((-1.0, strip.start), (1.0, strip.end)):
        edge = np.array(box.centre) + rotation @ np.array((side * length, width, thickness))
        np.testing.assert_allclose(edge, (x, 4.0, strip.height_at(x)), atol=1e-12)
