# SPDX-License-Identifier: Apache-2.0
"""Where the draws come from. One seed, one cloud: a particle's numbers depend on the seed and on its index alone."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import qmc

Array = NDArray[np.float64]

_AT_ONCE = 4096
"""Points of a sequence that are drawn together, even if some between them are not wanted."""


def stream(seed: int, particle: int, *purpose: int) -> np.random.Generator:
    """The random numbers of one particle for one purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(particle, *purpose)))


def uniforms(sampling: str, seed: int, indices: NDArray[np.int64], size: int) -> Array:
    """Numbers from 0 to 1, (n, size): a row for each particle.

    Args:
        sampling: "pseudorandom", or "sobol": point i of a scrambled sequence is particle i.
        seed: of the cloud.
        indices: of the particles, (n,).
        size: how many numbers a particle needs.
    """
    if sampling == "pseudorandom":
        return np.array([stream(seed, int(i), 0).random(size) for i in indices]).reshape(len(indices), size)
    first, last = int(indices.min()), int(indices.max())
    if last - first < _AT_ONCE:
        return _points(seed, size, first, last - first + 1)[indices - first]
    return np.concatenate([_points(seed, size, int(i), 1) for i in indices])


def _points(seed: int, size: int, first: int, count: int) -> Array:
    engine = _sequence(seed, size)
    engine.reset()
    if first > 0:
        engine.fast_forward(first)
    # The balance of the sequence is that of the whole cloud; here is only a part of it, so a power of two is asked for in its place.
    result: Array = engine.random(1 << (count - 1).bit_length())[:count]
    return result


@lru_cache(maxsize=4)
def _sequence(seed: int, size: int) -> qmc.Sobol:
    return qmc.Sobol(size, scramble=True, rng=np.random.default_rng(np.random.SeedSequence(seed)))


def truncated_normal(uniform: Array, low: Array | float, high: Array | float) -> Array:
    """Standard normal draws that never leave low to high, by the inverse of the truncated distribution.

    Args:
        uniform: in 0 to 1, any shape.
        low, high: standard deviations, numbers or of the same shape.
    """
    below = ndtr(low)
    # At the very ends of the distribution rounding would step over the limit.
    result: Array = np.clip(ndtri(below + uniform * (ndtr(high) - below)), low, high)
    return result
