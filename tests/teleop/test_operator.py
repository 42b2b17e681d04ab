# SPDX-License-Identifier: Apache-2.0
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.gait.library import read_gaits
from surefoot.settings import read_settings
from surefoot.teleop.driving import STILL, PlanarVelocity
from surefoot.teleop.layout import PadLayout
from surefoot.teleop.offers import CounterOffer
from surefoot.teleop.operator import Operator, OperatorRequest, OperatorWish
from surefoot.teleop.settings import OperatorSettings

SETTINGS = OperatorSettings()
TRIGGERS_AT_REST = {2: 1.0, 5: 1.0}


class Hand:
    """Somebody at an Xbox pad whose driver repeats at 20 Hz; the operator's node ticks at 100 Hz."""

    def __init__(self, layout: PadLayout, **changes: Any) -> None:
        self.layout = layout
        self.operator = Operator(layout, OperatorSettings.model_validate({**SETTINGS.model_dump(), **changes}))
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
def hand(xbox: PadLayout) -> Hand:
    return Hand(xbox)


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
def test_one_press_is_one_request(hand: Hand, name: str, request_: OperatorRequest) -> None:
    hand.wait(0.1)
    assert requests(hand.press(name)) == [request_]
    assert requests(hand.press(name)) == [request_]


def test_walk_pressed_while_walking_asks_to_stand(hand: Hand) -> None:
    hand.wait(0.1)
    hand.walking = True
    assert requests(hand.press("walk")) == [OperatorRequest.STAND]


def test_a_button_held_since_before_is_no_press_unless_it_stops(hand: Hand) -> None:
    hand.held = {"arm", "walk"}
    hand.wait(0.3)
    assert requests(hand.wishes) == []
    hand.speaks = False
    hand.wait(1.0)
    hand.held, hand.speaks = {"stand", "stop"}, True
    hand.wait(0.3)
    assert requests(hand.wishes) == [OperatorRequest.STOP]


def test_every_press_between_two_ticks_is_heard_and_stop_comes_first(hand: Hand) -> None:  # case 28
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


def test_a_press_that_arrives_too_late_is_dropped_but_a_stop_is_not(hand: Hand) -> None:
    hand.wait(0.1)
    hand.speaks = False
    hand.held = {"stand"}
    hand.message()
    hand.time += 0.6
    wish = hand.wait(0.01)
    assert wish.request == OperatorRequest.NONE
    assert wish.notices == ("press of stand dropped: 0.61 s old, limit 0.50 s",)
    hand.held = {"stop"}
    hand.message()
    hand.time += 0.6
    assert hand.wait(0.01).request == OperatorRequest.STOP


def test_arming_wants_the_sticks_at_rest(hand: Hand) -> None:
    hand.sticks = {1: 0.5}
    hand.wait(0.1)
    wishes = hand.press("arm")
    assert requests(wishes) == []
    assert any("let go of the sticks" in notice for wish in wishes for notice in wish.notices)
    hand.sticks = {}
    assert requests(hand.press("arm")) == [OperatorRequest.ARM]


def test_driving_needs_the_dead_man(hand: Hand) -> None:
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
    speeds = [wish.twist.forward for wish in hand.wishes]
    assert max(b - a for a, b in pairwise(speeds)) <= 0.5 * 0.01 + 1e-9


def test_silence_fades_to_zero_and_stays_there(hand: Hand) -> None:  # case 10
    hand.drive()
    hand.speaks, last = False, hand.sent
    hand.wait(2.0)
    after = [(wish.time - last, wish) for wish in hand.wishes if wish.time > last]
    assert all(wish.twist == STILL and not wish.present for age, wish in after if age > 0.5)
    assert all(wish.twist.forward == pytest.approx(0.5) for age, wish in after if age <= 0.25)
    assert 0.0 < next(wish.twist.forward for age, wish in after if age > 0.4) < 0.25
    assert hand.wishes[-1].absence == f"the gamepad has been silent for {hand.time - last:.2f} s, limit 0.50 s"


def test_the_same_message_for_ever_ends_too(xbox: PadLayout) -> None:  # case 12
    hand = Hand(xbox, pad_frozen_after=3.0)
    hand.drive()
    assert hand.wait(0.9).present
    wish = hand.wait(0.3)
    assert not wish.present
    assert "said the very same for 3 s with a stick deflected" in wish.absence
    assert wish.twist == STILL
    hand.sticks = {1: 0.99}
    assert hand.wait(0.1).present


def test_release_is_zero_at_once_and_repeated(hand: Hand) -> None:  # case 14
    hand.drive()
    hand.held.discard("dead_man")
    hand.message()
    for _ in range(100):
        assert hand.wait(0.01).twist == STILL


def test_dead_man_and_stick_released_in_one_message(hand: Hand) -> None:  # case 16
    hand.drive()
    hand.held, hand.sticks = set(), {}
    hand.message()
    assert hand.wait(0.01).twist == STILL


def test_a_stick_let_go_slows_down_by_the_ramp(hand: Hand) -> None:  # case 22
    hand.drive()
    hand.sticks = {}
    hand.message()
    assert hand.wait(0.5).twist.forward == pytest.approx(0.25)
    assert hand.wait(0.6).twist == STILL


def test_unplugging_is_zero_at_once(hand: Hand) -> None:
    hand.drive()
    hand.operator.pad_unplugged()
    hand.speaks = False
    wish = hand.wait(0.01)
    assert wish.twist == STILL
    assert not wish.present


def test_the_pad_is_not_one_of_the_layout(hand: Hand) -> None:  # cases 8, 20: only stop is obeyed
    for stamp, buttons in ((0.0, [0] * 13), (0.1, [1] * 13)):
        hand.operator.pad_message(stamp, [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], buttons)
    wish = hand.operator.tick(0.1)
    assert wish.request == OperatorRequest.STOP
    assert not wish.present
    assert any("13 buttons" in notice for notice in wish.notices)
    assert hand.operator.tick(0.11).notices == ()


def external(hand: Hand, seconds: float, forward: float = 0.2) -> OperatorWish:
    for _ in range(round(seconds / 0.1)):
        hand.operator.external_velocity(hand.time, PlanarVelocity(forward, 0.0, 0.0))
        wish = hand.wait(0.1)
    return wish


def test_an_external_velocity_counts_while_the_dead_man_is_held(hand: Hand) -> None:
    assert external(hand, 1.0).twist == STILL
    hand.held = {"dead_man"}
    assert external(hand, 1.0).twist == pytest.approx((0.2, 0.0, 0.0))
    assert external(hand, 2.0, forward=9.0).twist == pytest.approx((0.5, 0.0, 0.0))
    hand.sticks = {1: -1.0}
    assert external(hand, 3.0).twist == pytest.approx((-0.5, 0.0, 0.0))


def test_one_external_velocity_and_then_silence(hand: Hand) -> None:  # case 144
    hand.held = {"dead_man"}
    external(hand, 1.0)
    assert hand.wait(0.25).twist.forward > 0.0
    assert hand.wait(0.2).twist == STILL
    assert hand.wait(5.0).twist == STILL


@pytest.mark.parametrize("alone", [False, True])
def test_a_pad_that_is_lost_hands_over_to_nobody(xbox: PadLayout, alone: bool) -> None:  # case 18
    hand = Hand(xbox, external_without_operator=alone)
    hand.drive()
    hand.speaks = False
    external(hand, 0.6)
    assert all(external(hand, 0.1).twist == STILL for _ in range(20))


def test_external_velocity_without_an_operator_by_parameter(xbox: PadLayout) -> None:
    hand = Hand(xbox, external_without_operator=True)
    hand.speaks = False
    wish = external(hand, 1.0)
    assert wish.twist == pytest.approx((0.2, 0.0, 0.0))
    assert not wish.present
    assert hand.wait(1.0).twist == STILL


def test_not_a_number_from_outside_is_dropped(hand: Hand) -> None:
    hand.held = {"dead_man"}
    hand.wait(0.1)
    hand.operator.external_velocity(hand.time, PlanarVelocity(math.nan, 0.0, 0.0))
    hand.operator.external_velocity(math.inf, PlanarVelocity(0.1, 0.0, 0.0))
    assert hand.wait(0.2).twist == STILL
    assert hand.operator.counters["external_not_finite"] == 2


def test_gaits_by_button_and_from_outside(xbox: PadLayout) -> None:  # case 176
    operator = Operator(xbox, SETTINGS, known_gaits=("walk", "trot", "amble"))
    axes = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    operator.pad_message(0.0, axes, [int(i == 4) for i in range(11)])
    assert (operator.tick(0.0).gait, operator.tick(0.0).gait_request_id) == ("", 0)
    assert operator.external_gait_request(7, "amble") == ""
    assert (operator.tick(0.1).gait, operator.tick(0.1).gait_request_id) == ("amble", 1)
    assert "seen before" in operator.external_gait_request(7, "trot")
    assert "ids start at 1" in operator.external_gait_request(0, "trot")
    assert "gait 'gallop' is unknown; known: amble, trot, walk" in operator.external_gait_request(8, "gallop")
    assert (operator.tick(0.2).gait, operator.tick(0.2).gait_request_id) == ("amble", 1)
    operator.pad_message(0.3, axes, [0] * 11)
    operator.pad_message(0.35, axes, [int(i in (2, 3)) for i in range(11)])
    wish = operator.tick(0.36)
    assert (wish.gait, wish.gait_request_id) == ("trot", 2)
    assert wish.notices == ("gait 'pace' is unknown; known: amble, trot, walk",)


def test_gait_requests_from_outside_count_while_the_operator_is_present(hand: Hand) -> None:
    made = read_gaits(Path(__file__).parents[2] / "config" / "gaits" / "hyq.yaml")["trot"].model_copy(update={"name": "mine"})
    assert "operator is absent" in hand.operator.external_gait_request(1, "trot")  # before the first tick
    hand.wait(0.1)
    assert "absent: the dead-man switch is open" in hand.operator.external_gait_request(2, "trot")
    assert "gait 'mine' dropped: the operator is absent" in hand.operator.gait_action("", made)[1]
    assert hand.operator.gait_action("trot")[1] != ""
    assert hand.wait(0.1).gait_request_id == 0
    assert hand.operator.counters["gait_requests_dropped"] == 4
    assert hand.operator.gait_action("stand") == (1, "")
    hand.held = {"dead_man"}
    hand.wait(0.1)
    assert hand.operator.external_gait_request(3, "trot") == ""
    assert hand.operator.gait_action("", made) == (3, "")
    assert hand.wait(0.1).own_gait == made


@pytest.mark.parametrize("name", ["walk", "stand", "sit", "gait_1", "ground_next", "level"])
@pytest.mark.parametrize("how", ["unplugged", "silent"])
def test_presses_of_a_lost_pad_do_not_count_until_it_is_armed(hand: Hand, name: str, how: str) -> None:
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


def test_an_arming_just_before_the_loss_does_not_count_after_it(hand: Hand) -> None:
    hand.wait(0.1)
    hand.held = {"arm"}
    hand.message()
    hand.operator.pad_message(hand.time, (), ())
    hand.speaks = False
    assert hand.wait(0.01).request == OperatorRequest.NONE
    hand.held, hand.speaks = {"dead_man"}, True
    assert "press arm" in hand.wait(0.2).absence


def test_the_word_about_the_ground_goes_round(hand: Hand) -> None:
    assert hand.wait(0.1).ground == ""
    assert [hand.press("ground_next")[-1].ground for _ in range(4)] == ["dry", "wet", "ice", "dry"]
    assert [hand.press("ground_previous")[-1].ground for _ in range(2)] == ["ice", "wet"]


def test_the_first_step_back_is_the_last_ground(hand: Hand) -> None:
    hand.wait(0.1)
    assert hand.press("ground_previous")[-1].ground == "ice"


def test_stamps_that_are_wrong_do_not_keep_a_pad_alive(hand: Hand) -> None:
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


def test_one_button_takes_up_what_was_offered_at_the_speed_that_goes_with_it(hand: Hand) -> None:
    hand.press("gait_2")
    hand.drive()
    full, before = hand.wishes[-1].twist.forward, hand.wishes[-1].gait_request_id
    hand.operator.offer(hand.time, CounterOffer("trot", 0.5, "trot at 50% of the speed all of 16 traces survive"))
    hand.wait(0.02)
    assert hand.wishes[-2].notices == ("offered instead: trot at 50% of the speed all of 16 traces survive; press accept",)
    hand.press("accept")
    hand.wait(1.0)
    asked = [wish for wish in hand.wishes if wish.gait_request_id == before + 1]
    assert asked[0].gait == "trot"
    # What is rehearsed is the speed that was offered, not the one that was vetoed.
    assert all(wish.twist.forward == pytest.approx(0.5 * full, abs=0.01) for wish in asked)
    again = hand.press("accept")
    assert again[-1].gait_request_id == before + 1
    assert any("nothing is offered" in notice for wish in again for notice in wish.notices)
    hand.operator.gait_status("walk", before + 1, True)
    hand.wait(1.0)
    assert hand.wishes[-1].twist.forward == pytest.approx(full)
