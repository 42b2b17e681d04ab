# SPDX-License-Identifier: Apache-2.0
"""The limiter that every active command passes."""

from collections.abc import Sequence

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
    clamped = _clamp(values, lower, upper)
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
        previous = _clamp(self._position, limits.lower, limits.upper)
        low, high = np.maximum(limits.lower, previous - reach), np.minimum(limits.upper, previous + reach)
        position, remarks = clamp_by_name(limits.names, "position", command.position, low, high)
        # Without stiffness the target asks for nothing, and its clamping is not worth a word.
        remarks = remarks if command.stiffness.any() else ()
        velocity, more = clamp_by_name(limits.names, "velocity", command.velocity, -limits.velocity, limits.velocity)
        feedback = command.stiffness * (position - joint_position) + command.damping * (velocity - joint_velocity)
        bounds = self._torque_bounds(joint_position, joint_velocity)
        effort, scale, torque, most = self._limit_torque(command.effort, feedback, bounds, elapsed)
        self._time, self._position, self._torque = time, position, torque
        stiffness, damping = (command.stiffness, command.damping) if scale is None else (command.stiffness * scale, command.damping * scale)
        return JointCommand(command.time, position, velocity, effort, stiffness, damping, (*command.remarks, *remarks, *more, *most))

    def _torque_bounds(self, joint_position: Array, joint_velocity: Array) -> tuple[Array, Array]:
        """Lowest and highest torque at a measured state, (12,), N m; zero is always between them."""
        limits, margin = self._limits, self._settings.position_margin
        bound = limits.effort
        if self._settings.torque_speed_diamond:
            bound = bound * np.maximum(0.0, 1.0 - np.abs(joint_velocity) / limits.velocity)
        beyond_upper = (joint_position > limits.upper + margin) | (joint_velocity > limits.velocity)
        beyond_lower = (joint_position < limits.lower - margin) | (joint_velocity < -limits.velocity)
        return np.where(beyond_lower, 0.0, -bound), np.where(beyond_upper, 0.0, bound)

    def _limit_torque(
        self, effort: Array, feedback: Array, bounds: tuple[Array, Array], elapsed: float
    ) -> tuple[Array, Array | None, Array, tuple[str, ...]]:
        """Effort, factor on the gains (0 to 1; None: they stay), the torque of both, and remarks."""
        low, high = bounds
        asked = effort + feedback
        limited = _clamp(effort, low, high)
        if self._settings.effort_rate_limit is not None:
            step = self._settings.effort_rate_limit * elapsed
            # Where the torque before is outside today's bound, the bound wins over the rate.
            previous = _clamp(self._torque, low, high)
            low, high = np.maximum(low, previous - step), np.minimum(high, previous + step)
        if ((asked >= low) & (asked <= high) & (limited == effort)).all():
            return effort, None, asked, ()
        allowed = _clamp(feedback, np.minimum(low - limited, 0.0), np.maximum(high - limited, 0.0))
        limited = _clamp(limited + allowed, low, high) - allowed
        scale = np.divide(allowed, feedback, out=np.ones_like(feedback), where=allowed != feedback)
        given = limited + allowed
        names = self._limits.names
        changed = [int(place) for place in np.flatnonzero(np.abs(asked - given) > 1e-9 * self._limits.effort)]
        remarks = tuple(f"{names[i]} torque {asked[i]:.4g} N m clamped to {given[i]:.4g}" for i in changed)
        return limited, _clamp(scale, np.zeros_like(scale), np.ones_like(scale)), given, remarks


def _clamp(values: Array, lower: Array, upper: Array) -> Array:
    """What np.clip does, at a third of its cost on short arrays."""
    return np.minimum(np.maximum(values, lower), upper)
