# SPDX-License-Identifier: Apache-2.0
"""How much noise there is on a recording."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def white_noise(values: Array) -> float:
    """Standard deviation of white noise on something that is smooth at most of its samples, (n,); zero for less than three."""
    return float(1.4826 * np.median(np.abs(np.diff(values, n=2))) / np.sqrt(6.0)) if len(values) > 2 else 0.0
