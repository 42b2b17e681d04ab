# SPDX-License-Identifier: Apache-2.0
"""Finding servos on a line, and making them ready."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from surefoot.errors import SurefootError
from surefoot.servos.dynamixel.line import LOST_ON_THE_WAY, Line, Stretch
from surefoot.servos.dynamixel.members import Members
from surefoot.servos.dynamixel.port import Port
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.table import read_table, table_names

TRIES = 3
"""Of each question while setting up; one lost packet is no missing servo."""


FULL_TORQUE = 1023
"""The torque limit of a servo that bounds nothing."""


class Found(NamedTuple):
    """A servo on a line.

    Attributes:
        identity: on the wire.
        protocol: 1 or 2.
        baud_rate: at which it answers.
        number: of its model.
        model: its name and the table that knows it; empty where none does.
    """

    identity: int
    protocol: int
    baud_rate: int
    number: int
    model: str


def find_servos(
    port_name: str, baud_rates: Iterable[int], identities: Iterable[int] = range(253), reply_time: float = 0.003
) -> list[Found]:
    """Ask for every identity at every baud rate in both protocols.

    Raises:
        ConfigurationError: the port cannot be used.
    """
    identities = list(identities)
    known = _models()
    found = []
    for baud_rate in baud_rates:
        line = Line(Port(port_name, baud_rate, reply_time))
        try:
            for protocol in (2, 1):
                for identity in identities:
                    number = line.ping(protocol, identity)
                    if number is not None:
                        found.append(Found(identity, protocol, baud_rate, number, known.get((protocol, number), "")))
        finally:
            line.close()
    return found


def set_baud_rate(port_name: str, servo: Found, table_name: str, baud_rate: int, reply_time: float = 0.003) -> None:
    """Give a servo another baud rate.

    Raises:
        SurefootError: the servo does not know the rate, does not confirm, or does not answer at the new rate.
    """
    table = read_table(table_name)
    if baud_rate not in table.baud_rates:
        rates = ", ".join(map(str, sorted(table.baud_rates)))
        raise SurefootError(f"servo {servo.identity} ({table_name}) does not know {baud_rate} baud; it knows {rates}")
    line = Line(Port(port_name, servo.baud_rate, reply_time))
    try:
        off, item = table.items["torque_enable"], table.items["baud_rate"]
        number = table.bytes_of("baud_rate", table.baud_rates[baud_rate])
        for what, address, data in (("lose its torque", off.address, b"\0" * off.size), ("take the rate", item.address, number)):
            problem = _tried(partial(line.write_one, table.protocol, servo.identity, address, data))
            # A lost answer is no harm: whether it was heard shows at the new rate.
            if problem and problem not in LOST_ON_THE_WAY:
                raise SurefootError(f"servo {servo.identity} does not {what} at {servo.baud_rate} baud: {problem}")
    finally:
        line.close()
    if not find_servos(port_name, (baud_rate,), (servo.identity,), reply_time):
        raise SurefootError(
            f"servo {servo.identity} does not answer at {baud_rate} baud after it was set from {servo.baud_rate}; find it again and retry"
        )


def restart(port_name: str, servo: Found, reply_time: float = 0.003) -> None:
    """Let a servo begin anew, which clears a hardware error whose cause is gone.

    Raises:
        SurefootError: it cannot, or does not confirm.
    """
    if servo.protocol == 1:
        raise SurefootError(f"servo {servo.identity} speaks Protocol 1.0, which knows no restart: switch its power off and on")
    line = Line(Port(port_name, servo.baud_rate, reply_time))
    try:
        problem = _tried(lambda: line.restart(servo.identity))
        if problem:
            way_out = "look at its cable, or switch" if problem in LOST_ON_THE_WAY else "switch"
            raise SurefootError(f"servo {servo.identity} does not confirm that it restarts: {problem}; {way_out} its power off and on")
    finally:
        line.close()


def make_ready(line: Line, members: Members, settings: DynamixelSettings) -> None:
    """Check that every servo is there and what it says it is; set delays, modes and watchdogs, with torque off.

    Raises:
        SurefootError: servos are missing, are of another kind than their table, or do not take a setting.
    """
    numbers = {place: _ping(line, members, place) for place in range(len(members.names))}
    missing = [members.label(place) for place, number in numbers.items() if number is None]
    if missing:
        there = [members.label(place) for place, number in numbers.items() if number is not None]
        raise SurefootError(
            f"no answer on {settings.port} at {settings.baud_rate} baud from {', '.join(missing)}; answers: {', '.join(there) or 'none'}. "
            "Look at power and cables from the last that answers on, and at identities and baud rates with: surefoot servos find"
        )
    for place, number in numbers.items():
        table = members.tables[place]
        if number not in table.models:
            kinds = ", ".join(f"{model.name} ({key})" for key, model in table.models.items())
            raise SurefootError(f"{members.label(place)} is of model number {number}, and its table is for {kinds}; name another table")
        members.torque_per_unit[place] = table.models[number].torque_per_unit
        wanted = _wanted(members, place, settings)
        _settle(line, members, place, wanted)
        _take_limits(line, members, place, number, settings)
        if name := members.bound_item[place]:
            wanted[name] = int(members.torque_bound[place])
        _confirm(line, members, place, wanted)


def _wanted(members: Members, place: int, settings: DynamixelSettings) -> dict[str, int]:
    """What a servo is to hold before it gets torque, by name."""
    table, mode = members.tables[place], members.modes[place]
    wanted = {"torque_enable": 0, "return_delay": 0}
    if mode is not None:
        wanted["operating_mode"] = mode
    if "bus_watchdog" in table.items:
        wanted["bus_watchdog"] = table.watchdog_number(settings.watchdog) if settings.watchdog > 0.0 else 0
    return wanted


def _confirm(line: Line, members: Members, place: int, wanted: Mapping[str, int]) -> None:
    """See that a servo holds what it is to hold: it says so in one answer, as long as none to a question about one number."""
    table = members.tables[place]
    start, length = table.span(*wanted)
    data = _stretch(line, members, place, Stretch(start, length), " and ".join(wanted))
    for name, value in wanted.items():
        if (own := table.value(name, data, start, signed=False)) != value:
            raise SurefootError(
                f"{members.label(place)} does not confirm {name} = {value}: it says {own}; look at its cable and at the "
                "latency timer of the adapter, name the table of its model, or restart it"
            )


def _settle(line: Line, members: Members, place: int, wanted: Mapping[str, int]) -> None:
    for name, value in wanted.items():
        # What is kept without power wears out by writing.
        if _ask(line, members, place, name) == value:
            continue
        # A watchdog that has tripped takes nothing but a zero.
        for number in (0, value) if name == "bus_watchdog" else (value,):
            problem = _tried(partial(write_item, line, members, place, name, number))
            if problem:
                way_out = "look at its cable" if problem in LOST_ON_THE_WAY else "name the table of its model, or restart it"
                raise SurefootError(f"{members.label(place)} does not confirm {name} = {number}: {problem}; {way_out}")


def _take_limits(line: Line, members: Members, place: int, number: int, settings: DynamixelSettings) -> None:
    """Learn what a servo permits itself: it refuses what is beyond without a word that anybody hears."""
    table = members.tables[place]
    moded = bool(table.modes) and settings.mode != "position"
    members.most_current[place] = members.most_units(place)
    if moded and "current_limit" in table.items:
        members.most_current[place] = min(members.most_current[place], _ask(line, members, place, "current_limit"))
    if "torque_limit" in table.items and members.most_units(place) < FULL_TORQUE:
        _bound_torque(line, members, place, "torque_limit", members.most_units(place))
    elif not moded and "goal_pwm" in table.items:
        voltage = _ask(line, members, place, "present_voltage") * table.voltage_unit
        most = members.most_pwm(place, table.models[number], voltage)
        if most < table.pwm_full:
            _bound_torque(line, members, place, "goal_pwm", most)
    if not moded and "least_position" in table.items and "most_position" in table.items:
        lower, upper = members.count_range[place]
        own = _ask(line, members, place, "least_position"), _ask(line, members, place, "most_position")
        members.count_range[place] = max(lower, own[0]), min(upper, own[1])


def _bound_torque(line: Line, members: Members, place: int, name: str, most: int) -> None:
    """Let a servo keep its own torque inside of the effort limit of its joint; one that permits itself less is left at that.

    Args:
        line, members, place: of the servo.
        name: of the number that bounds its torque.
        most: that it may be.
    """
    own = _ask(line, members, place, name)
    # A servo that has shut down has zero here, which is not what anybody chose.
    members.bound_item[place], members.torque_bound[place] = name, min(own, most) if own > 0 else most
    if own == members.torque_bound[place]:
        return
    if problem := _tried(partial(write_item, line, members, place, name, most)):
        way_out = "look at its cable" if problem in LOST_ON_THE_WAY else "name the table of its model, or restart it"
        raise SurefootError(f"{members.label(place)} does not confirm {name} = {most}: {problem}; {way_out}")


def _tried(work: Callable[[], str]) -> str:
    """The last problem of some tries; empty once one succeeds. What a servo refuses, it refuses again."""
    problem = ""
    for _ in range(TRIES):
        problem = work()
        if problem not in LOST_ON_THE_WAY:
            break
    return problem


def write_item(line: Line, members: Members, place: int, name: str, number: int) -> str:
    """Write one number of one servo; gives why it did not take it, empty where it did."""
    table = members.tables[place]
    return line.write_one(table.protocol, members.identities[place], table.items[name].address, table.bytes_of(name, number))


def _ask(line: Line, members: Members, place: int, name: str) -> int:
    """One number of one servo. Raises SurefootError where it does not answer."""
    table = members.tables[place]
    item = table.items[name]
    return table.value(name, _stretch(line, members, place, Stretch(item.address, item.size), name), item.address)


def _stretch(line: Line, members: Members, place: int, stretch: Stretch, what: str) -> bytes:
    """Some bytes of one servo. Raises SurefootError where it does not answer, by what is asked for."""
    identity = members.identities[place]
    for _ in range(TRIES):
        reply = line.read(members.tables[place].protocol, {identity: stretch}).get(identity)
        if reply is not None:
            return reply.data
    raise SurefootError(f"{members.label(place)} does not say its {what}; look at its cable")


def _ping(line: Line, members: Members, place: int) -> int | None:
    for _ in range(TRIES):
        number = line.ping(members.tables[place].protocol, members.identities[place])
        if number is not None:
            return number
    return None


def _models() -> Mapping[tuple[int, int], str]:
    tables = {name: read_table(name) for name in table_names()}
    return {
        (table.protocol, number): f"{model.name} ({name})" for name, table in tables.items() for number, model in table.models.items()
    }
