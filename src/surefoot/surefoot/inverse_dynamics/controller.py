# SPDX-License-Identifier: Apache-2.0
"""What every controller takes and gives."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.inverse_dynamics.law import FAILED, STATUS_TEXT
from surefoot.robot.model import RigidBodyTerms

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ControlResult:
    """What a controller answers at one tick.

    Attributes:
        position: joint targets, (12,), rad.
        velocity: joint velocity targets, (12,), rad/s.
        effort: joint torques inside their limits, (12,), N m.
        force: predicted force of the ground on each foot in odom axes, (4, 3), N.
        base_acceleration: that the forces produce, linear then angular in odom axes, (6,).
        joint_acceleration: that the joints are moved with, (12,), rad/s^2.
        status: SOLVED, RELAXED, HELD or FAILED, see `law`; a FAILED answer holds NaN and must not be used.
        saturated: how many torques had to be clamped.
        repaired: the joint accelerations are not consistent with rigid contact, and the torques are for the nearest that are.
    """

    position: Array
    velocity: Array
    effort: Array
    force: Array
    base_acceleration: Array
    joint_acceleration: Array
    status: int
    saturated: int = 0
    repaired: bool = False

    @property
    def usable(self) -> bool:
        """Whether the torques may be sent to the servos."""
        return self.status != FAILED

    @property
    def reason(self) -> str:
        """The status in words."""
        return STATUS_TEXT[self.status]

    @staticmethod
    def failed() -> "ControlResult":
        """The answer that there is no answer: NaN everywhere, so that nothing can mistake it for one."""
        joints = np.full(12, np.nan)
        return ControlResult(joints, joints, joints, np.full((4, 3), np.nan), np.full(6, np.nan), joints, FAILED)


class Controller(Protocol):
    """A law from a plan to joint torques. A controller never raises in `control`; it answers FAILED."""

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """Compute the command of one tick.

        Args:
            terms: rigid-body terms of the believed robot in this state.
            plan: a PLAN record of `gait.records`.
            state: a STATE record of `gait.records`.
            dt: control period, s.
        """
        ...
