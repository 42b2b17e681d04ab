# SPDX-License-Identifier: Apache-2.0
"""Hartigan's dip: how far data are from any distribution with a single mode [Hartigan and Hartigan 1985; Hartigan 1985, AS 217]."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]


def dip(data: Array) -> float:
    """Largest distance of the empirical distribution of data (n,) from the nearest one with a single mode, 1 / (2 n) to 1 / 4."""
    ordered = np.sort(data)
    if len(ordered) < 2 or ordered[0] == ordered[-1]:
        return 0.0 if len(ordered) == 0 else 0.5 / len(ordered)
    return float(_dip(ordered, *(np.zeros(len(ordered) + 2, np.int64) for _ in range(4))))


@compiled
def _dip(x: Any, gcm: Any, lcm: Any, mn: Any, mj: Any) -> float:
    """AS 217, for ordered data that are not all the same; counted from 0, distances in parts of 1 / n until the end."""
    n = x.shape[0]
    _knots_of_minorant(x, mn)
    _knots_of_majorant(x, mj)
    low, high, result = 0, n - 1, 1.0
    while True:
        last_gcm, last_lcm = 0, 0
        gcm[0], lcm[0] = high, low
        while gcm[last_gcm] > low:
            gcm[last_gcm + 1] = mn[gcm[last_gcm]]
            last_gcm += 1
        while lcm[last_lcm] < high:
            lcm[last_lcm + 1] = mj[lcm[last_lcm]]
            last_lcm += 1
        ig, ih = last_gcm, last_lcm
        ix, iv = last_gcm - 1, 1
        distance = 1.0
        if last_gcm != 1 or last_lcm != 1:
            distance = 0.0
            while True:
                left, right = gcm[ix], lcm[iv]
                if left > right:
                    before = gcm[ix + 1]
                    gap = (right - before + 1) - (x[right] - x[before]) * (left - before) / (x[left] - x[before])
                    iv += 1
                    if gap >= distance:
                        distance, ig, ih = gap, ix + 1, iv - 1
                else:
                    before = lcm[iv - 1]
                    gap = (x[left] - x[before]) * (right - before) / (x[right] - x[before]) - (left - before - 1)
                    ix -= 1
                    if gap >= distance:
                        distance, ig, ih = gap, ix + 1, iv
                ix, iv = max(ix, 0), min(iv, last_lcm)
                if gcm[ix] == lcm[iv]:
                    break
        if distance < result:
            break
        for j in range(ig, last_gcm):
            result = max(result, _bulge(x, gcm[j + 1], gcm[j], 1.0))
        for j in range(ih, last_lcm):
            result = max(result, _bulge(x, lcm[j], lcm[j + 1], -1.0))
        if low == gcm[ig] and high == lcm[ih]:
            break
        low, high = gcm[ig], lcm[ih]
    return float(result / (2.0 * n))


@compiled
def _knots_of_minorant(x: Any, mn: Any) -> None:
    """For each datum, the one before it on the greatest convex minorant."""
    mn[0] = 0
    for j in range(1, x.shape[0]):
        mn[j] = j - 1
        while True:
            a = mn[j]
            b = mn[a]
            if a == 0 or (x[j] - x[a]) * (a - b) < (x[a] - x[b]) * (j - a):
                break
            mn[j] = b


@compiled
def _knots_of_majorant(x: Any, mj: Any) -> None:
    """For each datum, the one after it on the least concave majorant."""
    n = x.shape[0]
    mj[n - 1] = n - 1
    for k in range(n - 2, -1, -1):
        mj[k] = k + 1
        while True:
            a = mj[k]
            b = mj[a]
            if a == n - 1 or (x[k] - x[a]) * (a - b) < (x[a] - x[b]) * (k - a):
                break
            mj[k] = b


@compiled
def _bulge(x: Any, begin: int, end: int, sign: float) -> float:
    """Largest distance of the data above (sign 1) or below (-1) the chord between two of them, in steps; 1 at least."""
    most = 1.0
    if end - begin > 1 and x[end] != x[begin]:
        slope = (end - begin) / (x[end] - x[begin])
        for j in range(begin, end + 1):
            chord = (x[j] - x[begin]) * slope
            most = max(most, (j - begin + 1) - chord if sign > 0.0 else chord - (j - begin - 1))
    return most
