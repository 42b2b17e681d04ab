# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from surefoot.teleop.driving import STILL, PlanarVelocity
from surefoot.teleop.layout import PadLayout, read_layouts
from surefoot.teleop.operator import Operator, OperatorRequest
from surefoot.teleop.settings import OperatorSettings
from surefoot.teleop.writer import GONE, pad_message


class Desk:
    """An operator in front of whom several pads lie; all of them speak at each tick of 20 Hz."""

    def __init__(self, layouts: dict[str, PadLayout], only: str = "", **changes: object) -> None:
        self.layouts = layouts
        settings = OperatorSettings.model_validate({**OperatorSettings().model_dump(), **changes})
        self.operator = Operator(layouts[only or "xbox"], settings, layouts=layouts, only=only)
        self.time = 0.0

    def tick(self, *pads: tuple[str, dict[str, float], set[str]], ticks: int = 1, armed: bool = True):  # type: ignore[no-untyped-def]
        """All pads speak, each given by origin, driving axes and actions; then the operator ticks."""
        for _ in range(ticks):
            self.time += 0.05
            for origin, axes, actions in pads:
                layout = self.layouts.get(origin, self.layouts["xbox"])
                raw = {layout.axis_name(key): value for key, value in axes.items()}
                message = pad_message(layout, raw, {layout.button_name(action) for action in actions})
                self.operator.pad_message(self.time, *message, origin)
            wish = self.operator.tick(self.time, armed=armed)
        return wish


FORWARD = {"forward": 1.0}
DEAD_MAN = {"dead_man"}


@pytest.fixture
def layouts(config: Path) -> dict[str, PadLayout]:
    return read_layouts(config / "gamepads")


@pytest.fixture
def desk(layouts: dict[str, PadLayout]) -> Desk:
    return Desk(layouts)


def test_a_pad_that_names_its_layout_is_read_by_it(desk: Desk) -> None:
    desk.tick(("ps5", {}, set()))
    assert desk.tick(("ps5", FORWARD, DEAD_MAN), ticks=40).twist == pytest.approx((0.5, 0.0, 0.0))


def test_the_first_pad_drives_and_another_may_only_stop(desk: Desk) -> None:
    desk.tick(("", {}, set()), ("keyboard", {}, set()))
    wish = desk.tick(("", {}, set()), ("keyboard", FORWARD, DEAD_MAN), ticks=20)
    assert not wish.present
    assert wish.twist == STILL
    assert desk.operator.counters["of_another_pad"] == 21
    assert desk.tick(("", {}, set()), ("keyboard", {}, {"arm"}), ticks=2).request == OperatorRequest.NONE
    assert desk.tick(("", {}, set()), ("keyboard", {}, {"stop"})).request == OperatorRequest.STOP


def test_who_presses_stop_first_does_not_drive(desk: Desk) -> None:
    assert desk.tick(("page", {}, {"stop"})).request == OperatorRequest.STOP
    desk.operator.pad_message(desk.time, *GONE, "page")
    desk.tick(("", {}, set()))
    assert desk.tick(("", FORWARD, DEAD_MAN), ticks=20).twist.forward > 0.2
    assert not desk.operator.counters["unplugged"]


def test_a_pad_that_stopped_first_may_drive_once_it_says_something_else(desk: Desk) -> None:
    desk.tick(("page", {}, {"stop"}), ticks=3)
    desk.tick(("page", {}, set()))
    assert desk.tick(("page", FORWARD, DEAD_MAN), ticks=20).twist.forward > 0.2


@pytest.mark.parametrize("how", ["unplugged", "silent"])
def test_the_loss_of_the_pad_hands_over_to_nobody(layouts: dict[str, PadLayout], how: str) -> None:  # case 18
    desk = Desk(layouts, external_without_operator=True)
    desk.tick(("xbox", {}, set()))
    assert desk.tick(("xbox", FORWARD, DEAD_MAN), ticks=10).present
    if how == "unplugged":
        desk.operator.pad_message(desk.time, *GONE, "xbox")
    else:
        desk.tick(ticks=60)
    for _ in range(60):
        desk.operator.external_velocity(desk.time, PlanarVelocity(0.3))
        wish = desk.tick(("keyboard", FORWARD, DEAD_MAN))
        assert wish.twist == STILL
        assert not wish.present
    wish = desk.tick(("xbox", {}, DEAD_MAN), ticks=2)
    assert "press arm" in wish.absence
    assert wish.twist == STILL
    wish = desk.tick(("xbox", FORWARD, {"dead_man", "arm"}))
    assert "press arm" in wish.absence
    assert wish.notices == ("not armed: a stick is deflected; let go of the sticks first",)
    desk.tick(("xbox", {}, set()), ticks=2)
    assert desk.tick(("xbox", {}, {"arm"})).request == OperatorRequest.NONE
    desk.tick(("xbox", {}, set()))
    assert desk.tick(("xbox", FORWARD, DEAD_MAN), ticks=20).twist.forward > 0.2


def test_a_robot_that_is_not_armed_is_armed_by_the_same_press(desk: Desk) -> None:
    desk.tick(("xbox", {}, set()))
    desk.operator.pad_message(desk.time, *GONE, "xbox")
    desk.tick(("xbox", {}, set()))
    assert desk.tick(("xbox", {}, {"arm"}), armed=False).request == OperatorRequest.ARM


def test_a_short_silence_needs_no_arming(desk: Desk) -> None:
    desk.tick(("xbox", {}, set()))
    desk.tick(("xbox", FORWARD, DEAD_MAN), ticks=20)
    assert not desk.tick(ticks=20).present
    assert desk.tick(("xbox", FORWARD, DEAD_MAN), ticks=2).present


def test_only_the_chosen_layout_drives(layouts: dict[str, PadLayout]) -> None:
    desk = Desk(layouts, only="ps4")
    desk.tick(("xbox", {}, set()))
    assert not desk.tick(("xbox", FORWARD, DEAD_MAN), ticks=20).present
    desk.tick(("ps4", {}, set()))
    assert desk.tick(("ps4", FORWARD, DEAD_MAN), ticks=20).present


def test_the_absence_of_a_pad_that_never_was_is_no_pad(desk: Desk) -> None:
    desk.operator.pad_message(0.0, *GONE, "ps5")
    desk.tick(("xbox", {}, set()))
    assert desk.tick(("xbox", FORWARD, DEAD_MAN), ticks=2).present


def test_what_is_delivered_too_late_moves_nothing_but_stops(desk: Desk) -> None:
    layout = desk.layouts["xbox"]
    desk.tick(("xbox", {}, set()))
    forward = pad_message(layout, {"left_y": 1.0}, {"left_bumper"})
    for _ in range(10):
        desk.operator.pad_message(desk.time, *forward, "xbox", delay=0.5)
    wish = desk.tick()
    assert wish.twist == STILL
    assert desk.operator.counters["late"] == 10
    desk.operator.pad_message(desk.time, *pad_message(layout, {}, {"b"}), "xbox", delay=9.0)
    assert desk.tick().request == OperatorRequest.STOP
