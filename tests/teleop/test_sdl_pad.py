# SPDX-License-Identifier: Apache-2.0
"""Real SDL with pads that exist in it only: recognised, driven, pulled out and plugged in again."""

import builtins
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.teleop.layout import PadLayout, read_layouts
from surefoot.teleop.operator import Operator, OperatorRequest, OperatorWish
from surefoot.teleop.pad import PadReader
from surefoot.teleop.sdl import names_of
from surefoot.teleop.sdl_pad import ANY, Device, SdlPad, layout_of, refusal
from surefoot.teleop.settings import OperatorSettings
from surefoot.teleop.writer import GONE

sdl_is_there = pytest.mark.skipif("not __import__('importlib').util.find_spec('sdl2')", reason="PySDL2 is not installed")


@pytest.fixture(scope="session")
def layouts(config: Path) -> dict[str, PadLayout]:
    return read_layouts(config / "gamepads")


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Plugs virtual pads in, and pulls all of them out in the end."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    pads: list[Any] = []

    def make(*arguments: Any) -> Any:
        from virtual_pads import VirtualPad

        pads.append(VirtualPad(*arguments))
        return pads[-1]

    yield make
    for pad in pads:
        pad.unplug()


def device(usb: str, kind: str = "", mapped: bool = True) -> Device:
    return Device(0, "a pad", usb, kind, "03", mapped)


@pytest.mark.parametrize(
    ("usb", "kind", "layout"),
    [
        ("045e:02ea", "xbox_one", "xbox"),
        ("045e:028e", "xbox_360", "xbox"),
        ("054c:09cc", "ps4", "ps4"),
        ("054c:0ce6", "ps5", "ps5"),
        ("057e:2009", "switch_pro", "switch_pro"),
        ("046d:c21d", "xbox_360", "logitech"),
        ("046d:c216", "", "logitech"),
        ("1234:5678", "", ""),
    ],
)
def test_pads_are_known_by_their_number_and_then_by_their_kind(layouts: dict[str, PadLayout], usb: str, kind: str, layout: str) -> None:
    assert layout_of(device(usb, kind), layouts) == layout
    assert layout_of(device(usb, kind, mapped=False), layouts) == ""
    assert layout_of(device(usb, kind), layouts, "game_controller") == "game_controller"


def test_an_unknown_pad_is_refused_with_how_to_add_it(layouts: dict[str, PadLayout]) -> None:  # case 20
    assert "add '1234:5678' to its 'usb'" in refusal(device("1234:5678"), layouts)
    assert "SDL_GAMECONTROLLERCONFIG" in refusal(device("1234:5678", mapped=False), layouts)
    assert layout_of(device("054c:0ce6", "ps5"), layouts, "xbox") == ""
    assert "Start with layout:=ps5" in refusal(device("054c:0ce6", "ps5"), layouts, "xbox")


def test_every_pad_has_all_that_its_layout_needs(layouts: dict[str, PadLayout]) -> None:
    for name, layout in layouts.items():
        if name in ("keyboard", "page"):
            # These are no devices: what speaks through them is our own.
            with pytest.raises(ConfigurationError, match=r"SDL has no .*forward"):
                names_of(layout)
        else:
            assert set(layout.buttons) <= set(names_of(layout))


def test_without_the_library_it_says_what_to_do(layouts: dict[str, PadLayout], monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name == "sdl2":
            raise ImportError("No module named 'sdl2'")
        return real(name, *rest)

    monkeypatch.setattr("importlib.import_module", missing)
    monkeypatch.delitem(sys.modules, "sdl2", raising=False)
    with pytest.raises(ConfigurationError, match=r"pip install pysdl2==.*surefoot drive"):
        SdlPad(layouts)
    with pytest.raises(UnknownNameError, match="did you mean 'ps5'"):
        SdlPad(layouts, "ps55")


@sdl_is_there
@pytest.mark.parametrize(
    ("usb", "name"),
    [
        ((0x045E, 0x02EA), "xbox"), ((0x054C, 0x09CC), "ps4"), ((0x054C, 0x0CE6), "ps5"), ((0x057E, 0x2009), "switch_pro"),
        ((0x046D, 0xC21D), "logitech"), ((0x046D, 0xC21F), "logitech"),
    ],
)  # fmt: skip
def test_each_pad_says_what_its_layout_reads(
    layouts: dict[str, PadLayout], plug: Callable[..., Any], usb: tuple[int, int], name: str
) -> None:
    virtual, pad = plug(usb), SdlPad(layouts)
    pad.poll()
    assert pad.layout_name == name
    assert f"stop on {layouts[name].actions['stop']}" in pad.take_notices()[-1]
    layout, reader = layouts[name], PadReader(layouts[name])
    assert set(reader.read(*pad.message()).axes.values()) == {0.0}
    sdl_name = names_of(layout)
    for button in layout.buttons:
        if "trigger" in button or sdl_name[button] in ("guide", "touchpad"):
            continue  # an axis; what SDL holds down for a quarter of a second; what a virtual pad does not have
        virtual.button(sdl_name[button], True)
        (message,) = pad.poll()
        assert reader.read(*message).pressed == {button}
        virtual.button(sdl_name[button], False)
        assert reader.read(*pad.poll()[-1]).pressed == frozenset()
    for axis, raw, value in (("left_y", -32768, 1.0), ("left_x", 32767, -1.0), ("right_x", -32768, 1.0), ("left_trigger", 32767, 1.0)):
        virtual.axis(axis, raw)
        assert reader.read(*pad.poll()[-1]).axes[axis] == pytest.approx(value)
    assert not [warning for warning in reader.warnings if "beyond" in warning]
    pad.close()


@sdl_is_there
def test_no_press_between_two_looks_is_lost(layouts: dict[str, PadLayout], plug: Callable[..., Any]) -> None:  # case 28
    virtual, pad = plug((0x045E, 0x02EA)), SdlPad(layouts)
    pad.poll()
    for _ in range(2):
        virtual.button("a", True)
        pad._sdl.SDL_JoystickUpdate()
        virtual.button("a", False)
        pad._sdl.SDL_JoystickUpdate()
    assert [message.buttons[0] for message in pad.poll()] == [1, 0, 1, 0]
    pad.close()


@sdl_is_there
def test_an_unknown_pad_does_not_drive_unless_it_is_named(layouts: dict[str, PadLayout], plug: Callable[..., Any]) -> None:
    plug((0x1234, 0x5678), "Nobody's")
    pad = SdlPad(layouts, ANY)
    assert pad.poll() == []
    assert pad.message() == GONE
    assert "gamepad 'Nobody's' (1234:5678) is refused" in pad.take_notices()[0]
    pad.close()
    pad = SdlPad(layouts, "game_controller")
    pad.poll()
    assert pad.layout_name == "game_controller"
    pad.close()


class Person:
    """Somebody at a virtual pad; the node polls at 100 Hz and repeats at 20 Hz, and the operator ticks at 50 Hz."""

    def __init__(self, layouts: dict[str, PadLayout], virtual: Any) -> None:
        self.virtual, self.pad = virtual, SdlPad(layouts)
        self.operator = Operator(layouts["xbox"], OperatorSettings(), layouts=layouts)
        self.time, self.absences = 0.0, 0

    def wait(self, seconds: float) -> list[OperatorWish]:
        wishes = []
        for tick in range(round(seconds * 100)):
            self.time += 0.01
            messages = self.pad.poll()
            if tick % 5 == 0 and self.pad.device is not None:
                messages.append(self.pad.message())
            for message in messages:
                self.operator.pad_message(self.time, *message, self.pad.layout_name)
            if tick % 2 == 0:
                wishes.append(self.operator.tick(self.time, armed=True))
        return wishes

    def press(self, button: str) -> list[OperatorRequest]:
        self.virtual.button(button, True)
        wishes = self.wait(0.1)
        self.virtual.button(button, False)
        return [wish.request for wish in wishes + self.wait(0.1) if wish.request]


@sdl_is_there
def test_a_pad_that_is_pulled_out_stops_the_robot_and_only_it_may_come_back(
    layouts: dict[str, PadLayout], plug: Callable[..., Any]
) -> None:  # case 18
    virtual = plug((0x054C, 0x0CE6), "mine")
    person = Person(layouts, virtual)
    person.wait(0.2)
    assert person.press("start") == [OperatorRequest.ARM]
    virtual.button("left_bumper", True)
    virtual.axis("left_y", -32768)
    wish = person.wait(2.0)[-1]
    assert wish.present
    assert wish.twist == pytest.approx((0.5, 0.0, 0.0))

    virtual.unplug()
    wishes = person.wait(1.0)
    assert all(not wish.present and wish.twist == (0.0, 0.0, 0.0) for wish in wishes[1:])
    assert wishes[-1].absence == "no gamepad: it was unplugged"
    assert any("plug the same one in again" in notice for notice in person.pad.take_notices())

    other = plug((0x045E, 0x02EA), "another")
    other.button("left_bumper", True)
    other.axis("left_y", -32768)
    assert all(not wish.present for wish in person.wait(0.5))
    assert any("'another' is not used: it is not the one that was lost" in notice for notice in person.pad.take_notices())

    virtual.plug()
    virtual.button("left_bumper", True)
    wish = person.wait(0.5)[-1]
    assert "press arm" in wish.absence
    assert wish.twist == (0.0, 0.0, 0.0)
    assert any("'mine' (054c:0ce6) is back" in notice for notice in person.pad.take_notices())
    assert person.press("start") == []  # the robot is armed: only the pad was not
    virtual.axis("left_y", -32768)
    assert person.wait(1.0)[-1].twist.forward > 0.3
    person.pad.close()


@sdl_is_there
def test_a_second_pad_is_not_used(layouts: dict[str, PadLayout], plug: Callable[..., Any]) -> None:
    first = plug((0x054C, 0x0CE6), "first")
    person = Person(layouts, first)
    person.wait(0.2)
    second = plug((0x045E, 0x02EA), "second")
    person.wait(0.1)
    assert any("'second' is not used: 'first' drives" in notice for notice in person.pad.take_notices())
    second.button("b", True)
    assert not [wish.request for wish in person.wait(0.2) if wish.request]
    person.pad.close()
