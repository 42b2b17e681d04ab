# SPDX-License-Identifier: Apache-2.0
"""Nothing but feet on the ground."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings
from surefoot.traces.requirements.geometry import point_to_box, support

SAMPLES = 5
"""Balls along a shape that stand for it against a box of ground."""


class NonFootContact(Settings):
    """Of the body, hips, thighs and shins that have shapes."""

    give: Annotated[float, Field(ge=0.0, le=0.1)] = 0.0
    """Depth in the ground that is not held against a trace, in stand heights."""


def fill_non_foot_contact(limits: np.ndarray, model: RobotModel, parameters: NonFootContact) -> None:
    """Write what the judgement needs."""
    limits["ground_give"] = parameters.give * model.description.stand_height


@compiled
def ground_distance(shape: Any, ground: Any, position: Any, rotation: Any, near: float) -> float:
    """Distance of a shape from the ground, m, negative inside; `near` if it is farther.

    Planes are met exactly, boxes by balls along the shape.

    Args:
        shape: SHAPE. ground: GROUND records.
        position, rotation: of every geom of one particle, (n, 3) and (n, 9).
        near: m.
    """
    own, least = shape.geom, near
    for g in range(ground.shape[0]):
        there = ground[g].geom
        if ground[g].box == 0:
            x, y, z = rotation[there, 2], rotation[there, 5], rotation[there, 8]
            height = (
                (position[own, 0] - position[there, 0]) * x + (position[own, 1] - position[there, 1]) * y
                + (position[own, 2] - position[there, 2]) * z
            )  # fmt: skip
            if height - shape.bound < least:
                least = min(least, height - support(shape.kind, shape.half, shape.axis, rotation[own], x, y, z))
            continue
        centre, pose, piece, turn = position[own], rotation[own], position[there], rotation[there]
        away, _ = point_to_box(centre[0], centre[1], centre[2], piece, turn, ground[g].half)
        if away - shape.bound >= least:
            continue
        for k in range(SAMPLES):
            along = shape.segment * (2.0 * k / (SAMPLES - 1) - 1.0)
            x, y, z = pose[shape.axis] * along, pose[3 + shape.axis] * along, pose[6 + shape.axis] * along
            ball, _ = point_to_box(centre[0] + x, centre[1] + y, centre[2] + z, piece, turn, ground[g].half)
            least = min(least, ball - shape.radius)
    return least
