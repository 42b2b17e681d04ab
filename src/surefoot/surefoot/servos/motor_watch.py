# SPDX-License-Identifier: Apache-2.0
"""What servos and joints measure, held against their limits; the gates of `gates.MOTOR_GATES` trip on what is found here."""

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.command import JointCommand
from surefoot.servos.bus import BusHealth
from surefoot.servos.intake import StateIntake
from surefoot.servos.limits import JointLimits
from surefoot.servos.offenders import first_of
from surefoot.servos.overruns import EFFORT, FOLLOWING, NONE, POSITION, POWER, VELOCITY, Overruns
from surefoot.servos.settings import BridgeSettings

Array = NDArray[np.float64]

OVERRUN_GATES = {POSITION: "position", VELOCITY: "velocity", EFFORT: "torque", POWER: "power", FOLLOWING: "following"}


class MotorWatch:
    """Watches servos and joints, tick by tick."""

    def __init__(self, limits: JointLimits, settings: BridgeSettings) -> None:
        self._limits, self._settings = limits, settings
        half = 0.5 * (limits.upper - limits.lower)
        limit, patience = np.full((5, len(limits.names)), np.inf), np.full(5, settings.overrun_patience)
        limit[POSITION] = half + settings.overrun_margin
        limit[VELOCITY], limit[EFFORT] = settings.overrun_factor * limits.velocity, settings.overrun_factor * limits.effort
        limit[FOLLOWING], patience[FOLLOWING] = settings.following_error, settings.following_patience
        if settings.max_power is not None:
            limit[POWER] = settings.max_power
        self._no_target = np.full(len(limits.names), np.nan)
        self._overruns = Overruns(limits.names, 0.5 * (limits.lower + limits.upper), limit, patience)

    def reset(self) -> None:
        """Forget what was before."""
        self._overruns.reset()

    def health_problems(self, health: BusHealth | None) -> tuple[tuple[str, str], ...]:
        """What servos say of themselves that takes the torque away: name of the gate and reason."""
        if health is None:
            return ()
        names, settings = self._limits.names, self._settings
        found = []
        if health.faults:
            found.append(("servo fault", first_of(health.faults)))
        if settings.min_voltage is not None and (low := health.voltage < settings.min_voltage).any():
            worst = int(np.nanargmin(np.where(low, health.voltage, np.nan)))
            found.append(("voltage", f"{names[worst]} has {health.voltage[worst]:.2f} V, limit {settings.min_voltage:.2f} V"))
        if (hot := health.temperature > settings.max_temperature).any():
            worst = int(np.nanargmax(np.where(hot, health.temperature, np.nan)))
            degrees = f"{health.temperature[worst]:.1f} degrees Celsius, limit {settings.max_temperature:.1f}"
            found.append(("temperature", f"{names[worst]} has {degrees}"))
        return tuple(found)

    def unwatched(self, joint_effort: Array, health: BusHealth | None) -> tuple[str, ...]:
        """The gates of `gates.MOTOR_GATES` that cannot trip, each with what is missing: on this robot nobody looks for that.

        Args:
            joint_effort: measured, (12,), N m; NaN where it is not.
            health: of the bus; None where there is none.
        """
        settings, told = self._settings, health or BusHealth()
        effort = self._unmeasured(joint_effort)
        missing = {
            "servo fault": "no bus of its own" if health is None else "",
            "voltage": "no min_voltage" if settings.min_voltage is None else self._unmeasured(told.voltage),
            "temperature": self._unmeasured(told.temperature),
            "torque": effort,
            "power": "no max_power" if settings.max_power is None else effort,
        }
        return tuple(f"{gate} ({why})" for gate, why in missing.items() if why)

    def _unmeasured(self, values: Array) -> str:
        """Of which joints something is not measured, in words; empty where of none."""
        places = np.flatnonzero(np.isnan(values))
        if len(places) == len(values):
            return "not measured"
        return f"not measured of {', '.join(self._limits.names[place] for place in places)}" if len(places) else ""

    def problems(
        self, time: float, state: StateIntake, health: BusHealth | None, last: JointCommand | None
    ) -> tuple[tuple[str, str], ...]:
        """Everything that takes the torque away at a time (s), by the names of the gates.

        Args:
            time: s.
            state: of the joints.
            health: of the bus; None where there is none.
            last: the balance command that the servos follow; None where they follow none.
        """
        target = self._no_target if last is None else np.where(last.stiffness > 0.0, last.position, np.nan)
        row, reason = self._overruns.look(time, state.joint_position, state.joint_velocity, state.joint_effort, target)
        found = self.health_problems(health)
        return found if row == NONE else (*found, (OVERRUN_GATES[row], reason))
