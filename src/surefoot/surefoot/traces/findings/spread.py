# SPDX-License-Identifier: Apache-2.0
"""Where the traces of a candidate end: scattered about one place, or parted into two [Zapolsky 2017, section 4.1.4].

A scatterer only spreads the outcomes; at a bifurcation they part, and the mean is where none of them is.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.findings.dip import dip
from surefoot.traces.outcome import SURVIVED, UNFINISHED, Outcomes

Array = NDArray[np.float64]

FALSE_ALARM = 0.05
"""How often outcomes with a single mode are said to have parted, at most, over all coordinates together: of evenly spread ones; of
normal ones less than one in a hundred. The price is that a group of less than a quarter of the traces is not seen.
"""
FEWEST = 12
"""Traces below which nothing is said about modes."""

COORDINATES = ("forward", "left", "yaw")
"""Along which modes are looked for: in the mean heading, m, and about the vertical, rad."""

_SIZES = np.array((12, 16, 20, 24, 32, 40, 60, 80, 120, 200, 400, 1000))
_LARGEST = np.array((0.4956, 0.5086, 0.5185, 0.5262, 0.5362, 0.5436, 0.5552, 0.5629, 0.5711, 0.5782, 0.5842, 0.5966))
"""Of the dip times the root of n, for evenly spread data: exceeded with the chance FALSE_ALARM / 3. By simulation, 200 000 draws
(60 000 of the three largest)."""


@dataclass(frozen=True)
class Parted:
    """Outcomes that part into two groups along one coordinate.

    Attributes:
        coordinate: which of COORDINATES.
        group: 0 or 1 for each trace that the spread is of, (n,); 0 is the lower one.
        centres: mean of each group relative to the mean of all, m or rad.
    """

    coordinate: str
    group: NDArray[np.int64]
    centres: tuple[float, float]


@dataclass(frozen=True)
class Spread:
    """Final base poses of the traces that went on to the end.

    Attributes:
        members: their places among the outcomes, (n,).
        mean: position in odom, m, and roll, pitch, yaw, rad, (6,); NaN if there are none.
        covariance: of those, (6, 6).
        parted: into two groups, if the dip test says so.
    """

    members: NDArray[np.int64]
    mean: Array
    covariance: Array
    parted: Parted | None


def largest_unimodal_dip(count: int) -> float:
    """Dip that evenly spread data exceed with the chance FALSE_ALARM / 3.

    Of all distributions with a single mode the uniform one has the largest dips, so the false alarms of the others are rarer; skewness or
    heavy tails are no sign of two modes.
    """
    return float(np.interp(count, _SIZES, _LARGEST) / np.sqrt(count))


def spread_of(outcomes: Outcomes) -> Spread:
    """The spread of one candidate's outcomes; traces that ended early have no final pose and are left out."""
    members = np.flatnonzero(np.isin(outcomes.verdict, (SURVIVED, UNFINISHED)))
    poses = final_poses(outcomes.base_path[members, -1].astype(np.float64))
    if len(members) == 0:
        return Spread(members, np.full(6, np.nan), np.full((6, 6), np.nan), None)
    mean = poses.mean(axis=0)
    covariance = np.cov(poses.T, ddof=1) if len(members) > 1 else np.zeros((6, 6))
    return Spread(members, mean, covariance, parted(_in_heading(poses, mean)))


def final_poses(pose: Array) -> Array:
    """Position and roll, pitch, yaw, (n, 6), of position and quaternion w x y z, (n, 7); yaws without a jump between them."""
    w, x, y, z = pose[:, 3:7].T
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    if len(yaw) > 0:
        middle = np.arctan2(np.sin(yaw).mean(), np.cos(yaw).mean())
        yaw = middle + (yaw - middle + np.pi) % (2.0 * np.pi) - np.pi
    return np.column_stack((pose[:, :3], roll, pitch, yaw))


def parted(coordinates: Array) -> Parted | None:
    """The two groups of outcomes, or None where a single mode explains them.

    Args:
        coordinates: one column for each of COORDINATES, (n, 3).
    """
    count = len(coordinates)
    if count < FEWEST:
        return None
    dips = [dip(column) if np.ptp(column) > 0.0 else 0.0 for column in coordinates.T]
    best = int(np.argmax(dips))
    if dips[best] <= largest_unimodal_dip(count):
        return None
    values = coordinates[:, best]
    group = _two_groups(values)
    centres = tuple(float(values[group == side].mean() - values.mean()) for side in (0, 1))
    return Parted(COORDINATES[best], group, (centres[0], centres[1]))


def _two_groups(values: Array) -> NDArray[np.int64]:
    """The split of values (n,) that leaves the least variance within its halves."""
    order = np.sort(values)
    sums, total = np.cumsum(order)[:-1], order.sum()
    count = np.arange(1, len(order))
    between = (sums * len(order) - count * total) ** 2 / (count * (len(order) - count))
    cut = int(np.argmax(between))
    result: NDArray[np.int64] = (values > 0.5 * (order[cut] + order[cut + 1])).astype(np.int64)
    return result


def _in_heading(poses: Array, mean: Array) -> Array:
    """Forward, left and yaw relative to the mean, (n, 3)."""
    x, y, yaw = (poses[:, i] - mean[i] for i in (0, 1, 5))
    cosine, sine = np.cos(mean[5]), np.sin(mean[5])
    result: Array = np.stack((cosine * x + sine * y, -sine * x + cosine * y, yaw), axis=1)
    return result
