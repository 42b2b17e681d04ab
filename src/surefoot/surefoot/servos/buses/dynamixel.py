# SPDX-License-Identifier: Apache-2.0
"""Dynamixel servos on a serial line."""

from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.bus import Array, BusHealth
from surefoot.servos.dynamixel.line import Line, Reply, Stretch
from surefoot.servos.dynamixel.members import JOINT_STATE, Members
from surefoot.servos.dynamixel.port import Port
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.setup import make_ready
from surefoot.settings import Settings

SETTINGS: type[Settings] = DynamixelSettings

ALERT = 0x80
"""Bit of the error byte of Protocol 2: the servo has something in its hardware error status."""

FAREWELLS = 3
"""Times that torque is switched off at the end; nobody confirms it."""


class DynamixelBus:
    """Servos of both protocols on one line.

    A position servo knows no damping: where a command asks for that alone, its torque is off. In current mode the torque law is worked out
    here, at the rate of the bus, from the joint state that was read last.

    Args:
        model: the robot.
        settings: of the line.
        clock: time of the stamps, s.

    Raises:
        SurefootError: the port cannot be used, or servos are missing, wrong or out of reach of their joints.
    """

    def __init__(self, model: RobotModel, settings: DynamixelSettings, clock: Callable[[], float]) -> None:
        names = model.description.joint_names
        self._settings, self._clock, self._count = settings, clock, len(names)
        self._members = members = Members(settings, names)
        members.check_range(model.position_lower, model.position_upper)
        self._line = Line(Port(settings.port, settings.baud_rate, settings.reply_time))
        try:
            make_ready(self._line, members, settings)
        except Exception:
            self._line.close()
            raise
        self._place = {identity: place for place, identity in enumerate(members.identities)}
        self._stretches = [Stretch(*table.span(*JOINT_STATE)) for table in members.tables]
        self._order = list(range(self._count))
        self._position, self._velocity = np.zeros(self._count), np.zeros(self._count)
        self._temperature, self._voltage = np.full(self._count, np.nan), np.full(self._count, np.nan)
        self._under_torque = np.zeros(self._count, dtype=bool)
        self._faults: dict[int, str] = {}
        self._silent: dict[int, float] = {}
        self._reads, self._looked_at = 0, -1

    def read(self) -> SensorSample | None:
        """See ServoBus.read. None unless every servo answered."""
        now = self._clock()
        replies: dict[int, Reply] = {}
        for protocol in (2, 1):
            asked = {self._members.identities[place]: self._stretches[place] for place in self._order if self._speaks(place, protocol)}
            replies |= self._line.read(protocol, asked)
            unheard = {identity: stretch for identity, stretch in asked.items() if identity not in replies}
            if protocol == 2 and len(unheard) > 1:
                # Behind one that is silent, all are: those are asked again without it.
                replies |= self._line.read(protocol, dict(list(unheard.items())[1:]))
        readings = {}
        for identity, reply in replies.items():
            place = self._place[identity]
            readings[place] = self._members.reading(place, reply.data, self._stretches[place].start)
            self._note_error(place, reply.error)
        for place in range(self._count):
            if place in readings:
                self._silent.pop(place, None)
            else:
                self._silent.setdefault(place, now)
        # Those that are silent are asked last, where they take none of the others along.
        self._order = sorted(range(self._count), key=lambda place: place in self._silent)
        self._reads += 1
        if self._reads % self._settings.health_every == 0:
            self._look_after_one()
        if self._silent:
            return None
        ordered = np.array([readings[place] for place in range(self._count)])
        self._position, self._velocity = ordered[:, 0].copy(), ordered[:, 1].copy()
        nothing = np.full(3, np.nan)
        return SensorSample(now, self._position, self._velocity, ordered[:, 2].copy(), nothing, nothing, np.full((4, 3), np.nan))

    def write(self, command: JointCommand) -> None:
        """See ServoBus.write."""
        feedback = command.stiffness * (command.position - self._position) + command.damping * (command.velocity - self._velocity)
        torque = command.effort + feedback
        wants = (command.stiffness > 0.0) | (command.effort != 0.0)
        target = command.position + np.where(wants, command.effort / self._members.stiffness, 0.0)
        if self._settings.mode == "current":
            wants |= command.damping > 0.0
        elif self._settings.mode == "current_based_position":
            torque = np.abs(torque) + self._settings.torque_reserve
        self._write_goals(target, torque)
        switched = [place for place in range(self._count) if wants[place] or self._under_torque[place]]
        self._write_each("torque_enable", {place: int(wants[place]) for place in switched if wants[place] != self._under_torque[place]})
        self._under_torque = wants

    def health(self) -> BusHealth:
        """See ServoBus.health."""
        problem = self._line.gone
        if not problem and self._silent:
            now = self._clock()
            silent = sorted(self._silent.items())
            problem = "; ".join(f"{self._members.label(place)} is silent for {now - since:.3f} s" for place, since in silent)
        faults = tuple(f"{self._members.label(place)}: {words}" for place, words in sorted(self._faults.items()))
        counters = MappingProxyType(dict(self._line.counters) | {"reads": self._reads})
        return BusHealth(problem, faults, self._temperature.copy(), self._voltage.copy(), counters)

    def close(self) -> None:
        """See ServoBus.close."""
        for _ in range(FAREWELLS):
            self._write_each("torque_enable", dict.fromkeys(range(self._count), 0))
        self._line.close()

    def _speaks(self, place: int, protocol: int) -> bool:
        return self._members.tables[place].protocol == protocol

    def _write_goals(self, target: Array, torque: Array) -> None:
        modes = {place for place in range(self._count) if self._members.tables[place].modes}
        if modes and self._settings.mode != "position":
            units = self._members.current_units(torque)
            if self._settings.mode == "current_based_position":
                units = [abs(unit) for unit in units]
            self._write_each("goal_current", {place: units[place] for place in modes})
        places = set(range(self._count)) - (modes if self._settings.mode == "current" else set())
        counts = self._members.counts(target)
        self._write_each("goal_position", {place: counts[place] for place in sorted(places)})

    def _write_each(self, name: str, values: dict[int, int]) -> None:
        for protocol in (2, 1):
            packets = {
                self._members.identities[place]: (table.items[name].address, table.bytes_of(name, value))
                for place, value in values.items()
                if (table := self._members.tables[place]).protocol == protocol
            }
            if packets:
                self._line.write(protocol, packets)

    def _note_error(self, place: int, error: int) -> None:
        table = self._members.tables[place]
        if table.protocol == 1 and error:
            self._faults[place] = table.errors(error)
        elif error & ALERT:
            self._faults.setdefault(place, "hardware alert")
        else:
            self._faults.pop(place, None)

    def _look_after_one(self) -> None:
        """Read voltage and temperature of the next servo, and the reason of an alert."""
        self._looked_at = place = next(iter(self._alerted()), (self._looked_at + 1) % self._count)
        table, identity = self._members.tables[place], self._members.identities[place]
        start, length = table.span("present_voltage", "present_temperature")
        reply = self._line.read(table.protocol, {identity: Stretch(start, length)}).get(identity)
        if reply is not None:
            self._voltage[place] = table.value("present_voltage", reply.data, start, signed=False) * table.voltage_unit
            self._temperature[place] = table.value("present_temperature", reply.data, start, signed=False)
        if place in self._faults and "hardware_error" in table.items:
            item = table.items["hardware_error"]
            status = self._line.read(table.protocol, {identity: Stretch(item.address, item.size)}).get(identity)
            if status is not None:
                self._faults[place] = table.errors(status.data[0]) or "hardware alert"

    def _alerted(self) -> list[int]:
        return [place for place, words in self._faults.items() if words == "hardware alert"]


def open_bus(model: RobotModel, settings: DynamixelSettings, clock: Callable[[], float]) -> DynamixelBus:
    """See `buses.open_bus`."""
    return DynamixelBus(model, settings, clock)
