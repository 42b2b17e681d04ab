# SPDX-License-Identifier: Apache-2.0
"""Which feet bear load: one probability per foot from its force sensor, the torques of its joints and its motion together.

Each sample of a source is evidence for or against contact, in log-odds, and the evidence of all of them adds up in one sum per foot. It is
bounded: one sample that noise has spoilt does not change a foot that was sure, and two sources that contradict each other leave a foot
what it was, until the third decides.

- The force sensor, and the force that follows from the torques: a logistic curve around a threshold, lower for a foot in contact.
- The motion: a foot in contact only rolls, one in the air swings. The ratio of two normal distributions of its velocity says which it is
  more like; a foot may also stand still in the air, so that stillness is worth little.

Where two other sources agree, they show how often the force sensor, or the torque, says contact when there is some, and when there is
none. What says the same either way, as a sensor that is stuck does, tells nothing: its evidence counts by the difference.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import VELOCITY
from surefoot.estimation.rotation import symmetric_inverse
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]

FORCE, TORQUE, MOTION = 0, 1, 2
"""Sources of evidence; the first two can be found wrong."""

USELESS, USEFUL = 0.3, 0.6
"""Difference between how often a source says contact when there is some and when there is none: below the first its evidence counts
nothing, above the second it counts whole. A healthy one has 0.8 and more, 5 % of wrong samples and its lag at touchdown included."""


@compiled
def feel_force(state: Any, parameters: Any, leg: int, source: int, force: Array, normal: Array) -> None:
    """Take one sample of a foot's force into account.

    Args:
        state: record of FILTER_STATE; its contact_evidence, bears_load, load and load_ratio change, and what `_add` changes.
        parameters: record of FILTER_PARAMETERS.
        leg: index of the foot.
        source: FORCE or TORQUE.
        force: of the ground on the foot, (3,), N; where it is not finite, the source says nothing.
        normal: unit vector out of the ground, in the same axes, (3,).
    """
    along = force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2]
    if not math.isfinite(along):
        miss(state, parameters, leg, source)
        return
    squared = force[0] * force[0] + force[1] * force[1] + force[2] * force[2]
    state.bears_load[leg, source] = 1.0 if squared > parameters.contact_begin * parameters.contact_begin else 0.0
    threshold = parameters.contact_end if state.in_contact[leg] > 0.0 else parameters.contact_begin
    most = parameters.contact_evidence
    state.contact_evidence[leg, source] = min(max((along - threshold) / parameters.contact_scale, -most), most)
    weight = trust(state, leg, source)
    if source == FORCE or not _heard(state, leg, FORCE) or trust(state, leg, FORCE) < weight:
        state.load[leg] = along
        state.load_ratio[leg] = math.sqrt(max(0.0, squared - along * along)) / along if along > 0.0 else 0.0
    _add(state, parameters, leg, weight * state.contact_evidence[leg, source])


@compiled
def miss(state: Any, parameters: Any, leg: int, source: int) -> None:
    """A source is silent. A foot of which neither force nor torque says anything has probability and load 0."""
    state.contact_evidence[leg, source], state.bears_load[leg, source] = math.nan, 0.0
    if not (_heard(state, leg, FORCE) or _heard(state, leg, TORQUE)):
        state.contact_log_odds[leg], state.contact_probability[leg] = -parameters.contact_certainty, 0.0
        state.in_contact[leg], state.load[leg], state.load_ratio[leg] = 0.0, 0.0, 0.0


@compiled
def see_motion(state: Any, parameters: Any, leg: int, step: float) -> None:
    """Take the motion of a foot into account, and let sources that agree judge the other one.

    Args:
        state: record of FILTER_STATE; its foot_speed_squared is that of the last sample of the joints.
        parameters: record of FILTER_PARAMETERS.
        leg: index of the foot.
        step: since the last sample of the joints, s.
    """
    if not (_heard(state, leg, FORCE) or _heard(state, leg, TORQUE)):
        return
    standing = parameters.slip_variance + parameters.touchdown_speed_variance
    for i in range(3):
        standing += state.covariance[VELOCITY + i, VELOCITY + i] / 3.0
    swinging = standing + parameters.swing_variance
    ratio = 1.5 * math.log(swinging / standing) - 0.5 * state.foot_speed_squared[leg] * (1.0 / standing - 1.0 / swinging)
    evidence = min(max(ratio, -parameters.contact_evidence), parameters.stillness_evidence)
    state.contact_evidence[leg, MOTION] = evidence
    _add(state, parameters, leg, evidence)
    share = min(1.0, step / parameters.trust_time)
    for source in range(2):
        other = state.contact_evidence[leg, 1 - source]
        # Not heard is not a number, and agrees with nothing.
        if _heard(state, leg, source) and other * evidence > 0.0:
            says = 1.0 if state.contact_evidence[leg, source] > 0.0 else 0.0
            if evidence > 0.0:
                state.contact_missed[leg, source] += share * (1.0 - says - state.contact_missed[leg, source])
            else:
                state.contact_invented[leg, source] += share * (says - state.contact_invented[leg, source])


@compiled
def trust(state: Any, leg: int, source: int) -> float:
    """How much the evidence of the force sensor or of the torque of a foot counts, 0 to 1."""
    difference = 1.0 - state.contact_missed[leg, source] - state.contact_invented[leg, source]
    return float(min(max((difference - USELESS) / (USEFUL - USELESS), 0.0), 1.0))


@compiled
def bears_load(state: Any, leg: int) -> bool:
    """Whether the force sensor or the torque of a foot, if it is not contradicted, says that it bears load, however the foot moves."""
    return bool(
        (state.bears_load[leg, FORCE] > 0.0 and trust(state, leg, FORCE) > 0.0)
        or (state.bears_load[leg, TORQUE] > 0.0 and trust(state, leg, TORQUE) > 0.0)
    )


@compiled
def _heard(state: Any, leg: int, source: int) -> bool:
    """Whether a source speaks."""
    return bool(math.isfinite(state.contact_evidence[leg, source]))


@compiled
def _add(state: Any, parameters: Any, leg: int, evidence: float) -> None:
    """Add to the log-odds of a foot; its probability and its decision follow."""
    most = parameters.contact_certainty
    odds = min(max(state.contact_log_odds[leg] + evidence, -most), most)
    if odds == state.contact_log_odds[leg] and abs(odds) == most:
        # It was as sure before.
        return
    probability = 0.5 + 0.5 * math.tanh(0.5 * odds)
    state.contact_log_odds[leg], state.contact_probability[leg] = odds, probability
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
