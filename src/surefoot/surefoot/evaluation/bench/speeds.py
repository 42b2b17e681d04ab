# SPDX-License-Identifier: Apache-2.0
"""At what speed each robot is measured."""

from collections.abc import Mapping

from surefoot.robot.model import RobotModel

_SPEEDS: Mapping[str, Mapping[str, float]] = {
    "links": {"walk": 0.1, "trot": 0.2},
    "solo12": {"walk": 0.2, "trot": 0.2},
}
_OTHERS = {"walk": 0.3, "trot": 0.3}


def speeds_of(model: RobotModel) -> Mapping[str, float]:
    """Forward speed by gait, m/s, in the order in which the gaits are measured."""
    return _SPEEDS.get(model.description.name, _OTHERS)
