# SPDX-License-Identifier: Apache-2.0
"""The library's own requirements, all of which are judged in one compiled pass [Zapolsky 2017, Table 4]."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.settings import Settings
from surefoot.traces.requirements.base_height import BaseHeight, fill_base_height
from surefoot.traces.requirements.joint_range import JointRange, fill_joint_range
from surefoot.traces.requirements.non_foot_contact import NonFootContact, fill_non_foot_contact
from surefoot.traces.requirements.policy import PolicyAnswers, fill_nothing
from surefoot.traces.requirements.reach import Reach, fill_reach
from surefoot.traces.requirements.records import LIMITS
from surefoot.traces.requirements.scuff import Scuff, fill_scuff
from surefoot.traces.requirements.self_collision import SelfCollision, fill_self_collision
from surefoot.traces.requirements.shapes import FOOT_LINKS, LINKS, NEAR
from surefoot.traces.requirements.stub import Stub, fill_stub
from surefoot.traces.requirements.tilt import Tilt, fill_pitch, fill_roll
from surefoot.traces.requirements.torque_speed import TorqueSpeed, fill_torque_speed

SLIP_SPEED = 0.04
"""Speed of a foot's touching point from which it slips, in parts of the speed of a fall from the stand height without its root of two."""

JOINTS, FEET = 12, len(FOOT_LINKS)


@dataclass(frozen=True)
class BuiltIn:
    """A requirement of the library.

    Attributes:
        parameters: what can be chosen about it.
        fill: writes what the compiled pass needs into a LIMITS record.
        conditions: how many single conditions it stands for [Zapolsky 2017, Table 4], neighbours among the links included.
    """

    parameters: type[Settings]
    fill: Callable[[np.ndarray, RobotModel, Any], None]
    conditions: int


BUILT_IN: dict[str, BuiltIn] = {
    "roll": BuiltIn(Tilt, fill_roll, 1),
    "pitch": BuiltIn(Tilt, fill_pitch, 1),
    "base_height": BuiltIn(BaseHeight, fill_base_height, 1),
    "joint_range": BuiltIn(JointRange, fill_joint_range, JOINTS),
    "ground_found": BuiltIn(PolicyAnswers, fill_nothing, 1),
    "controller": BuiltIn(PolicyAnswers, fill_nothing, 1),
    "reach": BuiltIn(Reach, fill_reach, 1),
    "torque_speed": BuiltIn(TorqueSpeed, fill_torque_speed, JOINTS),
    "self_collision": BuiltIn(SelfCollision, fill_self_collision, math.comb(LINKS, 2)),
    "non_foot_contact": BuiltIn(NonFootContact, fill_non_foot_contact, LINKS - FEET),
    "scuff": BuiltIn(Scuff, fill_scuff, FEET),
    "stub": BuiltIn(Stub, fill_stub, FEET),
}
"""In the order in which they are judged: where two are violated at the same tick, the first one has ended the trace."""

COLUMN = {name: column for column, name in enumerate(BUILT_IN)}

TABLE_4 = ("roll", "pitch", "reach", "torque_speed", "joint_range", "self_collision", "non_foot_contact", "scuff")
"""The limits of the source's table; scuff and stub are its one condition on each foot."""


def limits_record(model: RobotModel, chosen: Mapping[str, Settings], deepest_start: float) -> np.ndarray:
    """An array of one LIMITS record.

    Args:
        model: the believed robot.
        chosen: parameters of the library's requirements that hold, by name.
        deepest_start: how deep in the ground a particle may start, in stand heights.
    """
    record = np.zeros(1, LIMITS)
    description = model.description
    height = description.stand_height
    record["period"], record["foot_force_threshold"] = 1.0 / description.control.rate, description.control.foot_force_threshold
    record["slip_speed"] = SLIP_SPEED * math.sqrt(GRAVITY * height)
    record["near"], record["deepest_start"] = NEAR * height, deepest_start * height
    for column, (name, requirement) in enumerate(BUILT_IN.items()):
        # What is not asked for has its limits all the same: events are told by them.
        requirement.fill(record, model, chosen.get(name, requirement.parameters()))
        record["on"][0, column] = name in chosen
    return record
