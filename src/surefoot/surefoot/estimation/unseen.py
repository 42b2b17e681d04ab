# SPDX-License-Identifier: Apache-2.0
"""What no measurement sees stays unseen: errors follow the estimate when a correction moves it.

Nobody measures the yaw, so no correction may say anything about it. To the error of a velocity v that is known to the robot but for its
attitude, a turn by e adds e x v. A correction moves v, and with it what the same turn means; a covariance that still says e x (what v was
before) makes the filter see the turn in the difference of the two. It learns a yaw that nobody measured [Huang 2008; Barrau 2017], or,
where the yaw is kept, puts it into velocity and position, the more the less it knows its yaw. So with the estimate of each vector that
turns with the robot (position, velocity, feet) by d, its error moves by e x d: then the covariance is the one that the invariant filter of
the same model has, whose errors turn with the robot.
"""

from typing import Any

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import ERRORS, FEET, ORIENTATION, POSITION, VELOCITY, ZEROS
from surefoot.rows import add_rows
from surefoot.stack_arrays import stack_integers, stack_matrix


@compiled
def turn_errors_along(state: Any) -> None:
    """Let the errors of position, velocity and feet follow what corrections have moved them by (`moved_by`, which becomes 0)."""
    covariance, effect, moved_by = state.covariance, state.zero_effect, state.moved_by
    moved, again = stack_matrix(ERRORS, ERRORS), stack_matrix(ERRORS, ERRORS)
    blocks, places = stack_integers(6), stack_integers(ERRORS)
    # A foot in the air is no part of the state.
    count = 0
    for block in range(6):
        if block < 2 or state.foot_held[block - 2] > 0.0:
            blocks[count] = block
            for i in range(3):
                places[3 * count + i] = _first(block) + i
            count += 1
    for block in range(count):
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            by_j, by_k, row = moved_by[blocks[block], k], -moved_by[blocks[block], j], 3 * block + i
            turn_j, turn_k = covariance[ORIENTATION + j], covariance[ORIENTATION + k]
            for column in range(ERRORS):
                moved[row, column] = by_j * turn_j[column] + by_k * turn_k[column]
            add_rows(ZEROS, effect[places[row]], by_j, effect[ORIENTATION + j], by_k, effect[ORIENTATION + k])
    for row in range(3 * count):
        x, y, z = moved[row, ORIENTATION], moved[row, ORIENTATION + 1], moved[row, ORIENTATION + 2]
        for block in range(count):
            by_x, by_y, by_z = moved_by[blocks[block], 0], moved_by[blocks[block], 1], moved_by[blocks[block], 2]
            again[row, 3 * block] = y * by_z - z * by_y
            again[row, 3 * block + 1] = z * by_x - x * by_z
            again[row, 3 * block + 2] = x * by_y - y * by_x
    # With F = 1 + A, F P F^T = P + A P + (A P)^T + A P A^T.
    for row in range(3 * count):
        at = places[row]
        for column in range(ORIENTATION, FEET):
            total = covariance[at, column] + moved[row, column]
            covariance[at, column] = covariance[column, at] = total
        for other in range(row + 1):
            there = places[other]
            total = covariance[at, there] + (moved[row, there] + moved[other, at]) + again[row, other]
            covariance[at, there] = covariance[there, at] = total
    for block in range(6):
        for i in range(3):
            moved_by[block, i] = 0.0


@compiled
def _first(block: int) -> int:
    """Where a vector that turns with the robot is among the errors: position, velocity, four feet."""
    return POSITION if block == 0 else VELOCITY if block == 1 else FEET + 3 * (block - 2)
