# SPDX-License-Identifier: Apache-2.0
"""The numbers of the limiter: one command brought inside the limits of its joints, compiled."""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.servos.motors.torque_speed import most_torque

Array = NDArray[np.float64]

POSITION, VELOCITY, EFFORT, STIFFNESS, DAMPING, TORQUE = range(6)
"""Rows of a command, and the torque that it makes."""


@compiled
def within(value: float, lower: float, upper: float) -> float:
    """A value clamped; where the bounds cross, the upper one holds, as in numpy."""
    return min(max(value, lower), upper)


@compiled
def all_between(table: Array, lowest: Array, highest: Array) -> bool:
    """Whether each number of a table (n, m) lies between the bounds of its row, (n,); a NaN does not."""
    for row in range(table.shape[0]):
        for i in range(table.shape[1]):
            if not lowest[row] <= table[row, i] <= highest[row]:
                return False
    return True


@compiled
def bring_inside(
    command: Array, measured: Array, before: Array, limits: Array, elapsed: float, margin: float, diamond: bool, rate: float, given: Array
) -> bool:
    """Bring one finite command inside the limits.

    Args:
        command: rows POSITION to DAMPING, (5, 12).
        measured: joint positions and velocities, (2, 12), rad, rad/s.
        before: position target and torque of the command before, (2, 12), finite; the target may be beyond a position limit.
        limits: lower and upper position, velocity, effort, most stiffness and most damping, (6, 12).
        elapsed: since the command before, s.
        margin: beyond a position limit from which no torque leads further out, rad.
        diamond: whether the torque limit falls with the speed.
        rate: of the torque, N m/s; infinite where it is free.
        given: rows POSITION to TORQUE, (6, 12), written.

    Returns:
        Whether anything had to be changed.
    """
    changed = False
    for i in range(command.shape[1]):
        lower, upper, speed = limits[0, i], limits[1, i], limits[2, i]
        previous, reach = before[0, i], speed * elapsed
        # The target of a joint that starts beyond a limit only comes inwards, and is never meant to be further out than the joint itself.
        lowest = min(lower, max(previous, measured[0, i]))
        highest = max(upper, min(previous, measured[0, i]))
        position = within(within(command[POSITION, i], lowest, highest), previous - reach, previous + reach)
        velocity = within(command[VELOCITY, i], -speed, speed)
        effort = command[EFFORT, i]
        # The torque is bounded at what is measured now: a gain without bound asks for any at the next sample.
        stiffness, damping = min(command[STIFFNESS, i], limits[4, i]), min(command[DAMPING, i], limits[5, i])
        changed = changed or stiffness != command[STIFFNESS, i] or damping != command[DAMPING, i]
        feedback = stiffness * (position - measured[0, i]) + damping * (velocity - measured[1, i])
        most = limits[3, i]
        if diamond:
            most = most_torque(most, speed, measured[1, i], 1.0)
        # A joint beyond a limit gets no torque that leads further out; zero is always between the bounds.
        low = 0.0 if measured[0, i] < lower - margin or measured[1, i] < -speed else -most
        high = 0.0 if measured[0, i] > upper + margin or measured[1, i] > speed else most
        limited = within(effort, low, high)
        if rate < np.inf:
            # Where the torque before is outside today's bound, the bound wins over the rate.
            torque = within(before[1, i], low, high)
            low, high = max(low, torque - rate * elapsed), min(high, torque + rate * elapsed)
        asked = effort + feedback
        if low <= asked <= high and limited == effort:
            given[TORQUE, i] = asked
        else:
            changed = True
            allowed = within(feedback, min(low - limited, 0.0), max(high - limited, 0.0))
            effort = within(limited + allowed, low, high) - allowed
            given[TORQUE, i] = effort + allowed
            # The gains shrink, so that no target has to leave its limits.
            scale = 1.0 if allowed == feedback else within(allowed / feedback, 0.0, 1.0)
            stiffness, damping = stiffness * scale, damping * scale
        changed = changed or position != command[POSITION, i] or velocity != command[VELOCITY, i]
        given[POSITION, i], given[VELOCITY, i], given[EFFORT, i] = position, velocity, effort
        given[STIFFNESS, i], given[DAMPING, i] = stiffness, damping
    return changed
