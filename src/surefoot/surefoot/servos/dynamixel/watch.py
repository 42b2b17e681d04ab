# SPDX-License-Identifier: Apache-2.0
"""What the servos of a line say of themselves, asked one servo at a time: whether they are what the bus believes that they are."""

import numpy as np
from numpy.typing import NDArray

from surefoot.servos.dynamixel.line import Line, Stretch
from surefoot.servos.dynamixel.members import Members

ALERT = 0x80
"""Bit of the error byte of Protocol 2: the servo has something in its hardware error status."""

UNEXPLAINED = "hardware alert"

LOOKED_AT = ("operating_mode", "torque_enable", "hardware_error", "bus_watchdog", "present_voltage", "present_temperature")
"""One stretch of the table holds them all."""

RESTART = "once its cause is gone, restart it: surefoot servos reboot, or its power off and on"


class ServoWatch:
    """Faults, temperatures and voltages.

    Args:
        line: of the servos.
        members: see there.
        watchdog: that the servos were given, s; 0: none.

    Attributes:
        temperature, voltage: (12,), degrees Celsius and V; NaN until they are known.
        astray: places of servos in another operating mode than they were told, in which a goal means something else.
    """

    def __init__(self, line: Line, members: Members, watchdog: float) -> None:
        count = len(members.names)
        self._line, self._members = line, members
        self.temperature, self.voltage = np.full(count, np.nan), np.full(count, np.nan)
        self._watchdogs = {
            place: table.watchdog_number(watchdog)
            for place, table in enumerate(members.tables)
            if watchdog > 0.0 and "bus_watchdog" in table.items
        }
        self.astray: set[int] = set()
        self._told: dict[int, str] = {}
        self._found: dict[int, str] = {}
        self._looks, self._last = 0, -1

    @property
    def faults(self) -> tuple[str, ...]:
        """Servos that report a fault, or are not as they should be, with words."""
        places = sorted(self._told.keys() | self._found.keys())
        words = {place: "; ".join(table[place] for table in (self._told, self._found) if place in table) for place in places}
        return tuple(f"{self._members.label(place)}: {words[place]}" for place in places)

    def note_error(self, place: int, error: int) -> None:
        """Take the error byte that came with an answer of a servo."""
        table = self._members.tables[place]
        if table.protocol == 1 and error:
            self._told[place] = table.errors(error)
        elif error & ALERT:
            self._told.setdefault(place, UNEXPLAINED)
        else:
            self._told.pop(place, None)

    def rearm(self, places: list[int]) -> None:
        """Give servos their watchdogs anew; nobody confirms it. One that has tripped ignores every goal until then."""
        watched = [place for place in places if place in self._watchdogs]
        for values in (dict.fromkeys(watched, 0), {place: self._watchdogs[place] for place in watched}):
            self._line.write(2, self._members.packets(2, "bus_watchdog", values))

    def look(self, torque: NDArray[np.int64], held: bool) -> int | None:
        """Ask the next servo.

        Args:
            torque: whether each was told to have torque, (12,): 0 or 1; -1 where it need not know yet.
            held: whether joints are held in their places, so that one that is told anew could jump.

        Returns:
            The place of a servo that has not the torque, or not the bound of it, that it was told to have.
        """
        place = self._next()
        table, identity = self._members.tables[place], self._members.identities[place]
        bound = self._members.bound_item[place]
        start, length = table.span(*(name for name in (*LOOKED_AT, bound) if name in table.items))
        reply = self._line.read(table.protocol, {identity: Stretch(start, length)}).get(identity)
        if reply is None:
            return None
        self.voltage[place] = table.value("present_voltage", reply.data, start, signed=False) * table.voltage_unit
        self.temperature[place] = table.value("present_temperature", reply.data, start, signed=False)
        if place in self._told and "hardware_error" in table.items:
            words = table.errors(table.value("hardware_error", reply.data, start, signed=False))
            self._told[place] = f"{words or UNEXPLAINED}; {RESTART}"
        given, wanted = table.value("torque_enable", reply.data, start, signed=False) != 0, int(torque[place])
        lost = wanted == 1 and not given and place not in self._told
        unbound = wanted == 1 and given and bound != "" and table.value(bound, reply.data, start) > self._members.torque_bound[place]
        watchdog = self._watchdog_problem(place, reply.data, start)
        if watchdog and not held:
            self.rearm([place])
        problems = (
            self._mode_problem(place, reply.data, start),
            "is still under torque, which was switched off" if given and wanted == 0 else "",
            "has lost its torque: it was restarted, or never heard of it" if lost else "",
            f"{bound} is beyond the effort limit of its joint: it never heard of it, or somebody else wrote it" if unbound else "",
            watchdog,
        )
        self._found.pop(place, None)
        if any(problems):
            self._found[place] = "; ".join(words for words in problems if words)
        return place if lost or unbound else None

    def _mode_problem(self, place: int, data: bytes, start: int) -> str:
        wanted, self.astray = self._members.modes[place], self.astray - {place}
        if wanted is None or (mode := self._members.tables[place].value("operating_mode", data, start, signed=False)) == wanted:
            return ""
        self.astray |= {place}
        return f"is in operating mode {mode}, told mode {wanted}; start the bridge anew, which sets it"

    def _watchdog_problem(self, place: int, data: bytes, start: int) -> str:
        if place not in self._watchdogs:
            return ""
        number = self._members.tables[place].value("bus_watchdog", data, start)
        if number == self._watchdogs[place]:
            return ""
        return "its bus watchdog tripped: it ignores every goal" if number < 0 else "its bus watchdog is off: it was restarted"

    def _next(self) -> int:
        """Those with trouble in turn, and at every other look whoever comes next of all."""
        suspects = sorted({place for place, words in self._told.items() if words == UNEXPLAINED} | self._found.keys())
        self._looks += 1
        if suspects and self._looks % 2:
            return suspects[self._looks // 2 % len(suspects)]
        self._last = (self._last + 1) % len(self._members.names)
        return self._last
