# SPDX-License-Identifier: Apache-2.0
"""A policy that still has an answer."""

import numpy as np

from surefoot.compilation import compiled
from surefoot.gait.modes import NO_FAULT
from surefoot.locomotion.compiled.records import FAILED
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings


class PolicyAnswers(Settings):
    """No numbers to choose: the planner has no fault, or the controller an answer."""


def fill_nothing(limits: np.ndarray, model: RobotModel, parameters: PolicyAnswers) -> None:
    """There is nothing to write."""


@compiled
def ground_found_witness(fault: int) -> float:
    """1, or -1 where a foot looked for the ground in vain."""
    return 1.0 if fault == NO_FAULT else -1.0


@compiled
def controller_witness(status: int) -> float:
    """1, or -1 where the controller found no torques."""
    return 1.0 if status != FAILED else -1.0
