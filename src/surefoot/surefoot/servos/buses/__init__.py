# SPDX-License-Identifier: Apache-2.0
"""Buses by name: our own are the files here, those of others come by the entry point group `surefoot.servo_buses`.

A bus is a module with SETTINGS, the class of its settings, and open_bus(model, settings, clock), which gives a ServoBus. Settings with a
property `device`, or `devices` where there are several, name what no two bridges may share. A function check(model, settings), where there
is one, raises a SurefootError for what can be seen without touching a servo.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.real_time import WISH, moves_motors
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.servos.bus import ServoBus
from surefoot.settings import Settings, SettingsType, check_settings, is_path_to_yaml, read_settings

GROUP = "surefoot.servo_buses"
"""Entry points of other packages: name of the bus = its module."""

OURS = ("dynamixel", "simulated", "unitree")
"""Modules of this package that open a bus by themselves."""

TOPIC = "topic"
"""The bus that is topics of ROS: its module maps names, and the node carries the messages."""


class BusModule(Protocol):
    """What a module has to have to be a bus."""

    SETTINGS: type[Settings]

    def open_bus(self, model: RobotModel, settings: Settings, clock: Callable[[], float]) -> ServoBus:
        """Take hold of the servos of a robot; the clock gives the time of stamps, s. Raises SurefootError where that is not possible."""
        ...


def bus_names() -> tuple[str, ...]:
    """The buses that there are."""
    return tuple(sorted({*OURS, TOPIC, *(point.name for point in entry_points(group=GROUP))}))


def bus_module(name: str) -> BusModule:
    """The module of a bus.

    Raises:
        UnknownNameError: naming the buses that there are.
        ConfigurationError: the module of another package is no bus, or cannot be imported.
    """
    if name in OURS:
        return import_module(f"surefoot.servos.buses.{name}")
    for point in entry_points(group=GROUP, name=name):
        try:
            module = point.load()
        except Exception as error:
            raise ConfigurationError(f"bus '{name}' ({point.value}) cannot be imported: {type(error).__name__}: {error}") from error
        lacking = [part for part in ("SETTINGS", "open_bus") if not hasattr(module, part)]
        if lacking:
            raise ConfigurationError(f"bus '{name}' ({point.value}) has no {' and no '.join(lacking)}; see docs/buses.md")
        return module  # type: ignore[no-any-return]
    raise UnknownNameError("bus", name, bus_names(), f"Other packages bring buses by the entry point group {GROUP}.")


def find_bus_file(name_or_path: str) -> Path:
    """The settings of a bus: a name in config/buses, or a path that ends in .yaml.

    Raises:
        UnknownNameError: naming those that there are.
    """
    if is_path_to_yaml(name_or_path):
        return Path(name_or_path).expanduser()
    folder = shared_directory() / "config" / "buses"
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    if name_or_path not in names:
        raise UnknownNameError("bus file", name_or_path, names, "A path to your own file works as well.")
    return folder / f"{name_or_path}.yaml"


def open_bus(name: str, model: RobotModel, file: str, clock: Callable[[], float]) -> ServoBus:
    """Take hold of the servos of a robot.

    Args:
        name: of the bus.
        model: the robot.
        file: a name in config/buses, or a path; empty: the bus with the settings that it has by itself.
        clock: time of the stamps, s.

    Raises:
        SurefootError: what is wrong with the settings or with the servos.
    """
    return bus_module(name).open_bus(model, _settings(name, file), clock)


def devices_of(name: str, file: str) -> tuple[str, ...]:
    """What a bus holds that no two bridges may share, as its settings say by `device` or `devices`. Raises as open_bus."""
    settings = _settings(name, file)
    one = str(getattr(settings, "device", ""))
    return (one,) if one else tuple(getattr(settings, "devices", ()))


def read_bus_file(kind: type[SettingsType], file: str) -> SettingsType:
    """The settings of a bus.

    Args:
        kind: of its settings. One that can be for a simulation says so by an attribute `simulation`.
        file: a name in config/buses, or a path.

    Raises:
        ConfigurationError: what is wrong with the file; or it is for a simulation, and this stack moves motors.
    """
    path = find_bus_file(file)
    settings = read_settings(kind, path)
    if moves_motors() and getattr(settings, "simulation", False):
        raise ConfigurationError(
            f"{path} is for a simulation (simulation: true), and this stack moves motors ({WISH} is true): what is right there may "
            "be wrong here. Write a bus file for the robot, or start the simulation's own launch file"
        )
    return settings


def check_bus(name: str, model: RobotModel, file: str) -> None:
    """Look at a bus and its settings before anything is started; no servo is touched.

    Args:
        name: of the bus.
        model: the robot.
        file: see `open_bus`.

    Raises:
        SurefootError: there is no such bus, or its settings are wrong, of another bus (which is named), or of another robot.
    """
    try:
        settings = _settings(name, file)
    except UnknownNameError:
        raise
    except ConfigurationError as error:
        others = [other for other in buses_of(file) if other != name] if file else []
        if others:
            fitting = " or bus:=".join(others)
            raise ConfigurationError(f"bus_file '{file}' is not one of bus '{name}'; with it goes bus:={fitting}") from error
        raise
    check: Callable[[RobotModel, Settings], None] | None = getattr(_module(name), "check", None)
    if check is not None:
        check(model, settings)


def buses_of(file: str) -> tuple[str, ...]:
    """The buses whose settings a file can be. Raises UnknownNameError where there is no such file."""
    path, found = find_bus_file(file), []
    for name in bus_names():
        try:
            read_settings(_module(name).SETTINGS, path)
        except ConfigurationError:
            continue
        found.append(name)
    return tuple(found)


def _module(name: str) -> Any:
    """Of a bus, or of the topics."""
    return import_module(f"{__name__}.{TOPIC}") if name == TOPIC else bus_module(name)


def _settings(name: str, file: str) -> Settings:
    kind: type[Settings] = _module(name).SETTINGS
    if file:
        return read_bus_file(kind, file)
    if name == TOPIC:
        return Settings()  # our own pair of topics
    return check_settings(kind, {}, f"bus '{name}' without a bus_file, the settings of the bus")
