# SPDX-License-Identifier: Apache-2.0
import math

import pytest

from surefoot.teleop.layout import PadLayout
from surefoot.teleop.pad import PadReader
from surefoot.teleop.presses import PadWatch
from surefoot.teleop.settings import OperatorSettings

AXES = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
DEAD_MAN, ARM = 4, 7


@pytest.fixture
def watch(xbox: PadLayout) -> PadWatch:
    return PadWatch(PadReader(xbox), OperatorSettings())


def down(*numbers: int) -> list[int]:
    return [int(i in numbers) for i in range(11)]


def test_a_press_is_the_way_down_and_carries_its_time(watch: PadWatch) -> None:
    for stamp, buttons in ((0.0, down()), (0.1, down(ARM)), (0.2, down(ARM)), (0.3, down()), (0.4, down(ARM, DEAD_MAN))):
        watch.message(stamp, AXES, buttons)
    assert watch.take_presses() == [(0.1, "arm"), (0.4, "arm"), (0.4, "dead_man")]
    assert watch.take_presses() == []
    assert watch.down("dead_man")


def test_signs_of_life(watch: PadWatch) -> None:
    assert watch.age(1.0) == math.inf
    assert watch.absence(1.0).startswith("no gamepad")
    watch.message(1.0, AXES, down())
    assert watch.absence(1.1) == "the dead-man switch is open"
    watch.message(1.2, AXES, down(DEAD_MAN))
    assert watch.absence(1.7) == ""
    assert "silent for 0.51 s" in watch.absence(1.71)
    watch.message(1.8, [*AXES, 0.0], down(DEAD_MAN))
    assert "not one of the chosen layout" in watch.absence(1.8)
    watch.unplugged()
    assert watch.absence(1.8).startswith("no gamepad")
    assert watch.stick("forward") == 0.0


def test_a_stick_at_rest_may_say_the_same_for_ever(watch: PadWatch) -> None:
    for tick in range(1400):
        watch.message(0.05 * tick, AXES, down(DEAD_MAN))
    assert watch.absence(0.05 * 1399) == ""
