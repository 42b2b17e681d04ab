# SPDX-License-Identifier: Apache-2.0
"""A robot with all of its feet on the other side of something."""

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.model import RobotModel
from surefoot.settings import Settings
from surefoot.traces.requirements.finished import FinishedTraces
from surefoot.traces.requirements.plugins import Condition


class FeetBeyond(Settings):
    """At the end of the trace [Zapolsky 2017, section 4.3.2: over the curb]."""

    x: float = 0.0
    """Of odom, that all feet have to be beyond, m."""


def make_feet_beyond(model: RobotModel, parameters: FeetBeyond) -> Condition:
    """Witness: how far the last foot is beyond, m."""

    def witness(traces: FinishedTraces) -> NDArray[np.float64]:
        result: NDArray[np.float64] = traces.feet[:, :, 0].min(axis=1) - parameters.x
        return result

    return witness
