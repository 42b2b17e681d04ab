# SPDX-License-Identifier: Apache-2.0
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.teleop.layout import PadLayout, read_layout
from surefoot.teleop.pad import PadReader, PadState


def read(layout: PadLayout, axes: list[float], buttons: list[int] | None = None) -> PadState:
    return PadReader(layout).read(axes, [0] * 11 if buttons is None else buttons)


def axes_with(index: int, value: float, count: int = 8) -> list[float]:
    return [value if i == index else 0.0 for i in range(count)]


@pytest.mark.parametrize("layout", ["xbox", "game_controller", "ps4", "ps5", "switch_pro", "logitech", "keyboard"])
def test_each_button_of_each_pad_by_the_table(config: Path, layout: str) -> None:  # case 26
    pad = read_layout(config / "gamepads", layout)
    axis_count, button_count = pad.axis_count or 8, pad.button_count or 21
    for name, source in pad.buttons.items():
        axes, buttons = [0.0] * axis_count, [0] * button_count
        if source.index is not None:
            buttons[source.index] = 1
        else:
            axes[source.axis] = source.value
        reader = PadReader(pad)
        assert reader.read(axes, buttons).pressed == {name}
        assert reader.warnings == []


@pytest.mark.parametrize(
    ("layout", "index", "name"),
    [("xbox", 1, "left_y"), ("xbox", 3, "right_x"), ("game_controller", 2, "right_x"), ("ps4", 3, "right_x"), ("ps4", 0, "left_x")],
)
def test_sticks_by_the_table(config: Path, layout: str, index: int, name: str) -> None:
    pad = read_layout(config / "gamepads", layout)
    for value in (1.0, -1.0):
        axes = PadReader(pad).read(axes_with(index, value, pad.axis_count or 8), [0] * 13).axes
        assert {key for key, reading in axes.items() if reading != 0.0} == {name}
        assert axes[name] == value


def test_a_trigger_that_never_moved_is_not_half_pressed(xbox: PadLayout) -> None:  # case 2
    reader = PadReader(xbox)
    assert reader.read([0.0] * 8, [0] * 11).axes["left_trigger"] == 0.0
    assert reader.read(axes_with(2, -1.0), [0] * 11).axes["left_trigger"] == 1.0
    assert reader.read(axes_with(2, 0.0), [0] * 11).axes["left_trigger"] == pytest.approx((0.5 - 0.05) / 0.95)
    assert reader.read(axes_with(2, 1.0), [0] * 11).axes["left_trigger"] == 0.0


def test_both_ways_of_resting_read_as_pressed(config: Path) -> None:  # case 4
    for layout, index, rest in (("game_controller", 4, 0.0), ("xbox", 2, 1.0)):
        pad = read_layout(config / "gamepads", layout)
        reader = PadReader(pad)
        count = pad.axis_count or 8
        assert reader.read(axes_with(index, rest, count), [0] * 15).axes["left_trigger"] == 0.0
        assert reader.read(axes_with(index, -1.0, count), [0] * 15).axes["left_trigger"] == 1.0


def test_numbers_beyond_the_message_read_as_released_with_one_warning(xbox: PadLayout) -> None:  # cases 6, 8
    reader = PadReader(xbox)
    for _ in range(3):
        state = reader.read([0.0, 0.5, 0.0], [0] * 2)
    assert state.axes["right_y"] == 0.0
    assert state.pressed == frozenset()
    assert len([warning for warning in reader.warnings if "axis 'right_y' is number 4, but a message has only 3" in warning]) == 1
    assert len(reader.warnings) == len(set(reader.warnings))
    assert "8 and 11: only stop is obeyed" in reader.warnings[0]


@pytest.mark.parametrize("axes", [7, 8, 9])
def test_the_first_number_beyond_a_message_is_beyond_it(xbox: PadLayout, axes: int) -> None:  # case 6
    values = xbox.model_dump()
    values["axis_count"], values["axes"]["left_y"]["index"] = None, 8
    reader = PadReader(PadLayout.model_validate(values))
    for _ in range(3):
        state = reader.read([1.0] * axes, [0] * 11)
    assert state.axes["left_y"] == (1.0 if axes == 9 else 0.0)
    said = [warning for warning in reader.warnings if f"axis 'left_y' is number 8, but a message has only {axes}" in warning]
    assert len(said) == (0 if axes == 9 else 1)


def test_an_empty_message_is_no_trouble(xbox: PadLayout) -> None:  # case 22
    state = read(xbox, [], [])
    assert set(state.axes.values()) == {0.0}
    assert state.pressed == frozenset()


def test_not_a_number_reads_as_zero_and_is_counted(xbox: PadLayout) -> None:
    reader = PadReader(xbox)
    state = reader.read([math.nan, math.inf, 1.0, 0.5, 0.0, 1.0, math.nan, 0.0], [0] * 11)
    assert (state.axes["left_x"], state.axes["left_y"]) == (0.0, 0.0)
    assert state.axes["right_x"] > 0.4
    assert not state.pressed
    assert reader.counters["nan_axes"] == 4  # an axis that is a D-pad is two buttons


def test_the_dead_zone_is_taken_out_without_a_step(xbox: PadLayout) -> None:
    readings = [read(xbox, axes_with(1, value)).axes["left_y"] for value in (0.05, -0.05, 0.0501, 1.0, -1.0, 3.0)]
    assert readings[:2] == [0.0, 0.0]
    assert 0.0 < readings[2] < 0.001
    assert readings[3:] == [1.0, -1.0, 1.0]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(), max_size=10), st.lists(st.integers(-2, 2), max_size=15))
def test_whatever_comes_in_axes_are_in_range(xbox: PadLayout, axes: list[float], buttons: list[int]) -> None:
    reader = PadReader(xbox)
    for _ in range(2):
        state = reader.read(axes, buttons)
    assert all(-1.0 <= value <= 1.0 for value in state.axes.values())
    assert state.axes["left_trigger"] >= 0.0
    assert state.pressed <= set(xbox.buttons)
    assert len(reader.warnings) <= len(xbox.axes) + len(xbox.buttons) + 1
