# SPDX-License-Identifier: Apache-2.0
"""The limiter that every active command passes."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.command import JointCommand
from surefoot.servos.bounds import DAMPING, EFFORT, POSITION, STIFFNESS, TORQUE, VELOCITY, bring_inside
from surefoot.servos.limits import HARDEST_BRAKE, SHORTEST_SPRING, JointLimits, not_finite
from surefoot.servos.settings import BridgeSettings

Array = NDArray[np.float64]

BOUNDS = {
    "position": "targets stay inside the limits of the joint and move no faster than its velocity limit from the target before; the target "
    "of a joint that starts beyond a limit is where it is measured, and from there only comes inwards",
    "velocity": "targets stay inside the velocity limit",
    "gains": f"no spring asks for the whole effort limit nearer than {SHORTEST_SPRING:g} rad to its target, and no damping below "
    f"{HARDEST_BRAKE:g} of the velocity limit; nor does that of a fault",
    "torque": "the torque that the command makes at the measured state stays inside the effort limit, with `torque_speed_diamond` inside "
    "of what is left of it at the measured speed",
    "outwards": "a joint beyond a position limit by `position_margin`, or beyond its velocity limit, gets no torque that leads further out",
    "torque rate": "that torque changes no faster than `effort_rate_limit`",
}
"""What a command is brought inside of, in order."""


class CommandLimiter:
    """Brings each command inside the limits, relative to the command before it."""

    def __init__(self, limits: JointLimits, settings: BridgeSettings) -> None:
        self._limits, self._settings = limits, settings
        self._table = limits.table
        self._rate = math.inf if settings.effort_rate_limit is None else settings.effort_rate_limit
        self._time = 0.0
        self._before = np.zeros((2, len(limits.names)))

    def restart(self, time: float, joint_position: Array) -> None:
        """Forget the commands before: the joints are at joint_position ((12,), rad) without torque, at this time (s).

        Raises:
            FloatingPointError: a position is not finite; there is none to go on from.
        """
        if not np.isfinite(joint_position).all():
            raise FloatingPointError(not_finite(self._limits.names, joint_position=joint_position))
        self._time = time
        self._before[0], self._before[1] = joint_position, 0.0

    def limit(self, time: float, command: JointCommand, joint_position: Array, joint_velocity: Array) -> JointCommand:
        """Bring one finite command inside the limits.

        Position targets stay inside the limits and move no faster than the velocity limit; after a restart beyond a limit they come
        inwards from there. The torque that the command makes at the measured state stays inside the effort limit, which is zero towards
        the outside for a joint beyond a position or velocity limit.

        Args:
            time: of the tick, s.
            command: finite.
            joint_position, joint_velocity: measured, (12,), rad, rad/s, finite.

        Returns:
            The command with a remark per change, in rad, rad/s, N m. The gains are clamped first, then effort; then the gains shrink, so
            that no target has to leave its limits.

        Raises:
            FloatingPointError: a number is NaN; there is no safe number to put in its place, so look with not_finite first.
        """
        asked = np.array((command.position, command.velocity, command.effort, command.stiffness, command.damping))
        measured = np.array((joint_position, joint_velocity))
        if np.isnan(asked).any() or np.isnan(measured).any():
            quantities = ("position", "velocity", "effort", "stiffness", "damping", "joint_position", "joint_velocity")
            raise FloatingPointError(not_finite(self._limits.names, **dict(zip(quantities, (*asked, *measured), strict=True))))
        given, settings = np.empty((6, asked.shape[1])), self._settings
        elapsed = max(0.0, time - self._time)
        changed = bring_inside(
            asked, measured, self._before, self._table, elapsed, settings.position_margin, settings.torque_speed_diamond, self._rate, given
        )
        remarks = self._remarks(asked, measured, given) if changed else ()
        self._time, self._before[0], self._before[1] = time, given[POSITION], given[TORQUE]
        return JointCommand(
            command.time,
            given[POSITION],
            given[VELOCITY],
            given[EFFORT],
            given[STIFFNESS],
            given[DAMPING],
            (*command.remarks, *remarks),
        )

    def _remarks(self, asked: Array, measured: Array, given: Array) -> tuple[str, ...]:
        """What was changed, in words."""
        names, remarks = self._limits.names, []
        for row, quantity in ((POSITION, "position"), (VELOCITY, "velocity")):
            # Without stiffness a position target asks for nothing, and its clamping is not worth a word.
            if row == VELOCITY or asked[STIFFNESS].any():
                places = np.flatnonzero(given[row] != asked[row])
                remarks += [f"{names[i]} {quantity} {asked[row, i]:.4g} clamped to {given[row, i]:.4g}" for i in places]
        stiffness, damping = (np.minimum(asked[row], most) for row, most in zip((STIFFNESS, DAMPING), self._table[4:], strict=True))
        for quantity, row, gain in (("stiffness", STIFFNESS, stiffness), ("damping", DAMPING, damping)):
            remarks += [f"{names[i]} {quantity} {asked[row, i]:.4g} clamped to {gain[i]:.4g}" for i in np.flatnonzero(gain != asked[row])]
        torque = asked[EFFORT] + stiffness * (given[POSITION] - measured[0]) + damping * (given[VELOCITY] - measured[1])
        places = np.flatnonzero(np.abs(torque - given[TORQUE]) > 1e-9 * self._limits.effort)
        remarks += [f"{names[i]} torque {torque[i]:.4g} N m clamped to {given[TORQUE, i]:.4g}" for i in places]
        return tuple(remarks)
