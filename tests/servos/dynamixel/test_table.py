# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.servos.dynamixel.table import ControlTable, read_table, table_names
from surefoot.servos.motors.torque_speed import MOTORS
from surefoot.settings import check_settings


@pytest.mark.parametrize("name", table_names())
def test_numbers_do_not_overlap_and_come_back(name: str) -> None:
    table = read_table(name)
    taken: dict[int, str] = {}
    for item_name, item in table.items.items():
        for address in range(item.address, item.address + item.size):
            assert taken.setdefault(address, item_name) == item_name
        assert table.value(item_name, table.bytes_of(item_name, 7), item.address) == 7
    start, length = table.span("present_load", "present_velocity", "present_position")
    assert length <= 10
    assert start == min(table.items[key].address for key in ("present_load", "present_velocity", "present_position"))


def test_numbers_below_zero() -> None:
    x, rx = read_table("dynamixel_x"), read_table("dynamixel_rx24f")
    assert x.value("present_velocity", x.bytes_of("present_velocity", -3), 128) == -3
    assert rx.value("present_velocity", (1 << 10 | 3).to_bytes(2, "little"), 38) == -3
    assert x.bytes_of("goal_current", 10**6) == (2**15 - 1).to_bytes(2, "little")
    assert rx.bytes_of("goal_position", -5) == b"\0\0"


def test_units() -> None:
    x, rx = read_table("dynamixel_x"), read_table("dynamixel_rx24f")
    assert 4095 * x.radians_per_count == pytest.approx(6.2816, abs=1e-3)
    assert 1023 * rx.radians_per_count == pytest.approx(5.2308, abs=1e-3)  # just under 300 degrees
    assert x.errors(0b100100) == "overheating, overload"
    assert rx.errors(0) == ""


def test_motors_are_those_of_the_source() -> None:
    rx, mx = read_table("dynamixel_rx24f").models[24], read_table("dynamixel_mx").models[311]
    assert (rx.stall_torque, rx.no_load_speed) == (MOTORS["RX-24F"].stall_torque, MOTORS["RX-24F"].no_load_speed)
    assert (mx.stall_torque, mx.no_load_speed) == (MOTORS["MX-64"].stall_torque, MOTORS["MX-64"].no_load_speed)


def test_what_is_no_table_is_refused_by_name() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'dynamixel_x'"):
        read_table("dynamixel_xx")
    values = read_table("dynamixel_x").model_dump()
    del values["items"]["torque_enable"]
    with pytest.raises(ConfigurationError, match="torque_enable missing"):
        check_settings(ControlTable, values, "x.yaml")


@pytest.mark.parametrize(
    ("factor", "key"),
    [(1e3, "torque_per_unit"), (1e-3, "torque_per_unit"), (9.55, "velocity_unit"), (1e3, "velocity_unit")],
    ids=["mN m", "kN m", "rev/min", "mrad/s"],
)
def test_a_number_in_another_unit_is_refused(factor: float, key: str) -> None:
    values = read_table("dynamixel_x").model_dump()
    of = values["models"][1120] if key == "torque_per_unit" else values
    of[key] *= factor
    with pytest.raises(ConfigurationError, match=f"{key} .* of XM.* One of the two is in another unit"):
        check_settings(ControlTable, values, "x.yaml")


def test_a_zero_outside_of_what_the_servo_can_do_is_refused() -> None:
    values = read_table("dynamixel_x").model_dump() | {"centre": 4096}
    with pytest.raises(ConfigurationError, match="centre: 4096 is not inside of count_range, 0 to 4095"):
        check_settings(ControlTable, values, "x.yaml")
