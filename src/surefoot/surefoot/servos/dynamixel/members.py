# SPDX-License-Identifier: Apache-2.0
"""The servos of a robot in the order of its description: tables, identities, and their numbers in the units of the joints."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.table import ControlTable, Model, read_table
from surefoot.servos.joint_names import require_every_joint
from surefoot.servos.motors.transmission import Transmission

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""Of a number of units that would be whole but for the floating point."""

JOINT_STATE = ("present_load", "present_velocity", "present_position")


class Reading(NamedTuple):
    """What a servo says of its joint: rad, rad/s, N m."""

    position: float
    velocity: float
    effort: float


class Members:
    """The servos, one for each joint.

    Attributes:
        names: of the joints, in the order of the description.
        identities: on the wire, (12,).
        tables: (12,).
        modes: number of the operating mode that each is to have, (12,); None for one that knows none.
        transmission: joints to servos.
        torque_per_unit: of the servo's shaft, (12,), N m; NaN until its model is known.
        most_current: goal that the effort limit of the joint and the servo itself permit, (12,), units; zero until they are known.
        bound_item: number of the table that keeps the torque of a servo inside of the effort limit of its joint by itself, (12,); empty
            where none does.
        torque_bound: what is written there, (12,), in its units.
        count_range: that the table and the servo itself permit, (12, 2).
    """

    def __init__(self, settings: DynamixelSettings, joint_names: Sequence[str], effort_limit: Array) -> None:
        """effort_limit: of the joints, (12,), N m.

        Raises:
            ConfigurationError: joints are missing, unknown, or share an identity; or a table cannot do what is asked.
        """
        require_every_joint(settings.joints, joint_names, "servo", "joints")
        servos = [settings.joints[name] for name in joint_names]
        identities = [servo.id for servo in servos]
        for identity in sorted(set(identities)):
            if identities.count(identity) > 1:
                shared = [name for name, servo in zip(joint_names, servos, strict=True) if servo.id == identity]
                raise ConfigurationError(f"{' and '.join(shared)} have the same id {identity}; a servo moves one joint")
        tables = {name: read_table(name) for name in {servo.table for servo in servos}}
        self.names, self.identities = tuple(joint_names), identities
        self.tables: list[ControlTable] = [tables[servo.table] for servo in servos]
        for name, table, servo in zip(joint_names, self.tables, servos, strict=True):
            if settings.baud_rate not in table.baud_rates:
                rates = ", ".join(map(str, sorted(table.baud_rates)))
                raise ConfigurationError(f"{name}: {servo.table} does not know {settings.baud_rate} baud; it knows {rates}")
        self.modes = [table.modes[settings.mode] if "operating_mode" in table.items else None for table in self.tables]
        self.transmission = Transmission(
            np.array([float(servo.sign) for servo in servos]),
            np.array([servo.offset for servo in servos]),
            np.array([servo.gear for servo in servos]),
        )
        self.stiffness = np.array([np.inf if servo.stiffness is None else servo.stiffness for servo in servos])
        self.torque_per_unit = np.full(len(servos), np.nan)
        self._effort_limit = effort_limit
        self.most_current = np.zeros(len(servos))
        self.bound_item, self.torque_bound = [""] * len(servos), np.zeros(len(servos), dtype=np.int64)
        self.count_range = np.array([table.count_range for table in self.tables])

    def check_range(self, lower: Array, upper: Array) -> None:
        """Raises ConfigurationError: a servo cannot be sent to all positions from lower to upper, (12,), rad, that its joint may take."""
        ends = np.sort((self._exact(lower), self._exact(upper)), axis=0)
        for place, (least, most) in enumerate(self.count_range):
            if ends[0][place] < least - 0.5 or ends[1][place] > most + 0.5:
                raise ConfigurationError(
                    f"{self.label(place)} would have to go to counts {ends[0][place]:.0f} to {ends[1][place]:.0f} for the limits "
                    f"{lower[place]:.3f} to {upper[place]:.3f} rad of the joint, and can go to {least} to {most}; mend its offset, sign "
                    "or gear, the position limits that are written in the servo, or narrow the limits of the joint"
                )

    def _exact(self, joint_position: Array) -> Array:
        scale = np.array([table.radians_per_count for table in self.tables])
        result: Array = self.transmission.motor_position(joint_position) / scale + [table.centre for table in self.tables]
        return result

    def label(self, place: int) -> str:
        """A servo in words."""
        return f"{self.names[place]} (id {self.identities[place]})"

    def reading(self, place: int, data: bytes, start: int) -> Reading:
        """The joint state out of the bytes of a servo."""
        table, gear = self.tables[place], self.transmission
        load, velocity, position = (table.value(name, data, start) for name in JOINT_STATE)
        sign, ratio = gear.sign[place], gear.gear[place]
        angle = (position - table.centre) * table.radians_per_count
        return Reading(
            angle * sign / ratio + gear.offset[place],
            velocity * table.velocity_unit * sign / ratio,
            load * self.torque_per_unit[place] * sign * ratio,
        )

    def counts(self, joint_position: Array) -> list[int]:
        """Joint positions (12,), rad, in counts of each servo."""
        exact = self._exact(joint_position)
        return [int(count) for count in np.clip(np.round(exact), self.count_range[:, 0], self.count_range[:, 1])]

    def most_units(self, place: int) -> int:
        """The effort limit of a joint in whole units of current or load of its servo, whose model is known; never more, and at least 1."""
        units = self._effort_limit[place] / (self.transmission.gear[place] * self.torque_per_unit[place])
        return max(1, int(units + ROUNDING))

    def most_pwm(self, place: int, model: Model, voltage: float) -> int:
        """The effort limit of a joint in whole units of PWM of its servo, never more: at rest a motor gives that share of its stall torque.

        Args:
            place: of the servo.
            model: of it.
            voltage: of its supply, V; above the nominal one it stalls at more.

        Raises:
            ConfigurationError: nobody knows what the model stalls at, or it is less than one unit.
        """
        limit, full = float(self._effort_limit[place]), self.tables[place].pwm_full
        if model.stall_torque is None:
            raise ConfigurationError(
                f"{self.label(place)} is a {model.name}, whose table has no stall_torque: in position mode nothing would keep it inside of "
                f"the effort limit of its joint, {limit:.2f} N m. Add its stall torque, or take the mode current_based_position"
            )
        stall = float(self.transmission.gear[place]) * model.stall_torque * max(1.0, voltage / model.nominal_voltage)
        units = int(full * limit / stall + ROUNDING)
        if units < 1:
            raise ConfigurationError(
                f"{self.label(place)} stalls at {stall:.2f} N m at its joint, and the effort limit there is {limit:.3g} N m: less than one "
                f"of its {full} steps of PWM. Take a weaker servo, or mend the limit or the gear"
            )
        return min(units, full)

    def current_units(self, joint_torque: Array) -> list[int]:
        """Torques at the joints (12,), N m, in units of current of each servo, inside of `most_current`; 0 for unknown models."""
        units = self.transmission.motor_torque(joint_torque) / self.torque_per_unit
        # A servo refuses a goal beyond its limit, and goes on with the one before.
        inside = np.clip(np.where(np.isfinite(units), units, 0.0), -self.most_current, self.most_current)
        return [round(float(unit)) for unit in inside]

    def packets(self, protocol: int, name: str, values: Mapping[int, int]) -> dict[int, tuple[int, bytes]]:
        """Address and bytes of one number by identity, for those places of values that speak a protocol."""
        return {
            self.identities[place]: (table.items[name].address, table.bytes_of(name, value))
            for place, value in values.items()
            if (table := self.tables[place]).protocol == protocol
        }
