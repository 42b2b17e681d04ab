# SPDX-License-Identifier: Apache-2.0
"""Control tables of Dynamixel servos, read from config/servos: which number lies where, and what it means."""

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from surefoot.errors import UnknownNameError
from surefoot.robot.locate import shared_directory
from surefoot.settings import Settings, read_settings

Positive = Annotated[float, Field(gt=0.0)]

NEEDED = (
    "model_number", "identity", "baud_rate", "return_delay", "torque_enable", "goal_position", "present_position", "present_velocity",
    "present_load", "present_voltage", "present_temperature",
)  # fmt: skip
"""What the bus cannot do without."""

LEAST_UNITS, MOST_UNITS = 50, 20_000
"""How far a servo counts torque and velocity up to its own limits: none is so coarse or so fine that it would lie outside."""


class Item(Settings):
    """One number of a control table."""

    address: Annotated[int, Field(ge=0, le=1023)]
    size: Literal[1, 2, 4]


class Model(Settings):
    """A servo that has this table."""

    name: str
    torque_per_unit: Positive
    """Torque at the shaft for each unit of the present and goal current, or of the present load, N m."""
    stall_torque: Positive | None = None
    """At the nominal voltage, N m; none where it is not known: then nothing bounds its torque by its voltage."""
    nominal_voltage: Positive = 12.0
    """Of the stall torque, V."""
    no_load_speed: Positive
    """rad/s"""


class ControlTable(Settings):
    """A family of servos with one table."""

    protocol: Literal[1, 2]
    counts_per_turn: Positive
    centre: int
    """Count of the position zero of the maker."""
    count_range: tuple[int, int]
    """Counts that it may be sent to."""
    signed: bool
    """Whether numbers below zero are written as two's complement; else as sign bit and size."""
    sign_bit: Annotated[int, Field(ge=0, le=31)] = 10
    """Of velocity and load, where they are not signed."""
    velocity_unit: Positive
    """rad/s"""
    voltage_unit: Positive = 0.1
    """V"""
    return_delay_unit: Positive = 2e-6
    """s"""
    bus_watchdog_unit: Positive = 0.02
    """s"""
    pwm_full: Annotated[int, Field(ge=1)] = 885
    """Goal PWM that gives the motor its whole supply."""
    baud_rates: dict[int, int]
    """Number in the table for each baud rate."""
    modes: dict[str, int] = Field(default_factory=dict)
    """Number of each operating mode; empty for servos that know position only."""
    error_bits: dict[int, str]
    """Of the error byte in Protocol 1 and of the hardware error status in Protocol 2, by bit."""
    models: dict[int, Model]
    """By model number."""
    items: dict[str, Item]

    @model_validator(mode="after")
    def _whole(self) -> "ControlTable":
        missing = [name for name in NEEDED if name not in self.items]
        if missing:
            raise ValueError(f"items: {', '.join(missing)} missing")
        least, most = self.count_range
        if not least <= self.centre <= most:
            raise ValueError(f"centre: {self.centre} is not inside of count_range, {least} to {most}")
        for model in self.models.values():
            for what, whole, unit in (
                ("stall_torque (N m) and torque_per_unit (N m)", model.stall_torque, model.torque_per_unit),
                ("no_load_speed (rad/s) and velocity_unit (rad/s)", model.no_load_speed, self.velocity_unit),
            ):
                if whole is not None and not LEAST_UNITS <= whole / unit <= MOST_UNITS:
                    raise ValueError(
                        f"{what} of {model.name} are {whole:g} and {unit:g}: its numbers would go up to {whole / unit:.3g}, and those of a "
                        f"servo go up to {LEAST_UNITS} to {MOST_UNITS}. One of the two is in another unit"
                    )
        return self

    @property
    def radians_per_count(self) -> float:
        """Of the position, rad."""
        return 2.0 * math.pi / self.counts_per_turn

    def watchdog_number(self, seconds: float) -> int:
        """What the bus watchdog holds for so many seconds of silence, s; at least one unit."""
        return max(1, round(seconds / self.bus_watchdog_unit))

    def span(self, *names: str) -> tuple[int, int]:
        """First address and number of bytes of the stretch that holds all these numbers."""
        items = [self.items[name] for name in names]
        start = min(item.address for item in items)
        return start, max(item.address + item.size for item in items) - start

    def value(self, name: str, data: bytes, start: int, signed: bool = True) -> int:
        """One number out of a stretch that begins at an address.

        Args:
            name: of the number.
            data: the stretch.
            start: its first address.
            signed: whether this number can be below zero.
        """
        item = self.items[name]
        place = item.address - start
        raw = data[place : place + item.size]
        if self.signed or not signed:
            return int.from_bytes(raw, "little", signed=self.signed and signed)
        number = int.from_bytes(raw, "little")
        size = number & ((1 << self.sign_bit) - 1)
        return -size if number >> self.sign_bit & 1 else size

    def bytes_of(self, name: str, number: int) -> bytes:
        """A number as the table holds it; one that does not fit is cut to what does."""
        size = self.items[name].size
        if self.signed:
            most = (1 << (8 * size - 1)) - 1
            return max(-most - 1, min(most, number)).to_bytes(size, "little", signed=True)
        return max(0, min((1 << (8 * size)) - 1, number)).to_bytes(size, "little")

    def errors(self, byte: int) -> str:
        """The bits of an error byte in words; empty for none."""
        return ", ".join(words for bit, words in sorted(self.error_bits.items()) if byte >> bit & 1)


def table_names() -> tuple[str, ...]:
    """The tables in config/servos."""
    return tuple(sorted(path.stem for path in (shared_directory() / "config" / "servos").glob("*.yaml")))


def read_table(name: str) -> ControlTable:
    """A table of config/servos by name.

    Raises:
        UnknownNameError: naming the tables that there are.
        ConfigurationError: what is wrong with its file.
    """
    if name not in table_names():
        raise UnknownNameError("control table", name, table_names(), "See config/servos.")
    return read_settings(ControlTable, shared_directory() / "config" / "servos" / f"{name}.yaml")
