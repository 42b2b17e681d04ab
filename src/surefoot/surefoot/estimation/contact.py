# SPDX-License-Identifier: Apache-2.0
"""Which feet bear load: a probability per foot from forces or, without force sensors, from joint torques.

Every sample is evidence for or against contact, by a logistic curve around a force threshold that is lower for feet in contact than
for feet in the air; the evidence adds up in log-odds, bounded, so that one sample that noise has spoilt does not change a foot that
was sure.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.rotation import symmetric_inverse
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]


@compiled
def judge_contact(state: Any, parameters: Any, leg: int, force: Array, normal: Array) -> None:
    """Take one sample into account: write probability and decision of one foot.

    Args:
        state: record of FILTER_STATE; its in_contact, contact_log_odds, contact_probability, load and load_ratio change.
        parameters: record of FILTER_PARAMETERS.
        leg: index of the foot.
        force: of the ground on the foot, (3,), N; a foot of which nothing is known (not finite) has probability and load 0.
        normal: unit vector out of the ground, in the same axes, (3,).
    """
    along = force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2]
    threshold = parameters.contact_end if state.in_contact[leg] > 0.0 else parameters.contact_begin
    if math.isfinite(along):
        evidence = min(max((along - threshold) / parameters.contact_scale, -parameters.contact_evidence), parameters.contact_evidence)
        odds = min(max(state.contact_log_odds[leg] + evidence, -parameters.contact_certainty), parameters.contact_certainty)
        probability = 0.5 + 0.5 * math.tanh(0.5 * odds)
    else:
        odds, probability, along = -parameters.contact_certainty, 0.0, 0.0
    state.contact_log_odds[leg], state.contact_probability[leg], state.load[leg] = odds, probability, along
    squared = force[0] * force[0] + force[1] * force[1] + force[2] * force[2]
    state.load_ratio[leg] = math.sqrt(max(0.0, squared - along * along)) / along if along > 0.0 else 0.0
    state.in_contact[leg] = 1.0 if probability >= 0.5 else 0.0


@compiled
def foot_force_from_torque(torque: Array, foot_jacobian: Array, damping: float, force: Array) -> None:
    """Force of the ground on a foot: the solution of torque = -J^T force, by damped least squares.

    Args:
        torque: that one leg holds against the ground, (3,), N m.
        foot_jacobian: in base, (3, 3), m/rad.
        damping: keeps the inverse finite where the leg is straight, m.
        force: output, in base, (3,), N.
    """
    matrix, inverse, right = stack_matrix(3, 3), stack_matrix(3, 3), stack_vector(3)
    for i in range(3):
        right[i] = -(foot_jacobian[i, 0] * torque[0] + foot_jacobian[i, 1] * torque[1] + foot_jacobian[i, 2] * torque[2])
        for j in range(3):
            total = damping * damping if i == j else 0.0
            for k in range(3):
                total += foot_jacobian[i, k] * foot_jacobian[j, k]
            matrix[i, j] = total
    symmetric_inverse(matrix, inverse)
    for i in range(3):
        force[i] = inverse[i, 0] * right[0] + inverse[i, 1] * right[1] + inverse[i, 2] * right[2]
