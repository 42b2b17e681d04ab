# SPDX-License-Identifier: Apache-2.0
"""Swinging feet that run into something."""

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from surefoot.robot.model import RobotModel
from surefoot.settings import Settings


class Stub(Settings):
    """Of each foot in its swing."""

    steepest: Annotated[float, Field(ge=0.0, lt=1.57)] = 0.8
    """Angle above the horizontal, rad, from which a push is one from below, as of ground that is stepped on."""
    give: Annotated[float, Field(ge=0.0, le=0.1)] = 0.0
    """Depth that is not held against a trace, in stand heights."""


def fill_stub(limits: np.ndarray, model: RobotModel, parameters: Stub) -> None:
    """Write what the judgement needs."""
    limits["steepest_touch"] = math.sin(parameters.steepest)
    limits["stub_give"] = parameters.give * model.description.stand_height
