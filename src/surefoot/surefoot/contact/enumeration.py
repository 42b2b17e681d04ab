# SPDX-License-Identifier: Apache-2.0
"""All basic solutions of a small linear complementarity problem, one linear system for each choice of what may be positive."""

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.complementarity import is_complementary

Array = NDArray[np.float64]

LARGEST = 12
"""Variables; each more doubles the work, and two contacts with four-sided pyramids have as many."""


def complementary_solutions(matrix: Array, offset: Array) -> Array:
    """Every basic solution z of w = M z + q, w >= 0, z >= 0, z^T w = 0, (s, n), without repetitions [Zapolsky and Drumwright 2016, Alg. 3].

    Where a choice of positive variables leaves a singular system, the shortest of its solutions is taken. A problem with a segment of
    solutions is thus represented by points of it.

    Args:
        matrix: M, (n, n), n at most LARGEST: more gives no solution.
        offset: q, (n,).
    """
    size = len(offset)
    if size > LARGEST or not np.isfinite(matrix).all() or not np.isfinite(offset).all():
        return np.empty((0, size))
    masks = (np.arange(2**size)[:, np.newaxis] >> np.arange(size)) & 1 == 1
    # Rows and columns that are not chosen are those of the identity, so that all systems have one shape.
    both = masks[:, :, np.newaxis] & masks[:, np.newaxis, :]
    systems = np.where(both, matrix, 0.0) + (~masks)[:, :, np.newaxis] * np.eye(size)
    sides = np.where(masks, -offset, 0.0)
    candidates = np.empty((len(masks), size))
    regular = np.abs(np.linalg.det(systems)) > 1e-12
    candidates[regular] = np.linalg.solve(systems[regular], sides[regular, :, np.newaxis])[:, :, 0]
    candidates[~regular] = (np.linalg.pinv(systems[~regular], rcond=1e-10) @ sides[~regular, :, np.newaxis])[:, :, 0]
    largest = 1.0 + np.abs(candidates).max(axis=1, initial=0.0)
    likely = candidates.min(axis=1, initial=0.0) >= -1e-7 * largest
    found: list[Array] = []
    for candidate in candidates[likely]:
        if is_complementary(matrix, offset, candidate) and not any(np.allclose(candidate, other, atol=1e-9) for other in found):
            found.append(np.maximum(candidate, 0.0))
    return np.array(found).reshape(-1, size)


def nearest(candidates: Array, reference: Array) -> int | None:
    """Index of the row of candidates (s, k) that differs least from a reference (k,) in Euclid's norm; None without candidates."""
    if not len(candidates):
        return None
    return int(np.argmin(np.linalg.norm(candidates - reference, axis=1)))
