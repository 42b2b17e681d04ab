# SPDX-License-Identifier: Apache-2.0
"""Corrections by what knows more than the robot does: an absolute pose or a part of it, and the magnetic field."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.correction import correct_scalar
from surefoot.estimation.filter_state import ERRORS, ORIENTATION, POSITION, ZEROS
from surefoot.estimation.rotation import turned
from surefoot.robot.spatial import multiply
from surefoot.stack_arrays import stack_matrix

Array = NDArray[np.float64]

FORGET = 8.0
"""How many times the variance with which the heading is known the floor of the field may be: beyond that its mean is taken anew."""


@compiled
def correct_by_pose(state: Any, parameters: Any, position: Array, rotation: Array, variance: Array) -> None:
    """One scalar after the other, each behind the gate. A pose of which a part lies outside of it is counted as refused.

    Args:
        state: record of FILTER_STATE, changed in place.
        parameters: record of FILTER_PARAMETERS.
        position: of the base in odom, (3,), m.
        rotation: odom_from_base, (3, 3).
        variance: of x y z and of the turn about these axes, (6,); NaN for what is not measured.
    """
    sensitivity, transposed, turn = np.zeros(ERRORS), stack_matrix(3, 3), stack_matrix(3, 3)
    used, before = True, _base(state, parameters)
    for i in range(3):
        if math.isfinite(variance[i]):
            arm = turned(state.rotation, parameters.imu_in_base)
            j, k = (i + 1) % 3, (i + 2) % 3
            sensitivity[:] = 0.0
            sensitivity[POSITION + i] = 1.0
            # The base is at position - arm, and a turn e moves it by -(e x arm).
            sensitivity[ORIENTATION + j], sensitivity[ORIENTATION + k] = -arm[k], arm[j]
            innovation = position[i] - state.position[i] + arm[i]
            used &= correct_scalar(state, sensitivity, innovation, variance[i], parameters.innovation_gate)
    for i in range(3):
        if math.isfinite(variance[3 + i]):
            for m in range(3):
                for n in range(3):
                    transposed[m, n] = state.rotation[n, m]
            multiply(rotation, transposed, turn)
            j, k = (i + 1) % 3, (i + 2) % 3
            sine = 0.5 * (turn[k, j] - turn[j, k])
            cosine = 0.5 * (turn[0, 0] + turn[1, 1] + turn[2, 2] - 1.0)
            sensitivity[:] = 0.0
            sensitivity[ORIENTATION + i] = 1.0
            used &= correct_scalar(state, sensitivity, math.atan2(sine, cosine), variance[3 + i], parameters.innovation_gate)
    # What was measured in odom itself does not turn with the robot; what stands around it does (unseen.py). A place with a part of the
    # yaw's error in it would show that yaw in the next measured place, where there is nothing of it.
    after = _base(state, parameters)
    for i in range(3):
        state.moved_by[0, i] -= after[i] - before[i]
        for foot in range(2, 6):
            state.moved_by[foot, i] -= after[i] - before[i]
    if used:
        state.pose_refused_in_a_row = 0.0
    else:
        state.pose_refused += 1.0
        state.pose_refused_in_a_row += 1.0


@compiled
def _base(state: Any, parameters: Any) -> Array:
    """Where the base is in odom, (3,), m."""
    return state.position - turned(state.rotation, parameters.imu_in_base)  # type: ignore[no-any-return]


@compiled
def correct_by_field(state: Any, parameters: Any, magnetic_field: Array, variance: float) -> None:
    """The heading by the magnetic field, of which nobody knows where it points in odom: that is the mean of its first samples.

    The mean is taken for as long as the yaw is better known than it, so while the robot stands at the start, and longer where the samples
    are noisy. What it is wrong by then stays, and hundreds of samples that share it are no hundred measurements of the heading: the field
    may not make the heading better known than twice the variance of the mean. Half of that is the mean's own error, half is what a filter
    that is held there lags behind by.

    Args:
        state: record of FILTER_STATE, changed in place.
        parameters: record of FILTER_PARAMETERS.
        magnetic_field: in base axes, (3,), in any unit.
        variance: of each part of the field over the square of its length, rad^2.
    """
    there = turned(state.rotation, magnetic_field)
    flat = there[0] * there[0] + there[1] * there[1]
    whole = flat + there[2] * there[2]
    # Near the poles, or inside of iron, the field says nothing about the heading.
    if not flat > 0.01 * whole:
        return
    # Only what is horizontal of it tells the heading.
    variance *= whole / flat
    sensitivity = np.zeros(ERRORS)
    sensitivity[ORIENTATION] = -there[2] * there[0] / flat
    sensitivity[ORIENTATION + 1] = -there[2] * there[1] / flat
    sensitivity[ORIENTATION + 2] = 1.0
    known, yaw, by_zeros = 0.0, state.covariance[ORIENTATION + 2, ORIENTATION + 2], 0.0
    for column in range(ZEROS):
        seen = 0.0
        for i in range(ORIENTATION, ORIENTATION + 3):
            seen += sensitivity[i] * state.zero_effect[i, column]
        by_zeros += seen * seen
        yaw += state.zero_effect[ORIENTATION + 2, column] ** 2
    for i in range(ORIENTATION, ORIENTATION + 3):
        for j in range(ORIENTATION, ORIENTATION + 3):
            known += sensitivity[i] * state.covariance[i, j] * sensitivity[j]
    heading = math.atan2(there[1], there[0])
    # Where somebody else has told the heading since, a better mean can be had.
    if state.field_watched == 0.0 or FORGET * (known + by_zeros) < state.field_floor:
        state.field_watched, state.field_heading, state.field_floor = 1.0 / variance, heading, 0.0
        return
    error = state.field_heading - heading
    error = math.atan2(math.sin(error), math.cos(error))
    if not error * error <= parameters.innovation_gate * (known + by_zeros + variance + 1.0 / state.field_watched):
        state.field_refused += 1.0
        return
    if state.field_floor == 0.0:
        state.field_watched += 1.0 / variance
        state.field_heading -= error / (variance * state.field_watched)
        if yaw * state.field_watched >= 1.0:
            state.field_floor = 2.0 * (1.0 / state.field_watched + known + by_zeros)
        return
    if known > state.field_floor:
        least = known * state.field_floor / (known - state.field_floor)
        correct_scalar(state, sensitivity, error, max(variance, least), parameters.innovation_gate)
