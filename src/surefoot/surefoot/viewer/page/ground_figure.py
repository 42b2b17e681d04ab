# SPDX-License-Identifier: Apache-2.0
"""The ground with its friction: a grid where nothing more is known, strips of a known world with their coefficients."""

import numpy as np
import viser
from numpy.typing import NDArray

from surefoot.terrain.relief import Relief, height_map
from surefoot.terrain.world import GroundStrip, World
from surefoot.viewer.page import palette
from surefoot.viewer.page.shapes import Points, rods

SLIPPERY_BELOW = 0.3
"""Friction of ground that has the colour of ice."""
_TILE, _TILES = 0.8, 12
"""Between the lines of the grid, in parts of the stand height, and how many there are to each side."""
_HALF_WIDTH, _LOWER = 4.0, 0.002
"""m. Half of what a strip is shown across the way, and by how much lower than it is."""
_MOST_SAMPLES = 120
"""Of rough ground that are drawn along each side."""


def draw_ground(server: viser.ViserServer, name: str, world: World | None, scale: float) -> tuple[viser.MeshHandle, float]:
    """Draw the ground once.

    Args:
        server: of the scene.
        name: of its place in the scene.
        world: what is known of it; None on a real robot.
        scale: stand height of the robot, m.

    Returns:
        The grid, and the distance between its lines, m: whoever follows the robot moves it along.
    """
    tile = _TILE * scale
    vertices, faces = _grid(tile, 0.008 * scale)
    # It goes along in whole tiles: one never sees its end.
    grid = server.scene.add_mesh_simple(
        f"{name}/grid", vertices, faces, color=(205, 213, 219), side="double", cast_shadow=False, receive_shadow=False
    )
    if world is not None:
        _draw_world(server, name, world, scale)
    return grid, tile


def _grid(tile: float, width: float) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Lines in pieces of one tile: to a software renderer a triangle costs as much as the rectangle around it."""
    places = np.arange(-_TILES, _TILES + 1) * tile
    across, along = (values.reshape(-1) for values in np.meshgrid(places, places[:-1], indexing="ij"))
    half = 0.5 * width
    corners = ((-half, 0.0), (half, 0.0), (half, tile), (-half, tile))
    one_way = np.stack([np.column_stack((across + x, along + y, np.zeros_like(along))) for x, y in corners], axis=1)
    vertices = np.concatenate((one_way, one_way[:, :, (1, 0, 2)])).reshape(-1, 3)
    first = 4 * np.arange(len(vertices) // 4)[:, None]
    faces = np.concatenate((first + np.array((0, 1, 2)), first + np.array((0, 2, 3))))
    return vertices.astype(np.float32), faces.astype(np.uint32)


def _draw_world(server: viser.ViserServer, name: str, world: World, scale: float) -> None:
    for number, strip in enumerate(world.strips):
        colour = palette.SLIPPERY if strip.friction < SLIPPERY_BELOW else palette.GROUND
        vertices, faces = strip_solid(strip)
        server.scene.add_mesh_simple(
            f"{name}/strip_{number}", vertices, faces, color=palette.rgb(colour), side="double", flat_shading=True, cast_shadow=False,
        )  # fmt: skip
    for number, (text, place) in enumerate(ground_words(world, scale)):
        server.scene.add_label(f"{name}/words_{number}", text, position=place, anchor="bottom-center")
    edges = ground_edges(world)
    if len(edges):
        vertices, faces = rods([edges], 0.006 * scale)
        server.scene.add_mesh_simple(
            f"{name}/edges", vertices, faces, color=palette.rgb(palette.EDGE), side="double", flat_shading=True, cast_shadow=False
        )
    if world.relief is not None:
        vertices, faces = relief_surface(world.relief)
        server.scene.add_mesh_simple(
            f"{name}/relief", vertices, faces, color=palette.rgb(palette.GROUND), side="double", flat_shading=True, cast_shadow=False
        )


def ground_words(world: World, scale: float) -> list[tuple[str, tuple[float, float, float]]]:
    """What friction each part of the ground has, in words, and where they are said: x, y, z, m. scale: stand height of the robot, m."""
    over = 0.05 * scale
    words = []
    for strip in world.strips:
        middle = 0.5 * (strip.start + strip.end)
        words.append((f"friction {strip.friction:g}", (middle, 0.0, strip.height_at(middle) + over)))
    if world.relief is not None:
        ground = world.relief
        words.append((f"friction {ground.friction_low:g} to {ground.friction_high:g}", (0.5 * ground.extent, 0.0, ground.height + over)))
    return words


def ground_edges(world: World) -> Points:
    """What bounds surfaces that are not level ground, (n, 2, 3), m: from above nothing else tells a step."""
    edges = [edge for strip in world.strips for edge in _edges(strip)]
    return np.array(edges, np.float32).reshape(-1, 2, 3)


def _corners(strip: GroundStrip) -> list[tuple[float, float, float]]:
    """Of its surface, around."""
    ends = ((strip.start, strip.height), (strip.end, strip.height + strip.rise))
    return [(x, side * _HALF_WIDTH, height) for side, way in ((-1.0, ends), (1.0, ends[::-1])) for x, height in way]


def strip_solid(strip: GroundStrip) -> tuple[Points, NDArray[np.uint32]]:
    """The surface with walls to the level ground around, up or down: vertices, (n, 3), m, and triangles, (k, 3)."""
    # A little lower than it is, so that the lines of the grid lie on what is level.
    top = np.array(_corners(strip)) - (0.0, 0.0, _LOWER)
    foot = top * (1.0, 1.0, 0.0) - (0.0, 0.0, _LOWER)
    after = np.roll(np.arange(4), -1)
    walls = [face for a, b in zip(range(4), after, strict=True) for face in ((a, b, b + 4), (a, b + 4, a + 4))]
    level = strip.height == 0.0 == strip.rise
    faces = [(0, 1, 2), (0, 2, 3), *([] if level else walls)]
    return np.concatenate((top, foot)).astype(np.float32), np.array(faces, np.uint32)


def _edges(strip: GroundStrip) -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    corners = _corners(strip)
    return [] if strip.height == 0.0 == strip.rise else list(zip(corners, [*corners[1:], corners[0]], strict=True))


def relief_surface(relief: Relief, most: int = _MOST_SAMPLES) -> tuple[Points, NDArray[np.uint32]]:
    """Rough ground with at most so many samples along each side: vertices, (n, 3), m, and triangles, (k, 3)."""
    ground = height_map(relief)
    stride = max(1, -(-len(ground.coordinates) // most))
    along, heights = ground.coordinates[::stride], ground.heights[::stride, ::stride]
    x, y = np.meshgrid(along, along)
    across = len(along)
    corner = (np.arange(across - 1)[:, None] * across + np.arange(across - 1)).reshape(-1)
    near = np.column_stack((corner, corner + 1, corner + across))
    far = np.column_stack((corner + 1, corner + across + 1, corner + across))
    vertices = np.column_stack((x.ravel(), y.ravel(), heights.ravel()))
    return vertices.astype(np.float32), np.concatenate((near, far)).astype(np.uint32)
