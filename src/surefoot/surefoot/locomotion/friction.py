# SPDX-License-Identifier: Apache-2.0
"""The friction that the policy counts on under each foot."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def friction_under_feet(ground: float | Array, shown: Array) -> Array:
    """Coulomb coefficient under each foot, (4,): that of the ground, or what the foot has shown where that is less.

    Args:
        ground: believed, under all feet or under each, (4,).
        shown: by each foot, (4,); NaN where it has shown nothing.
    """
    result: Array = np.fmin(ground, shown)
    return result
