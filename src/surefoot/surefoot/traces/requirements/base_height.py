# SPDX-License-Identifier: Apache-2.0
"""How low the body may come."""

from typing import Annotated

import numpy as np
from pydantic import Field

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings


class BaseHeight(Settings):
    """Of the base origin above the ground."""

    lowest: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.6
    """In stand heights."""


def fill_base_height(limits: np.ndarray, model: RobotModel, parameters: BaseHeight) -> None:
    """Write what the judgement needs."""
    limits["lowest_base"] = parameters.lowest * model.description.stand_height


@compiled
def base_height_witness(height: float, lowest: float) -> float:
    """Room above the limit in parts of it."""
    return height / lowest - 1.0
