# SPDX-License-Identifier: Apache-2.0
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.settings import read_settings
from surefoot.teleop.driving import STILL, PlanarVelocity
from surefoot.teleop.layout import PadLayout
from surefoot.teleop.operator import Operator, OperatorRequest, OperatorWish
from surefoot.teleop.settings import OperatorSettings

SETTINGS = OperatorSettings()


def requests(wishes: list[OperatorWish]) -> list[OperatorRequest]:
    return [wish.request for wish in wishes if wish.request != OperatorRequest.NONE]


def test_numbers_are_those_of_the_message() -> None:
    text = (Path(__file__).parents[2] / "src" / "surefoot_msgs" / "msg" / "OperatorCommand.msg").read_text()
    numbers = {name: int(value) for name, value in re.findall(r"^uint8 ([A-Z]+)=(\d+)", text, re.MULTILINE)}
    assert {request.name: request.value for request in OperatorRequest} == numbers


def test_the_file_says_every_setting(config: Path) -> None:
    assert read_settings(OperatorSettings, config / "teleop.yaml") == SETTINGS


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("stop", OperatorRequest.STOP), ("arm", OperatorRequest.ARM), ("stand", OperatorRequest.STAND), ("sit", OperatorRequest.SIT),
        ("walk", OperatorRequest.WALK),
    ],
)  # fmt: skip
def test_one_press_is_one_request(hand: Any, name: str, request_: OperatorRequest) -> None:
    hand.wait(0.1)
    assert requests(hand.press(name)) == [request_]
    assert requests(hand.press(name)) == [request_]


def test_walk_pressed_while_walking_asks_to_stand(hand: Any) -> None:
    hand.wait(0.1)
    hand.walking = True
    assert requests(hand.press("walk")) == [OperatorRequest.STAND]


def test_a_button_held_since_before_is_no_press_unless_it_stops(hand: Any) -> None:
    hand.held = {"arm", "walk"}
    hand.wait(0.3)
    assert requests(hand.wishes) == []
    hand.speaks = False
    hand.wait(1.0)
    hand.held, hand.speaks = {"stand", "stop"}, True
    hand.wait(0.3)
    assert requests(hand.wishes) == [OperatorRequest.STOP]


def test_every_press_between_two_ticks_is_heard_and_stop_comes_first(hand: Any) -> None:  # case 28
    hand.wait(0.1)
    for name in ("gait_1", "gait_2", "stand", "sit", "gait_3"):
        hand.held = {name}
        hand.message()
        hand.held = set()
        hand.message()
    hand.speaks = False
    wishes = [hand.wait(0.01) for _ in range(4)]
    assert requests(wishes) == [OperatorRequest.STAND, OperatorRequest.SIT]
    assert (wishes[-1].gait, wishes[-1].gait_request_id) == ("pace", 3)
    for name in ("stand", "stop", "sit"):
        hand.held = {name}
        hand.message()
    assert requests([hand.wait(0.01) for _ in range(4)]) == [OperatorRequest.STOP]


def test_a_press_that_arrives_too_late_is_dropped_but_a_stop_is_not(hand: Any) -> None:
    hand.wait(0.1)
    hand.speaks = False
    hand.held = {"stand"}
    hand.message()
    hand.time += 0.6
    wish = hand.wait(0.01)
    assert wish.request == OperatorRequest.NONE
    assert wish.notices == (
        "press of stand dropped: 0.61 s old, limit 0.50 s",
        "nobody drives: the gamepad has been silent for 0.61 s, limit 0.50 s",
    )
    hand.held = {"stop"}
    hand.message()
    hand.time += 0.6
    assert hand.wait(0.01).request == OperatorRequest.STOP


def test_arming_wants_the_sticks_at_rest(hand: Any) -> None:
    hand.sticks = {1: 0.5}
    hand.wait(0.1)
    wishes = hand.press("arm")
    assert requests(wishes) == []
    assert any("let go of the sticks" in notice for wish in wishes for notice in wish.notices)
    hand.sticks = {}
    assert requests(hand.press("arm")) == [OperatorRequest.ARM]


def test_driving_needs_the_dead_man(hand: Any) -> None:
    hand.sticks = {1: 1.0}
    assert hand.wait(1.0).twist == STILL
    assert hand.wishes[-1].absence == "the dead-man switch is open"
    hand.held = {"dead_man"}
    wish = hand.wait(0.2)
    assert not wish.present
    assert wish.absence == "a stick has been deflected ever since the gamepad came; let go of it once"
    hand.held, hand.sticks = set(), {}
    wish = hand.drive()
    assert wish.present
    assert wish.twist == pytest.approx((0.5, 0.0, 0.0))


def test_why_nobody_drives_is_told_once_for_each_reason(hand: Any) -> None:
    def told(seconds: float) -> list[str]:
        before = len(hand.wishes)
        hand.wait(seconds)
        return [notice for wish in hand.wishes[before:] for notice in wish.notices]

    assert told(0.5) == []
    hand.drive()
    hand.held = set()
    assert told(0.5) == []  # who lets go knows
    hand.drive()
    hand.speaks = False
    assert told(3.0) == ["nobody drives: the gamepad has been silent for 0.51 s, limit 0.50 s"]
    hand.speaks = True
    assert told(1.0) == ["nobody drives: the gamepad was lost and is back; let go of the sticks and press arm"]
    hand.operator.pad_message(hand.time, (), ())
    hand.speaks = False
    assert told(1.0) == ["nobody drives: no gamepad: it was unplugged"]


def test_silence_fades_to_zero_and_stays_there(hand: Any) -> None:  # case 10
    hand.drive()
    hand.speaks, last = False, hand.sent
    hand.wait(2.0)
    after = [(wish.time - last, wish) for wish in hand.wishes if wish.time > last]
    assert all(wish.twist == STILL and not wish.present for age, wish in after if age > 0.5)
    assert all(wish.twist.forward == pytest.approx(0.5) for age, wish in after if age <= 0.25)
    assert 0.0 < next(wish.twist.forward for age, wish in after if age > 0.4) < 0.25
    assert hand.wishes[-1].absence == f"the gamepad has been silent for {hand.time - last:.2f} s, limit 0.50 s"


def test_the_same_message_for_ever_ends_too(new_hand: Callable[..., Any]) -> None:  # case 12
    hand = new_hand(pad_frozen_after=3.0)
    hand.drive()
    assert hand.wait(0.9).present
    wish = hand.wait(0.3)
    assert not wish.present
    assert "said the very same for 3 s with a stick deflected" in wish.absence
    assert wish.twist == STILL
    hand.sticks = {1: 0.99}
    assert hand.wait(0.1).present


def test_release_is_zero_at_once_and_repeated(hand: Any) -> None:  # case 14
    hand.drive()
    hand.held.discard("dead_man")
    hand.message()
    for _ in range(100):
        assert hand.wait(0.01).twist == STILL


def test_dead_man_and_stick_released_in_one_message(hand: Any) -> None:  # case 16
    hand.drive()
    hand.held, hand.sticks = set(), {}
    hand.message()
    assert hand.wait(0.01).twist == STILL


def test_a_stick_let_go_is_zero_at_once(hand: Any) -> None:  # case 22
    hand.drive()
    hand.sticks = {}
    hand.message()
    wish = hand.wait(0.01)
    assert wish.present
    assert wish.twist == STILL


def test_unplugging_is_zero_at_once(hand: Any) -> None:
    hand.drive()
    hand.operator.pad_unplugged()
    hand.speaks = False
    wish = hand.wait(0.01)
    assert wish.twist == STILL
    assert not wish.present


def test_the_pad_is_not_one_of_the_layout(hand: Any) -> None:  # cases 8, 20: only stop is obeyed
    for stamp, buttons in ((0.0, [0] * 13), (0.1, [1] * 13)):
        hand.operator.pad_message(stamp, [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], buttons)
    wish = hand.operator.tick(0.1)
    assert wish.request == OperatorRequest.STOP
    assert not wish.present
    assert any("13 buttons" in notice for notice in wish.notices)
    assert hand.operator.tick(0.11).notices == ()


def external(hand: Any, seconds: float, forward: float = 0.2) -> OperatorWish:
    for _ in range(round(seconds / 0.1)):
        hand.operator.external_velocity(hand.time, PlanarVelocity(forward, 0.0, 0.0))
        wish = hand.wait(0.1)
    return wish


def test_an_external_velocity_counts_while_the_dead_man_is_held(hand: Any) -> None:
    assert external(hand, 1.0).twist == STILL
    hand.held = {"dead_man"}
    assert external(hand, 1.0).twist == pytest.approx((0.2, 0.0, 0.0))
    assert external(hand, 2.0, forward=9.0).twist == pytest.approx((0.5, 0.0, 0.0))
    hand.sticks = {1: -1.0}
    assert external(hand, 3.0).twist == pytest.approx((-0.5, 0.0, 0.0))


def test_one_external_velocity_and_then_silence(hand: Any) -> None:  # case 144
    hand.held = {"dead_man"}
    external(hand, 1.0)
    assert hand.wait(0.25).twist.forward > 0.0
    assert hand.wait(0.2).twist == STILL
    assert hand.wait(5.0).twist == STILL


@pytest.mark.parametrize("alone", [False, True])
def test_a_pad_that_is_lost_hands_over_to_nobody(new_hand: Callable[..., Any], alone: bool) -> None:  # case 18
    hand = new_hand(external_without_operator=alone)
    hand.drive()
    hand.speaks = False
    external(hand, 0.6)
    assert all(external(hand, 0.1).twist == STILL for _ in range(20))


def test_external_velocity_without_an_operator_by_parameter(new_hand: Callable[..., Any]) -> None:
    hand = new_hand(external_without_operator=True)
    hand.speaks = False
    wish = external(hand, 1.0)
    assert wish.twist == pytest.approx((0.2, 0.0, 0.0))
    assert not wish.present
    assert hand.wait(1.0).twist == STILL


def test_not_a_number_from_outside_is_dropped(hand: Any) -> None:
    hand.held = {"dead_man"}
    hand.wait(0.1)
    hand.operator.external_velocity(hand.time, PlanarVelocity(math.nan, 0.0, 0.0))
    hand.operator.external_velocity(math.inf, PlanarVelocity(0.1, 0.0, 0.0))
    assert hand.wait(0.2).twist == STILL
    assert hand.operator.counters["external_not_finite"] == 2


@pytest.mark.parametrize("name", ["walk", "stand", "sit", "gait_1", "ground_next", "level"])
@pytest.mark.parametrize("how", ["unplugged", "silent"])
def test_presses_of_a_lost_pad_do_not_count_until_it_is_armed(hand: Any, name: str, how: str) -> None:
    hand.drive()
    hand.held, hand.sticks, hand.speaks = set(), {}, False
    if how == "unplugged":
        hand.operator.pad_message(hand.time, (), ())
    hand.wait(3.0)
    hand.speaks = True
    hand.wait(0.2)
    wishes = hand.press(name)
    assert requests(wishes) == []
    assert (wishes[-1].gait_request_id, wishes[-1].ground) == (0, "")
    assert [notice for wish in wishes for notice in wish.notices] == [
        f"press of {name} dropped: the gamepad was lost; once it is back, let go of the sticks and press arm"
    ]
    assert requests(hand.press("stop")) == [OperatorRequest.STOP]
    assert requests(hand.press("arm")) == [OperatorRequest.ARM]
    assert requests(hand.press("sit")) == [OperatorRequest.SIT]


def test_an_arming_just_before_the_loss_does_not_count_after_it(hand: Any) -> None:
    hand.wait(0.1)
    hand.held = {"arm"}
    hand.message()
    hand.operator.pad_message(hand.time, (), ())
    hand.speaks = False
    assert hand.wait(0.01).request == OperatorRequest.NONE
    hand.held, hand.speaks = {"dead_man"}, True
    assert "press arm" in hand.wait(0.2).absence


def test_stamps_that_are_wrong_do_not_keep_a_pad_alive(hand: Any) -> None:
    hand.drive()
    hand.operator.pad_message(math.nan, [0.0] * 8, [0] * 11)
    hand.operator.pad_message(hand.time - 1.0, [0.0] * 8, [0] * 11)
    assert hand.operator.counters["out_of_order"] == 2
    hand.speaks = False
    hand.operator.pad_message(1e12, [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [int(i == 4) for i in range(11)])
    assert hand.wait(0.01).twist == STILL
    hand.speaks = True
    assert hand.wait(0.2).present


anything = st.one_of(st.floats(), st.floats(-1.0, 1.0))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            anything, st.lists(anything, min_size=6, max_size=9), st.lists(st.integers(0, 1), min_size=9, max_size=12), st.booleans()
        ),
        max_size=25,
    )
)
def test_whatever_comes_in_the_wish_is_bounded(xbox: PadLayout, story: list[tuple[float, list[float], list[int], bool]]) -> None:
    operator = Operator(xbox, SETTINGS)
    time, gait_id = 0.0, 0
    for number, axes, buttons, good_stamp in story:
        time += 0.02
        operator.pad_message(time if good_stamp else number, axes, buttons)
        operator.external_velocity(time, PlanarVelocity(*axes[:3]))
        operator.external_gait_request(len(axes), "walk")
        wish = operator.tick(time)
        assert wish.twist.finite
        assert abs(wish.twist.forward) <= 0.5
        assert abs(wish.twist.strafe) <= 0.3
        assert abs(wish.twist.turn) <= 0.6
        assert wish.present or wish.twist == STILL
        assert wish.gait_request_id >= gait_id
        assert wish.ground in ("", *SETTINGS.grounds)
        gait_id = wish.gait_request_id
