# SPDX-License-Identifier: Apache-2.0
"""Contact forces in friction pyramids as sums of their corner rays, compiled.

Both stages of the convex contact model are complementarity problems of the rays once the bounds on motion and on torques are left out,
with matrices of the rank of the motion, or of motion and torques together: principal pivoting solves them with work that grows linearly
with the contacts [Zapolsky and Drumwright 2016, section 4.7]. The normal lies between the corners of a pyramid, so that where no corner
would dissipate any more, no contact approaches any more.
"""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.complementarity import PIVOT_LIMIT, SOLVED
from surefoot.contact.principal_pivoting import TOLERANCE, pivot

Array = NDArray[np.float64]

PENALTY = 100.0
"""Weight on what forces change in the motion against what they change in the torques, before it is squared."""
ROUNDS = 60
"""After which the motion has to be kept: each round brings it nearer by a factor of 3 at worst that was seen, mostly by 1000."""
KEPT = 1e-13
"""What of the motion may change, relative to the forces."""


@compiled
def rays_of(friction: Array, edges: int, usable: NDArray[np.bool_], rays: Array, owner: NDArray[np.int64], begin: NDArray[np.int64]) -> int:
    """Write the unit rays of all pyramids; returns how many there are.

    A contact without friction has its normal alone, one with infinite friction the normal and both directions of both tangents.

    Args:
        friction: coefficients, (c,), 0 to infinity.
        edges: of each pyramid.
        usable: contacts that have rays, (c,).
        rays: (most_rays, 3), written.
        owner: (most_rays,), contact of each, written.
        begin: (c + 1,), where those of each contact begin, written.
    """
    count = 0
    for contact in range(len(friction)):
        begin[contact], coefficient = count, friction[contact]
        endless = not coefficient < np.inf
        sides = 0 if not usable[contact] else 1 if coefficient == 0.0 else 5 if endless else edges
        for side in range(sides):
            owner[count], rays[count] = contact, 0.0
            if endless and side:
                rays[count, 1 + (side - 1) // 2] = 1.0 if side % 2 else -1.0
            else:
                angle, across = 2.0 * np.pi * side / edges, 0.0 if endless else coefficient
                rays[count, 0] = 1.0 / math.sqrt(1.0 + across * across)
                rays[count, 1], rays[count, 2] = across * rays[count, 0] * math.cos(angle), across * rays[count, 0] * math.sin(angle)
            count += 1
    begin[len(friction)] = count
    return count


@compiled
def push_rays(
    whitened: Array, drive: Array, friction: Array, edges: int, usable: NDArray[np.bool_], scale: float, force: Array
) -> tuple[int, int]:
    """Write forces f in the pyramids that minimise 1/2 |whitened^T f|^2 + drive^T f.

    Args:
        whitened: (3 c, p).
        drive: (3 c,).
        friction, edges, usable: see `rays_of`.
        scale: size of the numbers that the drive is the sum of.
        force: (3 c,), written in the axes of the contacts.

    Returns:
        Status and pivots of `principal_pivoting`.
    """
    most, size = max(edges, 5) * len(friction), whitened.shape[1]
    rays, owner, begin = np.empty((most, 3)), np.empty(most, np.int64), np.empty(len(friction) + 1, np.int64)
    count = rays_of(friction, edges, usable, rays, owner, begin)
    rows, offset = np.zeros((count, size)), np.zeros(count)
    for place in range(count):
        for axis in range(3):
            part, component = rays[place, axis], 3 * owner[place] + axis
            offset[place] += part * drive[component]
            for k in range(size):
                rows[place, k] += part * whitened[component, k]
    pressure, motion = np.empty(count), np.empty(size)
    status, pivots = pivot(rows, offset, np.empty(0, np.int64), scale, TOLERANCE, pressure, motion)
    force[:] = 0.0
    _add_up(rays, owner, usable, pressure, force)
    return status, pivots


@compiled
def least_torque(
    kept: Array, by_force: Array, start: Array, friction: Array, edges: int, usable: NDArray[np.bool_], previous: Array, force: Array
) -> tuple[int, int]:
    """Change forces in their pyramids, without a change of what they do along some directions, to where the torques are smallest.

    Minimises 1/2 |start + by_force (f - force)|^2 with kept f = kept force. The equality is a penalty, moved from round to round by what
    it leaves [method of multipliers, Hestenes 1969, Powell 1969]; the rays that press stay, so that a round is one linear system.

    Args:
        kept: orthonormal rows, (r, 3 c).
        by_force: torques by forces, (m, 3 c).
        start: torques of the forces as they are given, (m,).
        friction, edges, usable: see `rays_of`; the forces of the other contacts stay.
        previous: forces of the last answer, (3 c,), in the axes of the contacts: the search starts from their rays; zeros for none.
        force: (3 c,), in units that make the largest of the size of 1; written.

    Returns:
        Status and pivots of `principal_pivoting`; forces are NaN unless it is SOLVED.
    """
    most, torques, held = max(edges, 5) * len(friction), len(start), len(kept)
    rays, owner, begin = np.empty((most, 3)), np.empty(most, np.int64), np.empty(len(friction) + 1, np.int64)
    count = rays_of(friction, edges, usable, rays, owner, begin)
    rows, largest = np.zeros((count, held + torques)), 0.0
    # Kept directions have rows of the length of 1; torques are brought to the same size, divided by the penalty.
    for torque in range(torques):
        square = 0.0
        for component in range(by_force.shape[1]):
            square += by_force[torque, component] ** 2 if usable[component // 3] else 0.0
        largest = max(largest, square)
    if largest == 0.0:
        return SOLVED, 0
    unit = 1.0 / (PENALTY * math.sqrt(largest))
    base, target = np.zeros(held + torques), np.zeros(held)
    for torque in range(torques):
        base[held + torque] = unit * start[torque]
        for component in range(by_force.shape[1]):
            base[held + torque] -= unit * by_force[torque, component] * force[component] if usable[component // 3] else 0.0
    for j in range(held):
        for component in range(kept.shape[1]):
            target[j] += kept[j, component] * force[component] if usable[component // 3] else 0.0
    for place in range(count):
        for axis in range(3):
            part, component = rays[place, axis], 3 * owner[place] + axis
            if part != 0.0:
                for j in range(held):
                    rows[place, j] += part * kept[j, component]
                for torque in range(torques):
                    rows[place, held + torque] += unit * part * by_force[torque, component]
    warm = _rays_in(previous, friction, edges, begin)
    pressure, motion, offset = np.empty(count), np.empty(held + torques), np.empty(count)
    base[:held] = -target
    scale, pivots = np.abs(base).sum(), 0
    for _ in range(ROUNDS):
        for place in range(count):
            offset[place] = 0.0
            for j in range(held + torques):
                offset[place] += rows[place, j] * base[j]
        # What rounding makes of the large parts has to stay below what the torques add, which the penalty makes small.
        status, more = pivot(rows, offset, warm, scale, TOLERANCE / PENALTY**2, pressure, motion)
        pivots += more
        if status != SOLVED:
            force[:] = np.nan
            return status, pivots
        missed = 0.0
        for j in range(held):
            base[j] += motion[j] - target[j]
            missed = max(missed, abs(motion[j] - target[j]))
        if missed <= KEPT * (1.0 + scale):
            _add_up(rays, owner, usable, pressure, force)
            return SOLVED, pivots
        warm = np.flatnonzero(pressure)
    force[:] = np.nan
    return PIVOT_LIMIT, pivots


@compiled
def _rays_in(force: Array, friction: Array, edges: int, begin: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rays of which forces, (3 c,), can be the sum: for each contact at most three."""
    found, count = np.empty(3 * len(friction), np.int64), 0
    largest = 1e-9 * np.abs(force).max() if len(force) else 0.0
    for contact in range(len(friction)):
        first, last = begin[contact], begin[contact + 1]
        normal, tangent, other = force[3 * contact], force[3 * contact + 1], force[3 * contact + 2]
        if last == first or max(normal, math.hypot(tangent, other)) <= largest:
            continue
        if friction[contact] == 0.0 or not friction[contact] < np.inf:
            if normal > largest:
                found[count] = first
                count += 1
            for axis, part in ((0, tangent), (1, other)):
                if abs(part) > largest and last - first == 5:
                    found[count] = first + 1 + 2 * axis + (0 if part > 0.0 else 1)
                    count += 1
            continue
        # Between two neighbouring corners, and along the normal, which lies between the first of them and the one opposite.
        turn = (math.atan2(other, tangent) / (2.0 * np.pi)) % 1.0 * edges
        side, wide = int(turn), 2.0 * np.pi / edges
        before, after = side % edges, (side + 1) % edges
        length, angle = math.hypot(tangent, other) / friction[contact], (turn - side) * wide
        parts = length * math.sin(wide - angle) / math.sin(wide), length * math.sin(angle) / math.sin(wide)
        rest = normal - parts[0] - parts[1]
        if parts[0] > largest or rest > largest:
            found[count] = first + before
            count += 1
        if parts[1] > largest:
            found[count] = first + after
            count += 1
        if rest > largest:
            found[count] = first + (before + edges // 2) % edges
            count += 1
    return found[:count]


@compiled
def _add_up(rays: Array, owner: NDArray[np.int64], usable: NDArray[np.bool_], pressure: Array, force: Array) -> None:
    """Write the forces of the contacts that are usable."""
    for component in range(len(force)):
        if usable[component // 3]:
            force[component] = 0.0
    for place in range(len(pressure)):
        for axis in range(3):
            force[3 * owner[place] + axis] += pressure[place] * rays[place, axis]
