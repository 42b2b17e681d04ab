# SPDX-License-Identifier: Apache-2.0
"""The ground with its friction: a grid where nothing more is known, strips of a known world with their coefficients."""

import numpy as np
import viser
from numpy.typing import NDArray

from surefoot.terrain.relief import Relief, height_map
from surefoot.terrain.world import GroundStrip, World
from surefoot.viewer.page import palette
from surefoot.viewer.page.shapes import rods

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
        colour = palette.SLIPPERY if strip.friction < 0.3 else palette.GROUND
        vertices, faces = _solid(strip)
        server.scene.add_mesh_simple(
            f"{name}/strip_{number}", vertices, faces, color=palette.rgb(colour), side="double", flat_shading=True, cast_shadow=False,
        )  # fmt: skip
        middle = 0.5 * (strip.start + strip.end)
        server.scene.add_label(
            f"{name}/strip_{number}_name", f"friction {strip.friction:g}", position=(middle, 0.0, strip.height_at(middle) + 0.05 * scale),
            anchor="bottom-center",
        )  # fmt: skip
    edges = [edge for strip in world.strips for edge in _edges(strip)]
    if edges:
        vertices, faces = rods([np.array(edges, np.float32)], 0.006 * scale)
        server.scene.add_mesh_simple(
            f"{name}/edges", vertices, faces, color=palette.rgb(palette.EDGE), side="double", flat_shading=True, cast_shadow=False
        )
    if world.relief is not None:
        _draw_relief(server, f"{name}/relief", world.relief)


def _corners(strip: GroundStrip) -> list[tuple[float, float, float]]:
    """Of its surface, around."""
    ends = ((strip.start, strip.height), (strip.end, strip.height + strip.rise))
    return [(x, side * _HALF_WIDTH, height) for side, way in ((-1.0, ends), (1.0, ends[::-1])) for x, height in way]


def _solid(strip: GroundStrip) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The surface with walls to the level ground around, up or down."""
    # A little lower than it is, so that the lines of the grid lie on what is level.
    top = np.array(_corners(strip)) - (0.0, 0.0, _LOWER)
    foot = top * (1.0, 1.0, 0.0) - (0.0, 0.0, _LOWER)
    after = np.roll(np.arange(4), -1)
    walls = [face for a, b in zip(range(4), after, strict=True) for face in ((a, b, b + 4), (a, b + 4, a + 4))]
    level = strip.height == 0.0 == strip.rise
    faces = [(0, 1, 2), (0, 2, 3), *([] if level else walls)]
    return np.concatenate((top, foot)).astype(np.float32), np.array(faces, np.uint32)


def _edges(strip: GroundStrip) -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    """What bounds a surface that is not level ground: from above nothing else tells a step."""
    corners = _corners(strip)
    return [] if strip.height == 0.0 == strip.rise else list(zip(corners, [*corners[1:], corners[0]], strict=True))


def _draw_relief(server: viser.ViserServer, name: str, relief: Relief) -> None:
    ground = height_map(relief)
    stride = max(1, -(-len(ground.coordinates) // _MOST_SAMPLES))
    along, heights = ground.coordinates[::stride], ground.heights[::stride, ::stride]
    x, y = np.meshgrid(along, along)
    across = len(along)
    corner = (np.arange(across - 1)[:, None] * across + np.arange(across - 1)).reshape(-1)
    near = np.column_stack((corner, corner + 1, corner + across))
    far = np.column_stack((corner + 1, corner + across + 1, corner + across))
    server.scene.add_mesh_simple(
        name, np.column_stack((x.ravel(), y.ravel(), heights.ravel())), np.concatenate((near, far)), color=palette.rgb(palette.GROUND),
        side="double", flat_shading=True, cast_shadow=False,
    )  # fmt: skip
