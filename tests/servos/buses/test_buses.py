# SPDX-License-Identifier: Apache-2.0
"""Buses by name, also those of other packages."""

import sys
from pathlib import Path

import pytest

from surefoot import real_time
from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.model import RobotModel
from surefoot.servos.buses import GROUP, OURS, bus_module, bus_names, devices_of, find_bus_file, open_bus, read_bus_file
from surefoot.servos.buses.simulated import SimulatedSettings
from surefoot.servos.buses.topic import TopicSettings
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.settings import check_settings, read_yaml

BUS = """
from surefoot.servos.buses.simulated import SimulatedBus, SimulatedSettings

class SETTINGS(SimulatedSettings):
    \"\"\"Ours.\"\"\"

    inertia: float = 0.7

def open_bus(model, settings, clock):
    return SimulatedBus(model, settings, clock)
"""


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that brings two buses, one of them broken."""
    (tmp_path / "their_bus.py").write_text(BUS)
    (tmp_path / "their_broken_bus.py").write_text("import not_to_be_found\n")
    (tmp_path / "their_empty_bus.py").write_text("")
    info = tmp_path / "their_bus-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-bus\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\ntheirs = their_bus\nbroken = their_broken_bus\nempty = their_empty_bus\n")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize("name", OURS)
def test_ours_are_buses(name: str) -> None:
    module = bus_module(name)
    assert callable(module.open_bus)
    assert module.SETTINGS.model_fields


@pytest.mark.usefixtures("other_package")
def test_a_bus_of_another_package_is_opened_by_name(hyq: RobotModel, tmp_path: Path) -> None:
    assert {"theirs", "topic", *OURS} <= set(bus_names())
    file = tmp_path / "theirs.yaml"
    file.write_text("friction: 0.3\n")
    bus = open_bus("theirs", hyq, str(file), lambda: 0.0)
    assert type(bus).__name__ == "SimulatedBus"
    assert bus.health().problem == ""
    file.write_text("frction: 0.3\n")
    with pytest.raises(ConfigurationError, match="frction: unknown key"):
        open_bus("theirs", hyq, str(file), lambda: 0.0)
    sys.modules.pop("their_bus", None)


@pytest.mark.usefixtures("other_package")
def test_what_is_no_bus_is_said() -> None:
    with pytest.raises(ConfigurationError, match=r"bus 'broken' \(their_broken_bus\) cannot be imported: ModuleNotFoundError"):
        bus_module("broken")
    with pytest.raises(ConfigurationError, match=r"bus 'empty' \(their_empty_bus\) has no SETTINGS and no open_bus; see docs/buses.md"):
        bus_module("empty")


def test_unknown_names_are_answered_with_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'dynamixel'"):
        bus_module("dynamixl")
    with pytest.raises(UnknownNameError, match="unknown bus file 'links'"):
        find_bus_file("links")
    assert find_bus_file("links_dynamixel").is_file()
    assert find_bus_file("/a/b.yaml") == Path("/a/b.yaml")


def test_a_file_for_a_simulation_is_refused_where_motors_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(real_time.WISH, "false")
    assert read_bus_file(TopicSettings, "hyq_gazebo").simulation
    monkeypatch.setenv(real_time.WISH, "true")
    with pytest.raises(ConfigurationError, match=r"hyq_gazebo.yaml is for a simulation \(simulation: true\), and this stack moves motors"):
        read_bus_file(TopicSettings, "hyq_gazebo")
    assert not read_bus_file(TopicSettings, "hyq_ros2_control").simulation
    with pytest.raises(ConfigurationError, match="simulation: unknown key"):
        check_settings(DynamixelSettings, read_yaml(find_bus_file("links_dynamixel")) | {"simulation": True}, "theirs")


def test_numbers_of_simulated_motors_that_drive_what_they_should_brake_are_refused() -> None:
    for key in ("friction", "inertia", "backlash", "torque_speed_loss"):
        with pytest.raises(ConfigurationError, match=f"{key}: Input should be greater than"):
            check_settings(SimulatedSettings, {key: -0.1}, "bus")


def test_an_angle_in_degrees_is_no_offset() -> None:
    values = read_yaml(find_bus_file("links_dynamixel"))
    values["joints"]["lf_haa_joint"]["offset"] = 90.0
    with pytest.raises(ConfigurationError, match="offset: Input should be less than or equal to 6"):
        check_settings(DynamixelSettings, values, "bus")


def test_a_bus_says_what_no_two_bridges_may_share(tmp_path: Path) -> None:
    port, other = tmp_path / "port", tmp_path / "by-id"
    port.touch()
    other.symlink_to(port)
    values = find_bus_file("links_dynamixel").read_text()
    files = []
    for place, name in enumerate((port, other)):
        files.append(tmp_path / f"{place}.yaml")
        files[-1].write_text(values.replace("/dev/ttyUSB0", str(name)))
    assert devices_of("dynamixel", str(files[0])) == devices_of("dynamixel", str(files[1])) == (f"serial {port}",)
    assert devices_of("unitree", "go2_unitree")[0].startswith("DDS domain 0 on ")
    assert devices_of("simulated", "") == ()
