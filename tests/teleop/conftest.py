# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surefoot.teleop.layout import PadLayout, read_layout
from surefoot.teleop.operator import Operator, OperatorWish
from surefoot.teleop.settings import OperatorSettings

CONFIG = Path(__file__).parents[2] / "config"
TRIGGERS_AT_REST = {2: 1.0, 5: 1.0}


@pytest.fixture(scope="session")
def config() -> Path:
    return CONFIG


@pytest.fixture(scope="session")
def xbox() -> PadLayout:
    return read_layout(CONFIG / "gamepads", "xbox")


@pytest.fixture(scope="session")
def ps4() -> PadLayout:
    return read_layout(CONFIG / "gamepads", "ps4")


class Hand:
    """Somebody at an Xbox pad whose driver repeats at 20 Hz; the operator's node ticks at 100 Hz."""

    def __init__(self, layout: PadLayout, **changes: Any) -> None:
        self.layout = layout
        self.operator = Operator(layout, OperatorSettings.model_validate(changes))
        self.time = 0.0
        self.held: set[str] = set()
        self.sticks: dict[int, float] = {}
        self.speaks = True
        self.walking = False
        self.sent = -1.0
        self.wishes: list[OperatorWish] = []

    def message(self) -> None:
        axes = [0.0] * 8
        buttons = [0] * 11
        for index, value in (TRIGGERS_AT_REST | self.sticks).items():
            axes[index] = value
        for name in self.held:
            source = self.layout.buttons[self.layout.button_name(name)]
            if source.axis is not None:
                axes[source.axis] = source.value
            else:
                buttons[source.index or 0] = 1
        self.sent = self.time
        self.operator.pad_message(self.time, axes, buttons)

    def wait(self, seconds: float) -> OperatorWish:
        for _ in range(round(seconds * 100)):
            self.time = round(self.time + 0.01, 6)
            if self.speaks and self.time - self.sent > 0.049:
                self.message()
            self.wishes.append(self.operator.tick(self.time, walking=self.walking))
        return self.wishes[-1]

    def press(self, name: str) -> list[OperatorWish]:
        start = len(self.wishes)
        self.held.add(name)
        self.wait(0.2)
        self.held.discard(name)
        self.wait(0.2)
        return self.wishes[start:]

    def drive(self) -> OperatorWish:
        self.wait(0.1)
        self.held.add("dead_man")
        self.sticks = {1: 1.0}
        return self.wait(2.0)


@pytest.fixture
def new_hand(xbox: PadLayout) -> Callable[..., Hand]:
    """Makes hands by what their operator's settings have other than usual."""
    return lambda **changes: Hand(xbox, **changes)


@pytest.fixture
def hand(xbox: PadLayout) -> Hand:
    return Hand(xbox)
