# SPDX-License-Identifier: Apache-2.0
"""What each foot has shown of the friction under it: it held at one ratio of tangential to normal force, and slipped at another."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]

LEAST_SLIP = 0.02
"""s of slip that a foot has to show before anything is believed of it."""


@compiled
def note_friction(state: Any, parameters: Any, leg: int, stands: bool, step: float) -> None:
    """Remember, for a while, what a foot in contact shows; one that has just come down or hardly bears load shows nothing.

    What it shows last counts: feet come to other ground, and a foot that rolls over an edge moves as one that slips.

    Args:
        state: record of FILTER_STATE; its slip_ratio and slip_time change.
        parameters: record of FILTER_PARAMETERS.
        leg: index of the foot.
        stands: whether the foot moves as one that rolls.
        step: since the last sample of the joints, s.
    """
    state.slip_time[leg] *= math.exp(-step / parameters.friction_memory)
    if state.load[leg] < 2.0 * parameters.contact_begin or state.loaded_for[leg] < parameters.settling_time:
        return
    if stands:
        if state.load_ratio[leg] > state.slip_ratio[leg]:
            # It holds more than it slipped at: that was an edge that it rolled over, or other ground.
            state.slip_time[leg], state.slip_ratio[leg] = 0.0, 0.0
    else:
        state.slip_time[leg] += step
        state.slip_ratio[leg] += (state.load_ratio[leg] - state.slip_ratio[leg]) * step / state.slip_time[leg]


def believed_friction(slip_ratio: Array, slip_time: Array) -> Array:
    """Coulomb coefficient of each foot, (4,): the ratio of forces while it slipped, NaN where it did not slip for long enough of late."""
    result: Array = np.where(slip_time >= LEAST_SLIP, slip_ratio, np.nan)
    return result
