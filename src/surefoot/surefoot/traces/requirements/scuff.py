# SPDX-License-Identifier: Apache-2.0
"""Swinging feet that drag along the ground."""

from typing import Annotated

import numpy as np
from pydantic import Field

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings


class Scuff(Settings):
    """Of each foot in its swing."""

    longest: Annotated[float, Field(gt=0.0, le=1.0)] = 0.1
    """How far a foot in its swing may slide under load, in stand heights: it takes a moment to lift off, and it may land early."""


def fill_scuff(limits: np.ndarray, model: RobotModel, parameters: Scuff) -> None:
    """Write what the judgement needs."""
    limits["longest_scuff"] = parameters.longest * model.description.stand_height


@compiled
def scuff_witness(scuffed: float, longest: float) -> float:
    """Way that is left in parts of the longest."""
    return 1.0 - scuffed / longest
