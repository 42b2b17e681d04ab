# SPDX-License-Identifier: Apache-2.0
"""Links that are no neighbours stay clear of each other.

The physics lets links pass through each other, so this is seen here alone.
"""

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings
from surefoot.traces.requirements.geometry import BOX, shape_distance


class SelfCollision(Settings):
    """Of every pair of links with shapes, but for neighbours and those that are close by construction."""

    give: Annotated[float, Field(ge=0.0, le=0.1)] = 0.01
    """Overlap that is not held against a trace, in stand heights: the shapes are coarse."""


def fill_self_collision(limits: np.ndarray, model: RobotModel, parameters: SelfCollision) -> None:
    """Write what the judgement needs."""
    limits["self_give"] = parameters.give * model.description.stand_height


@compiled
def self_distance(shapes: Any, links: Any, pairs: Any, position: Any, rotation: Any, near: float) -> float:
    """Least distance of two links, m; `near` if all are farther apart.

    Args:
        shapes, links, pairs: see `shapes.Shapes`.
        position, rotation: of every geom of one particle, (n, 3) and (n, 9).
        near: m.
    """
    least = near
    for p in range(pairs.shape[0]):
        first, second = pairs[p].first_geom, pairs[p].second_geom
        x, y, z = (
            position[first, 0] - position[second, 0], position[first, 1] - position[second, 1], position[first, 2] - position[second, 2]
        )  # fmt: skip
        if x * x + y * y + z * z >= pairs[p].far:
            continue
        one, two = links[pairs[p].first], links[pairs[p].second]
        if shapes[one.first].kind == BOX and one.last - one.first == 1:
            # The sphere about a long box is large; its faces tell more.
            outside = 0.0
            for i in range(3):
                beyond = abs(x * rotation[first, i] + y * rotation[first, 3 + i] + z * rotation[first, 6 + i]) - shapes[one.first].half[i]
                outside += beyond * beyond if beyond > 0.0 else 0.0
            clear = max(0.0, two.bound + least)
            if outside > 0.0 and outside >= clear * clear:
                continue
        for i in range(one.first, one.last):
            for j in range(two.first, two.last):
                if _closer(position, shapes[i].geom, shapes[j].geom, shapes[i].bound + shapes[j].bound + least):
                    least = min(least, shape_distance(shapes[i], shapes[j], position, rotation, least))
    return least


@compiled
def _closer(position: Any, one: int, two: int, distance: float) -> bool:
    x, y, z = position[one, 0] - position[two, 0], position[one, 1] - position[two, 1], position[one, 2] - position[two, 2]
    return bool(distance > 0.0 and x * x + y * y + z * z < distance * distance)


@compiled
def clearance_witness(distance: float, give: float, near: float) -> float:
    """Room in parts of `near`, beyond which nothing is told apart."""
    return (distance + give) / near
