# SPDX-License-Identifier: Apache-2.0
"""Lines and surfaces that stand for what is known: pure geometry, without anything that draws."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]
Points = NDArray[np.float32]

CONE_SIDES = 24
NINETY_FIVE_PERCENT = 2.796
"""Radius, in standard deviations, of the ellipsoid that holds 95 % of a Gaussian in three dimensions: the root of chi2(0.95, 3)."""
MOST_VARIANCE = 1e18
"""m^2; whoever knows a place to a million kilometres does not know it."""


class Ellipsoid(NamedTuple):
    """Half axes, (3,), m, and the rotation from their frame, quaternion w x y z, (4,)."""

    half_axes: Array
    wxyz: Array


def thinned(points: Points, most: int) -> Points:
    """A line of (k, 3) points with at most so many of them, its ends among them."""
    if len(points) <= most:
        return points
    kept: Points = points[np.unique(np.linspace(0, len(points) - 1, most).round().astype(int))]
    return kept


def segments(points: Points) -> Points:
    """A line of (k, 3) points as its pieces, (k - 1, 2, 3)."""
    return np.stack((points[:-1], points[1:]), axis=1) if len(points) > 1 else np.zeros((0, 2, 3), np.float32)


def dashes(points: Points, gap: float) -> Points:
    """A line of (k, 3) points as dashes and gaps of one length, m: every other piece, (n, 2, 3)."""
    if len(points) < 2:
        return np.zeros((0, 2, 3), np.float32)
    along = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))))
    if along[-1] <= 0.0:
        return np.zeros((0, 2, 3), np.float32)
    places = np.linspace(0.0, along[-1], max(2, 2 * math.ceil(along[-1] / (2.0 * gap))))
    even = np.stack([np.interp(places, along, points[:, axis]) for axis in range(3)], axis=1).astype(np.float32)
    return segments(even)[::2]


def cross(centre: Points, size: float) -> Points:
    """A mark that looks the same from every side: three strokes through a point (3,), m, (3, 2, 3)."""
    strokes = size * np.array(((1.0, 1.0, 1.0), (1.0, -1.0, 0.5), (-1.0, 0.3, 1.0)), np.float32)
    return np.stack((centre - strokes, centre + strokes), axis=1).astype(np.float32)


def rods(pieces: Sequence[Points], thickness: float) -> tuple[Points, NDArray[np.uint32]]:
    """Pieces of lines as one surface: a software renderer draws triangles many times faster than lines of a width.

    Args:
        pieces: each (n, 2, 3), m.
        thickness: half of the width of a ribbon, m.

    Returns:
        Vertices, (8 n, 3), m, and triangles, (4 n, 3): each piece two ribbons that cross, so that it is seen from every side.
    """
    ends = np.concatenate(pieces).astype(np.float64) if pieces else np.zeros((0, 2, 3))
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1)
    ends, along = ends[length > 1e-9], (along[length > 1e-9].T / length[length > 1e-9]).T
    steep = np.abs(along[:, 2]) > 0.9
    side = np.cross(along, np.where(steep[:, None], (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    side = side / np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(side, along)
    around = thickness * np.stack((up, -up, side, -side), axis=1)
    vertices = (ends[:, :, None, :] + around[:, None, :, :]).reshape(-1, 3).astype(np.float32)
    one = np.array(((0, 1, 4), (1, 5, 4), (2, 3, 6), (3, 7, 6)))
    faces = (8 * np.arange(len(ends))[:, None, None] + one[None]).reshape(-1, 3)
    return vertices, faces.astype(np.uint32)


def friction_cone(friction: float, height: float) -> tuple[Points, NDArray[np.uint32]]:
    """Vertices, (n, 3), m, and triangles of the cone of the forces that friction allows, its tip at the origin, opening along z."""
    turn = np.arange(CONE_SIDES) * (2.0 * np.pi / CONE_SIDES)
    radius = min(friction, 3.0) * height
    rim = np.column_stack((radius * np.cos(turn), radius * np.sin(turn), np.full(CONE_SIDES, height)))
    vertices = np.vstack((np.zeros((1, 3)), rim)).astype(np.float32)
    following = np.roll(np.arange(1, CONE_SIDES + 1), -1)
    faces = np.column_stack((np.zeros(CONE_SIDES), np.arange(1, CONE_SIDES + 1), following)).astype(np.uint32)
    return vertices, faces


def cone_use(force: Array, normal: Array, friction: float) -> float:
    """How much of the friction a force (3,), N, needs on a surface with this normal (3,): more than 1 slips; NaN without load."""
    pressing = float(force @ normal)
    if not pressing > 1e-6 or not friction > 0.0:
        return math.nan
    return float(np.linalg.norm(force - pressing * normal)) / (friction * pressing)


def covariance_ellipsoid(covariance: Array) -> Ellipsoid:
    """Where the base is with 95 %. Covariance (3, 3), m^2; what is not a number, absurd or negative counts as nothing."""
    largest = float(np.abs(covariance).max())
    # Of numbers beyond any sense there are no axes, though each of them is finite.
    if not largest <= MOST_VARIANCE:
        return Ellipsoid(np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0)))
    values, axes = np.linalg.eigh(0.5 * (covariance + covariance.T))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    return Ellipsoid(NINETY_FIVE_PERCENT * np.sqrt(np.clip(values, 0.0, None)), wxyz_of_rotation(axes))


def wxyz_of_rotation(rotation: Array) -> Array:
    """Quaternion w x y z of a rotation matrix, (3, 3)."""
    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    return np.array((w, x, y, z))


def wxyz(xyzw: Array) -> Array:
    """A quaternion x y z w in the order w x y z."""
    return np.array((xyzw[3], xyzw[0], xyzw[1], xyzw[2]))


def wxyz_between(start: Array, end: Array) -> Array:
    """The shortest rotation from one unit vector (3,) to another, quaternion w x y z."""
    axis, cosine = np.cross(start, end), float(start @ end)
    if cosine < -1.0 + 1e-9:
        other = np.cross(start, np.eye(3)[int(np.argmin(np.abs(start)))])
        return np.concatenate(([0.0], other / np.linalg.norm(other)))
    quaternion = np.concatenate(([1.0 + cosine], axis))
    return np.asarray(quaternion / np.linalg.norm(quaternion))


def wxyz_about(axis: Array, angle: float) -> Array:
    """The rotation by an angle, rad, about a unit axis (3,), quaternion w x y z."""
    return np.concatenate(([math.cos(0.5 * angle)], math.sin(0.5 * angle) * axis))
