# SPDX-License-Identifier: Apache-2.0
"""Dynamixel servos on a serial line."""

from collections.abc import Callable
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import SurefootError
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.bus import Array, BusHealth
from surefoot.servos.dynamixel.lead import Lead
from surefoot.servos.dynamixel.line import UNSENT, Line, Reply, Stretch
from surefoot.servos.dynamixel.members import JOINT_STATE, Members
from surefoot.servos.dynamixel.port import Port, check_port
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.setup import make_ready
from surefoot.servos.dynamixel.watch import ServoWatch
from surefoot.servos.offenders import first_of
from surefoot.settings import Settings

SETTINGS: type[Settings] = DynamixelSettings

REPEATS = 3
"""Times that something is said which nobody confirms: torque on, and off at the end."""


class DynamixelBus:
    """Servos of both protocols on one line.

    A position servo knows no damping: where a command asks for that alone, its torque is off, and that is said anew at every write. In
    current mode the torque law is worked out here, at the rate of the bus, for each servo from its own last answer; one whose answer is too
    old gets no torque.

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
        self._members = members = Members(settings, names, model.effort_limit)
        members.check_range(model.position_lower, model.position_upper)
        self._line = Line(Port(settings.port, settings.baud_rate, settings.reply_time))
        try:
            make_ready(self._line, members, settings)
            members.check_range(model.position_lower, model.position_upper)
        except Exception:
            self._line.close()
            raise
        self._place = {identity: place for place, identity in enumerate(members.identities)}
        self._stretches = [Stretch(*table.span(*JOINT_STATE)) for table in members.tables]
        self._has_modes = np.array([bool(table.modes) for table in members.tables])
        self._order = list(range(self._count))
        self._position, self._velocity = np.zeros(self._count), np.zeros(self._count)
        self._heard = np.full(self._count, -np.inf)
        self._told = np.zeros(self._count, dtype=np.int64)
        """How often each was told to have torque since it was told last to have none."""
        self._watch = ServoWatch(self._line, members, settings.watchdog)
        self._silent: dict[int, float] = {}
        self._lead = Lead(model.position_lower, model.position_upper, model.velocity_limit, members.stiffness)
        self._reads, self._writes, self._held = 0, 0, False

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
        effort = np.full(self._count, np.nan)
        for identity, reply in replies.items():
            place = self._place[identity]
            reading = self._members.reading(place, reply.data, self._stretches[place].start)
            self._position[place], self._velocity[place], effort[place] = reading
            self._heard[place] = now
            self._watch.note_error(place, reply.error)
        for place, identity in enumerate(self._members.identities):
            if identity in replies:
                self._silent.pop(place, None)
            else:
                self._silent.setdefault(place, now)
        # Those that are silent are asked last, where they take none of the others along.
        self._order = sorted(range(self._count), key=lambda place: place in self._silent)
        self._reads += 1
        if self._reads % self._settings.health_every == 0:
            self._look()
        if self._silent:
            return None
        nothing = np.full(3, np.nan)
        return SensorSample(now, self._position.copy(), self._velocity.copy(), effort, nothing, nothing, np.full((4, 3), np.nan))

    def write(self, command: JointCommand) -> None:
        """See ServoBus.write.

        Raises:
            SurefootError: a part of it did not leave.
        """
        unsent = self._line.counters[UNSENT]
        known = self._clock() - self._heard <= self._settings.stale_after
        feedback = command.stiffness * (command.position - self._position) + command.damping * (command.velocity - self._velocity)
        torque = command.effort + np.where(known, feedback, 0.0)
        self._held = held = not command.is_damping
        wants = np.full(self._count, held)
        target = self._lead.target(self._clock(), command)
        if self._settings.mode == "current":
            wants = np.where(self._has_modes, known & (held | (command.damping > 0.0)), wants)
            torque = np.where(wants, torque, 0.0)
        elif self._settings.mode == "current_based_position":
            torque = np.abs(torque) + self._settings.torque_reserve
        # Whatever it is told, it makes something else of it.
        wants[sorted(self._watch.astray)] = False
        self._writes += 1
        self._told = np.where(wants, self._told + 1, 0)
        begins = np.flatnonzero((self._told > 0) & (self._told <= REPEATS))
        self._watch.rearm(begins.tolist())
        # Not kept without power: a servo that was restarted has forgotten it.
        members = self._members
        for name in dict.fromkeys(members.bound_item[place] for place in begins if members.bound_item[place]):
            places = [int(place) for place in begins if members.bound_item[place] == name]
            self._write_each(name, {place: int(members.torque_bound[place]) for place in places})
        self._write_goals(target, torque, wants)
        said = np.flatnonzero(self._told <= REPEATS)
        self._write_each("torque_enable", {int(place): int(wants[place]) for place in said})
        if self._line.counters[UNSENT] > unsent:
            raise SurefootError(self._line.gone or f"the port {self._settings.port} takes nothing; look at its adapter")

    def health(self) -> BusHealth:
        """See ServoBus.health."""
        problem = self._line.gone
        if not problem and self._silent:
            now = self._clock()
            silent = sorted(self._silent.items())
            problem = first_of([f"{self._members.label(place)} is silent for {now - since:.3f} s" for place, since in silent])
        counters = MappingProxyType(dict(self._line.counters) | {"reads": self._reads, "writes": self._writes})
        return BusHealth(problem, self._watch.faults, self._watch.temperature.copy(), self._watch.voltage.copy(), counters)

    def close(self) -> None:
        """See ServoBus.close."""
        for _ in range(REPEATS if self._writes else 0):
            self._write_each("torque_enable", dict.fromkeys(range(self._count), 0))
        self._line.close()

    def _speaks(self, place: int, protocol: int) -> bool:
        return self._members.tables[place].protocol == protocol

    def _look(self) -> None:
        lost = self._watch.look(np.where(self._told == 0, 0, np.where(self._told < REPEATS, -1, 1)), self._held)
        if lost is not None and not self._held:
            # Under damping alone nothing jumps: it may be told again.
            self._told[lost] = 0

    def _write_goals(self, target: Array, torque: Array, wants: NDArray[np.bool_]) -> None:
        by_current = self._has_modes & (self._settings.mode != "position")
        if by_current.any():
            units = self._members.current_units(torque)
            if self._settings.mode == "current_based_position":
                units = [abs(unit) for unit in units]
            self._write_each("goal_current", {int(place): units[place] for place in np.flatnonzero(by_current)})
        # There are servos whose torque is switched on by a goal.
        by_position = wants & ~(self._has_modes & (self._settings.mode == "current"))
        counts = self._members.counts(target)
        self._write_each("goal_position", {int(place): counts[place] for place in np.flatnonzero(by_position)})

    def _write_each(self, name: str, values: dict[int, int]) -> None:
        for protocol in (2, 1):
            packets = self._members.packets(protocol, name, values)
            if packets:
                self._line.write(protocol, packets)


def check(model: RobotModel, settings: DynamixelSettings) -> None:
    """See `servos.buses`."""
    Members(settings, model.description.joint_names, model.effort_limit).check_range(model.position_lower, model.position_upper)
    check_port(settings.port)


def open_bus(model: RobotModel, settings: DynamixelSettings, clock: Callable[[], float]) -> DynamixelBus:
    """See `buses.open_bus`."""
    return DynamixelBus(model, settings, clock)
