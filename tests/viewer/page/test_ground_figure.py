# SPDX-License-Identifier: Apache-2.0
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from surefoot.terrain.relief import Relief, height_map
from surefoot.terrain.world import GroundStrip, World, find_world, read_world
from surefoot.viewer.page.ground_figure import FrictionHere, GroundFigure


def drawn(world: World, call: str) -> list[dict[str, Any]]:
    server = MagicMock()
    GroundFigure(server, "/ground", world, 0.5)
    return [{**made.kwargs, "given": made.args} for made in getattr(server.scene, call).call_args_list]


def solids(world: World) -> list[np.ndarray]:
    """Vertices of the strips, without what is drawn beside them."""
    meshes = [mesh["given"] for mesh in drawn(world, "add_mesh_simple")]
    return [given[1] for given in meshes if "strip" in given[0]]


@pytest.mark.parametrize("name", ["slope", "steps", "ice_ahead"])
def test_strips_are_drawn_where_a_foot_stands_on_them(name: str) -> None:
    world = read_world(find_world(name))
    labels = [label for label in drawn(world, "add_label") if "words" in label["given"][0]]
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


def test_rough_ground_shows_its_friction_by_colours_and_numbers() -> None:
    world = World(relief=Relief(friction_low=0.1, friction_high=1.5, seed=3))
    assert world.relief is not None
    ground = height_map(world.relief)
    tiles = {mesh["color"]: mesh["given"] for mesh in drawn(world, "add_mesh_simple") if "relief" in mesh["given"][0]}
    assert len(tiles) > 8
    row, column = np.unravel_index(int(np.argmin(ground.friction)), ground.friction.shape)
    slippery = min(tiles, key=lambda colour: colour[0])
    _, vertices, faces = tiles[slippery]
    middles = vertices[faces].mean(axis=1)[:, :2]
    assert np.linalg.norm(middles - ground.centre(int(row), int(column)), axis=1).min() < 0.5 * ground.side, "the bluest is where least is"
    numbers = [label for label in drawn(world, "add_label") if "tile" in label["given"][0]]
    assert 16 <= len(numbers) <= 64
    for label in numbers:
        x, y, _ = label["position"]
        assert label["given"][1] == f"{ground.friction_at(x, y):.2f}"


def test_what_is_level_says_its_friction_beside_the_robot() -> None:
    world = World(friction=0.7, strips=(GroundStrip(start=5.0, end=9.0, friction=0.06, height=0.1),))
    server = MagicMock()
    figure = GroundFigure(server, "/ground", world, 0.5)
    label = server.scene.add_label.return_value
    assert "friction here 0.7" in [call.args[1] for call in server.scene.add_label.call_args_list]
    figure.follow(7.0, 0.0)
    assert label.text == "friction here 0.06"
    assert label.position[0] == pytest.approx(7.0, abs=1.4)
    assert label.position[2] == pytest.approx(0.1)
    figure.follow(11.0, 0.0)
    assert label.text == "friction here 0.7"


def test_friction_of_rough_ground_is_that_of_the_tile_and_beyond_it_that_of_the_world() -> None:
    world = World(friction=0.7, relief=Relief(extent=2.0, seed=1))
    assert world.relief is not None
    ground, here = height_map(world.relief), FrictionHere(world, 0.5)
    words, (x, y, _) = here.words(*ground.centre(5, 6))
    assert words == f"friction here {ground.friction_at(x, y):.2g}"
    assert here.words(4.0, 0.0)[0] == "friction here 0.7"
