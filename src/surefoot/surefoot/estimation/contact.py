# SPDX-License-Identifier: Apache-2.0
"""Which feet bear load: a probability per foot from forces or, without force sensors, from joint torques."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.settings import ContactSettings

Array = NDArray[np.float64]


class ContactDetector:
    """A logistic curve around a force threshold that is lower for feet in contact than for feet in the air.

    Attributes:
        in_contact: the decision of the last update, (4,) of bool.
    """

    def __init__(self, force_threshold: float, settings: ContactSettings) -> None:
        """Args:
        force_threshold: normal force at which contact begins, N.
        settings: hysteresis and softness.
        """
        self._begin, self._end = force_threshold, force_threshold * settings.release_ratio
        self._scale = force_threshold * settings.softness
        self._damping = settings.jacobian_damping
        self.in_contact: NDArray[np.bool_] = np.zeros(4, dtype=np.bool_)

    def update(self, force_base: Array, joint_effort: Array, foot_jacobians: Array, normal_base: Array) -> Array:
        """Contact probability of each foot, (4,), 0 to 1. A foot of which nothing is known has probability 0.

        Args:
            force_base: measured force of the ground on each foot in base, (4, 3), N; NaN where it is not measured.
            joint_effort: (12,), N m; NaN where it is not measured.
            foot_jacobians: in base, (4, 3, 3), m/rad.
            normal_base: unit vector out of the ground, in base, (3,).
        """
        force = force_base
        if np.isnan(force_base).any():
            force = force_base.copy()
            for leg in np.flatnonzero(np.isnan(force_base).any(axis=1)):
                force[leg] = foot_force_from_torque(joint_effort[3 * leg : 3 * leg + 3], foot_jacobians[leg], self._damping)
        probability, in_contact = np.empty(4), np.empty(4, dtype=np.bool_)
        _judge(force, normal_base, self.in_contact, self._begin, self._end, self._scale, probability, in_contact)
        self.in_contact = in_contact
        return probability

    def reset(self) -> None:
        """All feet in the air."""
        self.in_contact = np.zeros(4, dtype=np.bool_)


@compiled
def _judge(
    force: Array, normal: Array, before: NDArray[np.bool_], begin: float, end: float, scale: float, probability: Array,
    in_contact: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Write probability and decision of each foot, (4,)."""
    for leg in range(4):
        along = force[leg, 0] * normal[0] + force[leg, 1] * normal[1] + force[leg, 2] * normal[2]
        threshold = end if before[leg] else begin
        probability[leg] = 0.5 + 0.5 * math.tanh(0.5 * (along - threshold) / scale)
        if math.isnan(probability[leg]):
            probability[leg] = 0.0
        in_contact[leg] = probability[leg] >= 0.5


def foot_force_from_torque(joint_effort: Array, foot_jacobian: Array, damping: float) -> Array:
    """Quasi-static force of the ground on a foot, in base, (3,), N: the solution of torque = -J^T force; the leg's own weight is left out.

    Args:
        joint_effort: of one leg, (3,), N m.
        foot_jacobian: in base, (3, 3), m/rad.
        damping: keeps the inverse finite where the leg is straight, m.
    """
    force: Array = -np.linalg.solve(foot_jacobian @ foot_jacobian.T + damping**2 * np.eye(3), foot_jacobian @ joint_effort).astype(
        np.float64
    )
    return force
