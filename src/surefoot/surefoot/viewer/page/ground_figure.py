# SPDX-License-Identifier: Apache-2.0
"""The ground with its friction: a grid where nothing more is known, strips of a known world with their coefficients."""

import numpy as np
import viser
from numpy.typing import NDArray

from surefoot.terrain.relief import Relief, height_map
from surefoot.terrain.world import GroundStrip, World
from surefoot.viewer.page import palette
from surefoot.viewer.page.shapes import Points, rods

Place = tuple[float, float, float]

TILE_WORDS = 0.1
"""Height of the words on a tile, in parts of the stand height."""
_TILE, _TILES = 0.8, 12
"""Between the lines of the grid, in parts of the stand height, and how many there are to each side."""
_HALF_WIDTH, _LOWER = 4.0, 0.002
"""m. Half of what a strip is shown across the way, and by how much lower than it is."""
_MOST_SAMPLES = 120
"""Of rough ground that are drawn along each side."""
_SHADE, _MOST_SHADES, _MOST_TILE_WORDS = 0.02, 12, 8
"""Of friction: the least that is drawn apart, and how many shades; and how many tiles along each side say theirs."""
_BESIDE = (-2.0, -1.7)
"""x and y from the robot at which the friction of the ground is said, in parts of the stand height: clear of what its feet say, also on
a phone."""


class GroundFigure:
    """Draws the ground once; its grid, and the word of the friction where the robot is, go along with the robot.

    Args:
        server: of the scene.
        name: of its place in the scene.
        world: what is known of it; None on a real robot.
        scale: stand height of the robot, m.
    """

    def __init__(self, server: viser.ViserServer, name: str, world: World | None, scale: float) -> None:
        self._tile, self._scale = _TILE * scale, scale
        vertices, faces = _grid(self._tile, 0.008 * scale)
        self._grid = server.scene.add_mesh_simple(
            f"{name}/grid", vertices, faces, color=(205, 213, 219), side="double", cast_shadow=False, receive_shadow=False
        )
        self._at = (0.0, 0.0)
        self._friction: FrictionHere | None = None
        if world is not None:
            _draw_world(server, name, world, scale)
            self._friction = FrictionHere(world, scale)
            words, place = self._friction.words(0.0, 0.0)
            self._here = server.scene.add_label(f"{name}/here", words, position=place, anchor="center-center")

    def follow(self, x: float, y: float) -> None:
        """Go along with a robot at a place of odom, m: in whole tiles, so that one never sees an end of the grid."""
        at = (self._tile * round(x / self._tile), self._tile * round(y / self._tile))
        if at == self._at:
            return
        self._at = at
        self._grid.position = (*at, 0.0)
        if self._friction is not None:
            self._here.text, self._here.position = self._friction.words(*at)


class FrictionHere:
    """Says which friction the ground beside a robot has.

    Args:
        world: what is known of the ground.
        scale: stand height of the robot, m.
    """

    def __init__(self, world: World, scale: float) -> None:
        self._world, self._scale = world, scale
        self._relief = None if world.relief is None else height_map(world.relief)

    def words(self, x: float, y: float) -> tuple[str, Place]:
        """The words, and where beside a robot at a place of odom they are said, m."""
        x, y = x + _BESIDE[0] * self._scale, y + _BESIDE[1] * self._scale
        friction = None if self._relief is None else self._relief.friction_at(x, y)
        if friction is None:
            friction = self._world.friction_at(x)
        return f"friction here {friction:.2g}", (x, y, self._world.height_at(x))


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
        vertices, faces = strip_solid(strip)
        server.scene.add_mesh_simple(
            f"{name}/strip_{number}", vertices, faces, color=palette.friction_rgb(strip.friction), side="double", flat_shading=True,
            cast_shadow=False,
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
        vertices, faces, friction = relief_surface(world.relief)
        step = max(_SHADE, np.ptp(friction) / _MOST_SHADES)
        shades = np.round(friction / step).astype(int)
        for shade in np.unique(shades):
            server.scene.add_mesh_simple(
                f"{name}/relief_{shade}", vertices, faces[shades == shade], color=palette.friction_rgb(shade * step), side="double",
                flat_shading=True, cast_shadow=False,
            )  # fmt: skip
        # As large as in the world: far away they are small, and do not lie on each other.
        for number, (text, place) in enumerate(tile_words(world.relief, scale)):
            server.scene.add_label(
                f"{name}/tile_{number}", text, position=place, anchor="center-center", font_size_mode="scene",
                font_scene_height=TILE_WORDS * scale, depth_test=True,
            )  # fmt: skip


def ground_words(world: World, scale: float) -> list[tuple[str, Place]]:
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


def tile_words(relief: Relief, scale: float) -> list[tuple[str, Place]]:
    """The friction of tiles of rough ground, evenly chosen, and where it is said: x, y, z, m. scale: stand height of the robot, m."""
    ground = height_map(relief)
    every = -(-relief.tiles_across // _MOST_TILE_WORDS)
    chosen = range(every // 2, relief.tiles_across, every)
    over = relief.height + 0.5 * TILE_WORDS * scale
    return [(f"{ground.friction[row, column]:.2f}", (*ground.centre(row, column), over)) for row in chosen for column in chosen]


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


def relief_surface(relief: Relief, most: int = _MOST_SAMPLES) -> tuple[Points, NDArray[np.uint32], NDArray[np.float64]]:
    """Rough ground with at most so many samples along each side.

    Returns:
        Vertices, (n, 3), m, triangles, (k, 3), and their friction, (k,).
    """
    ground = height_map(relief)
    stride = max(1, -(-len(ground.coordinates) // most))
    along, heights = ground.coordinates[::stride], ground.heights[::stride, ::stride]
    x, y = np.meshgrid(along, along)
    across = len(along)
    corner = (np.arange(across - 1)[:, None] * across + np.arange(across - 1)).reshape(-1)
    near = np.column_stack((corner, corner + 1, corner + across))
    far = np.column_stack((corner + 1, corner + across + 1, corner + across))
    vertices = np.column_stack((x.ravel(), y.ravel(), heights.ravel()))
    middle = 0.5 * (along[:-1] + along[1:])
    tile = np.clip(((middle - ground.coordinates[0]) / ground.side).astype(int), 0, len(ground.friction) - 1)
    friction = ground.friction[tile[:, None], tile].reshape(-1)
    return vertices.astype(np.float32), np.concatenate((near, far)).astype(np.uint32), np.concatenate((friction, friction))
