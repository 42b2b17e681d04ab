# SPDX-License-Identifier: Apache-2.0
"""What the servo bridge lets through of the commands in a trace: the robot's own limiter, over a leading particle axis; compiled."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.servos.bounds import DAMPING, EFFORT, POSITION, STIFFNESS, TORQUE, VELOCITY, bring_inside
from surefoot.servos.limits import JointLimits
from surefoot.servos.settings import BridgeSettings

Array = NDArray[np.float64]


class BridgeLimits:
    """The limits of the servo bridge for a number of particles, each with a command before of its own.

    Args:
        model: the believed robot, whose limits hold.
        size: largest number of particles.
        period: s between ticks.
        settings: of the bridge; None where there is no bridge, and any command passes that is finite.
    """

    def __init__(self, model: RobotModel, size: int, period: float, settings: BridgeSettings | None) -> None:
        self._settings, servos = settings, model.description.servos
        self._rate = math.inf if settings is None or settings.effort_rate_limit is None else settings.effort_rate_limit
        self._table, self._period = JointLimits.of(model).table, period
        self._gains = (servos.stiffness, servos.damping)
        self._before, self._given = np.zeros((size, 2, 12)), np.zeros((size, 6, 12))
        self._elapsed = math.inf

    def start(self) -> None:
        """Forget the commands before. What was asked of the servos then is not known: the first targets may be anywhere."""
        self._elapsed = math.inf

    def limit(self, controls: np.ndarray, states: np.ndarray, going: NDArray[np.bool_]) -> Array:
        """Bring the commands of a tick inside the limits.

        Args:
            controls: n CONTROL records.
            states: n STATE records: what the sensors say.
            going: for which of them, (n,).

        Returns:
            Rows POSITION to TORQUE of `servos.bounds` for each particle, (n, 6, 12); NaN where something asked for or measured is not
            finite; live: the next tick writes into the same.
        """
        count, settings = len(controls), self._settings
        margin, diamond = (0.0, False) if settings is None else (settings.position_margin, settings.torque_speed_diamond)
        bring_all_inside(
            settings is not None, controls, states, *self._gains, self._before, self._table, self._elapsed, margin, diamond, self._rate,
            self._given, going,
        )  # fmt: skip
        self._elapsed = self._period
        return self._given[:count]


@compiled
def bring_all_inside(
    limited: bool, controls: Any, states: Any, stiffness: float, damping: float, before: Any, limits: Any, elapsed: float, margin: float,
    diamond: bool, rate: float, given: Any, going: Any,
) -> None:  # fmt: skip
    """Bring the command of each particle inside the limits, see `servos.bounds.bring_inside`; what is not finite is not let through.

    Where it is not limited it passes as it is.
    """
    command, measured = np.empty((5, 12)), np.empty((2, 12))
    command[STIFFNESS], command[DAMPING] = stiffness, damping
    for p in range(controls.shape[0]):
        if not going[p]:
            continue
        for leg in range(4):
            for k in range(3):
                j = 3 * leg + k
                command[POSITION, j] = controls[p].position[leg, k]
                command[VELOCITY, j] = controls[p].velocity[leg, k]
                command[EFFORT, j] = controls[p].effort[leg, k]
                measured[0, j] = states[p].joint_position[leg, k]
                measured[1, j] = states[p].joint_velocity[leg, k]
        if not (np.isfinite(command.sum()) and np.isfinite(measured.sum())):
            given[p] = np.nan
            continue
        if not limited:
            given[p, :TORQUE] = command
            continue
        if elapsed == np.inf:
            before[p, 0], before[p, 1] = measured[0], 0.0
        bring_inside(command, measured, before[p], limits, elapsed, margin, diamond, rate, given[p])
        before[p, 0], before[p, 1] = given[p, POSITION], given[p, TORQUE]
