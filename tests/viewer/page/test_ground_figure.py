# SPDX-License-Identifier: Apache-2.0
from typing import Any
from unittest.mock import MagicMock

import numpy as np
from transforms3d.quaternions import quat2mat

from surefoot.terrain.world import GroundStrip, World
from surefoot.viewer.page.ground_figure import draw_ground


def drawn(world: World, call: str) -> list[dict[str, Any]]:
    server = MagicMock()
    draw_ground(server, "/ground", world, 0.5)
    return [{**made.kwargs, "given": made.args} for made in getattr(server.scene, call).call_args_list]


def test_strips_are_drawn_where_a_foot_stands_on_them() -> None:
    step = GroundStrip(start=0.0, end=2.0, friction=0.6, height=0.2)
    ramp = GroundStrip(start=2.0, end=4.0, friction=0.6, height=0.2, rise=0.5)
    world = World(strips=(step, ramp))
    boxes, labels = drawn(world, "add_box"), drawn(world, "add_label")
    for strip, box, label in zip(world.strips, boxes, labels, strict=True):
        length, _, thickness = box["given"][2]
        for side, x in ((-1.0, strip.start), (1.0, strip.end)):
            edge = np.array(box["position"]) + quat2mat(box["wxyz"]) @ np.array((0.5 * side * length, 0.0, 0.5 * thickness))
            np.testing.assert_allclose(edge, (x, 0.0, strip.height_at(x)), atol=2e-3)
        middle = 0.5 * (strip.start + strip.end)
        assert strip.height_at(middle) < label["position"][2] < strip.height_at(middle) + 0.1
