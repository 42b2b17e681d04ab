# SPDX-License-Identifier: Apache-2.0
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from surefoot.terrain.world import GroundStrip, World, find_world, read_world
from surefoot.viewer.page.ground_figure import draw_ground


def drawn(world: World, call: str) -> list[dict[str, Any]]:
    server = MagicMock()
    draw_ground(server, "/ground", world, 0.5)
    return [{**made.kwargs, "given": made.args} for made in getattr(server.scene, call).call_args_list]


def solids(world: World) -> list[np.ndarray]:
    """Vertices of the strips, without what is drawn beside them."""
    meshes = [mesh["given"] for mesh in drawn(world, "add_mesh_simple")]
    return [given[1] for given in meshes if "strip" in given[0]]


@pytest.mark.parametrize("name", ["slope", "steps", "ice_ahead"])
def test_strips_are_drawn_where_a_foot_stands_on_them(name: str) -> None:
    world = read_world(find_world(name))
    labels = drawn(world, "add_label")
    for strip, vertices, label in zip(world.strips, solids(world), labels, strict=True):
        for x in (strip.start, strip.end):
            heights = vertices[np.isclose(vertices[:, 0], x), 2]
            assert heights.max() == pytest.approx(strip.height_at(x), abs=3e-3)
        middle = 0.5 * (strip.start + strip.end)
        assert strip.height_at(middle) < label["position"][2] < strip.height_at(middle) + 0.1


def test_what_is_higher_or_lower_than_the_ground_has_walls_and_edges() -> None:
    step, hole = GroundStrip(start=0.0, end=1.0, friction=0.6, height=0.2), GroundStrip(start=1.0, end=2.0, friction=0.6, height=-0.1)
    level = GroundStrip(start=2.0, end=3.0, friction=0.1)
    made = {mesh["given"][0].rsplit("/", 1)[1]: mesh["given"] for mesh in drawn(World(strips=(step, hole, level)), "add_mesh_simple")}
    for name, low, high in (("strip_0", 0.0, 0.2), ("strip_1", -0.1, 0.0)):
        _, vertices, faces = made[name]
        corners = vertices[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        walls = np.abs(normals[:, 2]) < 1e-9
        assert walls.sum() == 8
        assert (corners[walls][..., 2].min(), corners[walls][..., 2].max()) == pytest.approx((low, high), abs=3e-3)
    assert len(made["strip_2"][2]) == 2, "what is level has no walls"
    assert made["edges"][1][:, 0].max() < 2.1
