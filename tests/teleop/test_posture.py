# SPDX-License-Identifier: Apache-2.0
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.teleop.driving import STILL
from surefoot.teleop.layout import PadLayout
from surefoot.teleop.operator import Operator, OperatorWish
from surefoot.teleop.posture import LEVEL, Posture, PostureHand
from surefoot.teleop.settings import OperatorSettings
from surefoot.teleop.writer import pad_message

LIMIT = Posture(0.09, 0.2, 0.2, 0.2)
part = st.floats(-1.0, 1.0)


class Hand:
    """Somebody at an Xbox pad of hyq, 50 Hz."""

    def __init__(self, layout: PadLayout) -> None:
        self.layout, self.time = layout, 0.0
        self.operator = Operator(layout, OperatorSettings(), stand_height=0.6)
        self.armed = True

    def wait(self, seconds: float, axes: dict[str, float] | None = None, held: tuple[str, ...] = ("left_bumper",)) -> OperatorWish:
        for _ in range(round(50 * seconds)):
            self.time += 0.02
            self.operator.pad_message(self.time, *pad_message(self.layout, axes or {}, held))
            wish = self.operator.tick(self.time, armed=self.armed)
        return wish


@pytest.fixture
def hand(xbox: PadLayout) -> Hand:
    hand = Hand(xbox)
    hand.wait(0.1)
    return hand


def test_with_the_trigger_the_sticks_carry_the_body(hand: Hand) -> None:
    wish = hand.wait(1.0, {"left_trigger": 1.0, "left_y": -1.0, "left_x": 1.0, "right_y": 1.0, "right_x": -1.0})
    assert wish.twist == STILL
    assert wish.posture == pytest.approx((-0.045, -0.1, 0.1, -0.1))
    assert hand.wait(9.0, {"left_trigger": 1.0, "left_y": 1.0}).posture == pytest.approx((0.09, -0.1, 0.1, -0.1))
    assert hand.wait(1.0).posture == pytest.approx((0.09, -0.1, 0.1, -0.1))
    assert hand.wait(0.2, held=("back",)).posture == LEVEL


def test_a_stick_that_leaned_does_not_drive_off_when_the_trigger_is_let_go(hand: Hand) -> None:
    hand.wait(0.5, {"left_trigger": 1.0, "left_y": 1.0})
    assert hand.wait(1.0, {"left_y": 1.0}).twist == STILL
    hand.wait(0.1)
    assert hand.wait(1.0, {"left_y": 1.0}).twist.forward > 0.3


def test_without_the_dead_man_nothing_moves(hand: Hand) -> None:
    assert hand.wait(1.0, {"left_trigger": 1.0, "left_y": 1.0}, held=()).posture == LEVEL


def test_a_lost_pad_leaves_the_body_where_it_is(hand: Hand) -> None:
    before = hand.wait(1.0, {"left_trigger": 1.0, "left_y": 1.0}).posture
    hand.operator.pad_message(hand.time, (), ())
    assert all(hand.operator.tick(hand.time + 0.02 * tick, armed=True).posture == before for tick in range(100))


@pytest.mark.parametrize("button", ["stop", "sit"])
def test_whoever_stands_up_next_finds_no_old_lean(hand: Hand, button: str) -> None:
    lean = {"left_trigger": 1.0, "left_x": 1.0}
    assert hand.wait(1.0, lean).posture != LEVEL
    assert hand.wait(0.2).posture != LEVEL
    hand.wait(0.2, held=(hand.layout.actions[button],))
    assert hand.wait(0.2).posture == LEVEL


def test_a_robot_that_is_not_armed_is_level(hand: Hand) -> None:
    lean = {"left_trigger": 1.0, "left_x": 1.0}
    hand.wait(1.0, lean)
    hand.armed = False
    assert hand.wait(0.1, lean).posture == LEVEL
    hand.armed = True
    assert hand.wait(0.1).posture == LEVEL


@given(st.lists(st.tuples(st.floats(-1.0, 5.0), part, part, part, part), max_size=30))
def test_it_stays_within_its_limits_and_never_jumps(story: list[tuple[float, float, float, float, float]]) -> None:
    hand, before, time = PostureHand(LIMIT, 2.0), LEVEL, 0.0
    for pause, *deflections in story:
        time += pause
        posture = hand.follow(time, Posture(*deflections))
        for now, then, limit in zip(posture, before, LIMIT, strict=True):
            assert abs(now) <= limit
            assert abs(now - then) <= 0.051 * limit
        before = posture
