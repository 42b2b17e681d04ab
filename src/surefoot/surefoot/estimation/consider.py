# SPDX-License-Identifier: Apache-2.0
"""What the joints' wrong zeros do to the estimate: considered in its covariance, not estimated [Schmidt 1966; Tapley 2004, section 6].

The readings of an encoder are wrong by the same angle all the time. That is no white noise, and a filter that takes it for none is surer
than it may be. With zeros d, twelve independent ones of unit variance times their standard deviation s, the error of the state is

    e = w + T d,

where w is what the filter calls its error, of covariance P, and T (27, 12) is the effect of one standard deviation of each zero:

    prediction, e <- F e:                              T <- F T
    correction, innovation = H e + Z d + noise:        T <- T - K (H T + Z)
    a foot set down at arm(joints) from the base:      T of the foot <- its place by the base's T, less s times the leg's Jacobian

and the covariance of e is P + T T^T. The gain K is the filter's own, whatever it is: so the estimate is the one that it would be, and
only its covariance follows. The optimal gain [Schmidt 1966], and the zeros as states, were measured as well: both take what a foot does as
it comes down and as its load changes, the same in every step, for a wrong zero, and lead the position astray by three times as much.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import ACCELEROMETER_BIAS, ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY, ZEROS
from surefoot.rows import add_rows, set_rows
from surefoot.stack_arrays import stack_vector

Array = NDArray[np.float64]


@compiled
def move_effect(effect: Array, rotation: Array, force: Array, step: float) -> None:
    """effect = F effect, in place, where F is that of the prediction.

    Args:
        effect: (27, 12).
        rotation: odom_from_base in the middle of the step, (3, 3).
        force: specific force in odom, (3,), m/s^2.
        step: s.
    """
    push, mean = stack_vector(ZEROS), stack_vector(ZEROS)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        x, y, z = effect[ACCELEROMETER_BIAS], effect[ACCELEROMETER_BIAS + 1], effect[ACCELEROMETER_BIAS + 2]
        # A wrong orientation turns the force: error x force.
        set_rows(
            ZEROS, push, force[k], effect[ORIENTATION + j], -force[j], effect[ORIENTATION + k], -rotation[i, 0], x, -rotation[i, 1], y,
            -rotation[i, 2], z,
        )  # fmt: skip
        set_rows(ZEROS, mean, 1.0, effect[VELOCITY + i], 0.5 * step, push)
        add_rows(ZEROS, effect[POSITION + i], step, mean)
        add_rows(ZEROS, effect[VELOCITY + i], step, push)
    # The old orientation has turned the force: it moves last.
    for i in range(3):
        x, y, z = effect[GYROSCOPE_BIAS], effect[GYROSCOPE_BIAS + 1], effect[GYROSCOPE_BIAS + 2]
        set_rows(ZEROS, push, rotation[i, 0], x, rotation[i, 1], y, rotation[i, 2], z)
        add_rows(ZEROS, effect[ORIENTATION + i], -step, push)


@compiled
def seen_effect(effect: Array, sensitivity: Array, seen: Array) -> None:
    """seen += sensitivity effect, what the zeros do to an innovation by way of the state.

    Args:
        effect: (27, 12).
        sensitivity: (3, 27).
        seen: (3, 12), in and out.
    """
    # Three errors at a time, which are measured together or not at all.
    for m in range(0, ERRORS, 3):
        a, b, c = effect[m], effect[m + 1], effect[m + 2]
        for k in range(3):
            x, y, z = sensitivity[k, m], sensitivity[k, m + 1], sensitivity[k, m + 2]
            if x != 0.0 or y != 0.0 or z != 0.0:
                add_rows(ZEROS, seen[k], x, a, y, b, z, c)


@compiled
def set_effect_of_foot(state: Any, leg: int, arm: Array, leg_in_odom: Array, deviation: float) -> None:
    """The effect on a foot that is set down at `arm` (3,) from the base; leg_in_odom (3, 3) is the arm's derivative by the leg's joints."""
    effect, first = state.zero_effect, FEET + 3 * leg
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for column in range(ZEROS):
            turned = effect[ORIENTATION + j, column] * arm[k] - effect[ORIENTATION + k, column] * arm[j]
            effect[first + i, column] = effect[POSITION + i, column] + turned
        for joint in range(3):
            effect[first + i, 3 * leg + joint] -= deviation * leg_in_odom[i, joint]


@compiled
def change_of_drift(rate: Array, jacobian: Array, axes: Array, joint_velocity: Array, result: Array) -> None:
    """Derivative by the angles of its leg of the velocity that a foot has because the base turns and the leg moves.

    That velocity is rate x foot + jacobian @ joint_velocity; the foot's second derivative by two angles is the axis of the joint that is
    nearer to the base, times (x) the column of the other.

    Args:
        rate: of the base, in its axes, (3,), rad/s.
        jacobian, axes: of the leg in base, (3, 3), as foot_terms_in_base gives them.
        joint_velocity: of the leg, (3,), rad/s.
        result: output, (3, 3), in base axes, m/s/rad.
    """
    for n in range(3):
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            total = rate[j] * jacobian[k, n] - rate[k] * jacobian[j, n]
            for m in range(3):
                near, far = min(m, n), max(m, n)
                total += joint_velocity[m] * (axes[j, near] * jacobian[k, far] - axes[k, near] * jacobian[j, far])
            result[i, n] = total


@compiled
def honest_covariance(state: Any, errors: int) -> Array:
    """Of the first errors of the state, joints' zeros included, (errors, errors): P + T T^T."""
    result, effect = np.empty((errors, errors)), state.zero_effect
    for i in range(errors):
        for j in range(i + 1):
            total = state.covariance[i, j]
            for column in range(ZEROS):
                total += effect[i, column] * effect[j, column]
            result[i, j] = result[j, i] = total
    return result
