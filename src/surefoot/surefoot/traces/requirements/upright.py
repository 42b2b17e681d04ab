# SPDX-License-Identifier: Apache-2.0
"""A robot that stands upright at the end."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from surefoot.robot.model import RobotModel
from surefoot.settings import Settings
from surefoot.traces.requirements.finished import FinishedTraces
from surefoot.traces.requirements.plugins import Condition


class Upright(Settings):
    """At the end of the trace."""

    largest_lean: Annotated[float, Field(gt=0.0, lt=1.57)] = 0.5
    """Angle between the body's up and the world's, rad."""


def make_upright(model: RobotModel, parameters: Upright) -> Condition:
    """Witness: rad that are left."""

    def witness(traces: FinishedTraces) -> NDArray[np.float64]:
        _, x, y, _ = traces.qpos[:, 3:7].T
        result: NDArray[np.float64] = parameters.largest_lean - np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0))
        return result

    return witness
