# SPDX-License-Identifier: Apache-2.0
"""How feet in contact creep: the noise that a step adds to their places.

A foot that is pushed along the ground gives way, slowly, the way it is pushed. Where a robot walks, each foot creeps by itself. Where it
rests, the forces on its feet are in equilibrium: along the ground they have neither a sum nor a moment. As far as feet creep in proportion
to what pushes them, they then drift apart or together, but all of them as one neither go anywhere nor turn. So what a resting robot's feet
say of its yaw is not spoilt by their creep, and the gyroscope's bias about the vertical is learned as well as its own noise allows.
"""

import math
from typing import Any

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import FEET
from surefoot.stack_arrays import stack_matrix


@compiled
def let_feet_creep(state: Any, parameters: Any, step: float) -> None:
    """Add the creep of one step to the covariance of the feet of the state, in place.

    Args:
        state: record of FILTER_STATE.
        parameters: record of FILTER_PARAMETERS.
        step: s.
    """
    covariance, along = state.covariance, parameters.foot_walk_variance * step
    for leg in range(4):
        if state.foot_held[leg] > 0.0:
            first = FEET + 3 * leg
            covariance[first, first] += along
            covariance[first + 1, first + 1] += along
            covariance[first + 2, first + 2] += parameters.foot_sink_variance * step
    if state.quiet_for >= parameters.rest_time:
        _keep_together(state, along * (1.0 - parameters.foot_creep_spread_variance))


@compiled
def _keep_together(state: Any, variance: float) -> None:
    """Take a variance off the mean of the feet's places along the ground, and off their common turn.

    Of n feet at r_i from their middle these are the directions 1/root(n) of x and of y, and z x r_i over the root of the sum of r_i^2.
    """
    covariance, turn = state.covariance, stack_matrix(4, 2)
    count, x, y, squared = 0.0, 0.0, 0.0, 0.0
    for leg in range(4):
        if state.foot_held[leg] > 0.0:
            count += 1.0
            x += state.feet[leg, 0]
            y += state.feet[leg, 1]
    if count < 2.0:
        # One foot that rests has nothing to be in equilibrium with but what pushes the robot.
        return
    for leg in range(4):
        if state.foot_held[leg] > 0.0:
            turn[leg, 0], turn[leg, 1] = y / count - state.feet[leg, 1], state.feet[leg, 0] - x / count
            squared += turn[leg, 0] ** 2 + turn[leg, 1] ** 2
    if not squared > 0.0:
        # Feet at one place have no turn, and no robot has them.
        return
    length = math.sqrt(squared)
    for one in range(4):
        if state.foot_held[one] == 0.0:
            continue
        for other in range(4):
            if state.foot_held[other] == 0.0:
                continue
            for i in range(2):
                covariance[FEET + 3 * one + i, FEET + 3 * other + i] -= variance / count
                for j in range(2):
                    part = (turn[one, i] / length) * (turn[other, j] / length)
                    covariance[FEET + 3 * one + i, FEET + 3 * other + j] -= variance * part
