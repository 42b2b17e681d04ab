# SPDX-License-Identifier: Apache-2.0
"""What every trace must hold: witness functions, positive while the requirement holds [Zapolsky 2017, section 5.1, Table 4]."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.locomotion.compiled.records import FAILED
from surefoot.robot.model import RobotModel

Array = NDArray[np.float64]

DIVERGED = "diverged"
"""The trace's own numbers broke down: never a success."""


@dataclass(frozen=True)
class TraceView:
    """The particles of a trace at one tick, as requirements see them.

    Attributes:
        base_position: above the believed ground, (n, 3), m.
        roll, pitch: (n,), rad.
        velocity: of the base, axes of the world, (n, 3), m/s.
        joint_position: (n, 12), rad.
        planner: n PLANNER records.
        control: n CONTROL records.
    """

    base_position: Array
    roll: Array
    pitch: Array
    velocity: Array
    joint_position: Array
    planner: np.ndarray
    control: np.ndarray


Witness = Callable[[TraceView], Array]
"""Distance to the limit in parts of the limit, (n,); negative where the requirement is violated."""


@dataclass(frozen=True)
class Requirement:
    """A named condition that must hold at every tick."""

    name: str
    witness: Witness


def standard_requirements(model: RobotModel, largest_tilt: float = 0.6, lowest_height: float = 0.6) -> tuple[Requirement, ...]:
    """What a robot that walks must hold.

    Args:
        model: the believed robot.
        largest_tilt: of roll and of pitch, rad; the source states no number.
        lowest_height: of the base, in parts of the stand height.
    """
    floor = lowest_height * model.description.stand_height
    lower, upper = model.position_lower, model.position_upper

    def joint_range(view: TraceView) -> Array:
        # Simulated joint stops are soft: a twentieth of a radian of give is theirs.
        room = np.minimum(view.joint_position - lower, upper - view.joint_position) + 0.05
        result: Array = room.min(axis=1)
        return result

    return (
        Requirement("roll", lambda view: 1.0 - np.abs(view.roll) / largest_tilt),
        Requirement("pitch", lambda view: 1.0 - np.abs(view.pitch) / largest_tilt),
        Requirement("base height", lambda view: view.base_position[:, 2] / floor - 1.0),
        Requirement("joint range", joint_range),
        Requirement("ground found", lambda view: np.where(view.planner["fault"] != 0, -1.0, 1.0)),
        Requirement("controller", lambda view: np.where(view.control["status"] == FAILED, -1.0, 1.0)),
    )


@dataclass(frozen=True)
class Objective:
    """A named condition on a whole trace that violated nothing."""

    name: str
    largest_speed_error: float

    def met(self, travelled: Array, seconds: float, command: Array) -> NDArray[np.bool_]:
        """Whether each particle went where it was told to.

        Args:
            travelled: displacement over the last part of the trace in the heading frame at its beginning, (n, 2), m.
            seconds: duration of that part.
            command: wanted forward and left speed, m/s, and turn rate, (3,).
        """
        error = np.linalg.norm(travelled / seconds - command[:2], axis=1)
        allowed = max(self.largest_speed_error, 0.4 * float(np.hypot(command[0], command[1])))
        result: NDArray[np.bool_] = error <= allowed
        return result


KEEPS_ITS_SPEED = Objective("keeps its speed", 0.1)
