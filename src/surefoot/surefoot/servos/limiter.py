# SPDX-License-Identifier: Apache-2.0
"""The limiter that every active command passes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.command import JointCommand
from surefoot.servos.limits import JointLimits, not_finite
from surefoot.servos.settings import BridgeSettings

Array = NDArray[np.float64]


def clamp_by_name(names: Sequence[str], quantity: str, values: Array, lower: Array, upper: Array) -> tuple[Array, tuple[str, ...]]:
    """Clamp finite values and say what was changed.

    Returns:
        The clamped values, and one remark per change with joint, value and limit.

    Raises:
        FloatingPointError: a value is not a number; there is no safe number to put in its place, so look with not_finite first.
    """
    if np.isnan(values).any():
        raise FloatingPointError(not_finite(names, **{quantity: values}))
    clamped = np.clip(values, lower, upper)
    if (clamped == values).all():
        return clamped, ()
    changed = [int(place) for place in np.flatnonzero(clamped != values)]
    return clamped, tuple(f"{names[i]} {quantity} {values[i]:.4g} clamped to {clamped[i]:.4g}" for i in changed)


class CommandLimiter:
    """Brings each command inside the limits, relative to the command before it."""

    def __init__(self, limits: JointLimits, settings: BridgeSettings) -> None:
        self._limits, self._settings = limits, settings
        self._time = 0.0
        self._position = np.zeros(len(limits.names))
        self._torque = np.zeros(len(limits.names))

    def restart(self, time: float, joint_position: Array) -> None:
        """Forget the commands before: the joints are at joint_position ((12,), rad) without torque, at this time (s)."""
        self._time, self._position = time, joint_position.copy()
        self._torque = np.zeros(len(self._limits.names))

    def limit(self, time: float, command: JointCommand, joint_position: Array, joint_velocity: Array) -> JointCommand:
        """Bring one finite command inside the limits.

        Position targets stay inside the limits and move no faster than the velocity limit. The torque that the command makes at the
        measured state stays inside the effort limit, which is zero towards the outside for a joint beyond a position or velocity limit.

        Args:
            time: of the tick, s.
            command: finite.
            joint_position, joint_velocity: measured, (12,), rad, rad/s, finite.

        Returns:
            The command with a remark per change, in rad, rad/s, N m. Effort is clamped first; then the gains shrink, so that no
            target has to leave its limits.
        """
        limits = self._limits
        elapsed = max(0.0, time - self._time)
        reach = limits.velocity * elapsed
        previous = np.clip(self._position, limits.lower, limits.upper)
        low, high = np.maximum(limits.lower, previous - reach), np.minimum(limits.upper, previous + reach)
        position, remarks = clamp_by_name(limits.names, "position", command.position, low, high)
        # Without stiffness the target asks for nothing, and its clamping is not worth a word.
        remarks = remarks if command.stiffness.any() else ()
        velocity, more = clamp_by_name(limits.names, "velocity", command.velocity, -limits.velocity, limits.velocity)
        reachable = replace(command, position=position, velocity=velocity)
        effort, scale, most = self._limit_torque(reachable, joint_position, joint_velocity, elapsed)
        stiffness, damping = command.stiffness * scale, command.damping * scale
        self._time, self._position = time, position
        self._torque = effort + stiffness * (position - joint_position) + damping * (velocity - joint_velocity)
        return replace(
            reachable,
            effort=effort,
            stiffness=stiffness,
            damping=damping,
            remarks=(*command.remarks, *remarks, *more, *most),
        )

    def _limit_torque(
        self, command: JointCommand, joint_position: Array, joint_velocity: Array, elapsed: float
    ) -> tuple[Array, Array, tuple[str, ...]]:
        """Effort, factor on the gains (0 to 1), and remarks."""
        limits, settings = self._limits, self._settings
        bound = limits.effort
        if settings.torque_speed_diamond:
            bound = bound * np.maximum(0.0, 1.0 - np.abs(joint_velocity) / limits.velocity)
        margin = settings.position_margin
        high = np.where((joint_position > limits.upper + margin) | (joint_velocity > limits.velocity), 0.0, bound)
        low = np.where((joint_position < limits.lower - margin) | (joint_velocity < -limits.velocity), 0.0, -bound)
        effort = np.clip(command.effort, low, high)
        feedback = command.stiffness * (command.position - joint_position) + command.damping * (command.velocity - joint_velocity)
        if settings.effort_rate_limit is not None:
            step = settings.effort_rate_limit * elapsed
            # Where the torque before is outside today's bound, the bound wins over the rate.
            previous = np.clip(self._torque, low, high)
            low, high = np.maximum(low, previous - step), np.minimum(high, previous + step)
        allowed = np.clip(feedback, np.minimum(low - effort, 0.0), np.maximum(high - effort, 0.0))
        limited = np.clip(effort + allowed, low, high) - allowed
        asked, given = command.effort + feedback, limited + allowed
        scale = np.divide(allowed, feedback, out=np.ones_like(feedback), where=allowed != feedback)
        changed = [int(place) for place in np.flatnonzero(np.abs(asked - given) > 1e-9 * limits.effort)]
        remarks = tuple(f"{limits.names[i]} torque {asked[i]:.4g} N m clamped to {given[i]:.4g}" for i in changed)
        return limited, np.clip(scale, 0.0, 1.0), remarks
