# SPDX-License-Identifier: Apache-2.0
"""What the operator's door asks of the robot beside driving: gaits, what was offered, and the word about the ground."""

from pathlib import Path
from typing import Any

import pytest

from surefoot.gait.library import read_gaits
from surefoot.teleop.layout import PadLayout
from surefoot.teleop.offers import CounterOffer
from surefoot.teleop.operator import Operator
from surefoot.teleop.settings import OperatorSettings

SETTINGS = OperatorSettings()


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


def test_gait_requests_from_outside_count_while_the_operator_is_present(hand: Any) -> None:
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


def test_the_word_about_the_ground_goes_round(hand: Any) -> None:
    assert hand.wait(0.1).ground == ""
    assert [hand.press("ground_next")[-1].ground for _ in range(4)] == ["dry", "wet", "ice", "dry"]
    assert [hand.press("ground_previous")[-1].ground for _ in range(2)] == ["ice", "wet"]


def test_the_first_step_back_is_the_last_ground(hand: Any) -> None:
    hand.wait(0.1)
    assert hand.press("ground_previous")[-1].ground == "ice"


def test_one_button_takes_up_what_was_offered_at_the_speed_that_goes_with_it(hand: Any) -> None:
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
    assert all(wish.twist.forward == pytest.approx(0.5 * full) for wish in asked)
    again = hand.press("accept")
    assert again[-1].gait_request_id == before + 1
    assert any("nothing is offered" in notice for wish in again for notice in wish.notices)
    hand.operator.gait_status("walk", before + 1, True)
    hand.wait(1.0)
    assert hand.wishes[-1].twist.forward == pytest.approx(full)


def test_what_was_offered_by_way_of_another_gait_is_asked_for_that_way_and_at_the_whole_speed(hand: Any) -> None:
    hand.press("gait_2")
    hand.drive()
    full, before = hand.wishes[-1].twist.forward, hand.wishes[-1].gait_request_id
    hand.operator.offer(hand.time, CounterOffer("trot", 1.0, "trot through amble all of 16 traces survive", "amble"))
    hand.wait(0.02)
    notices = [notice for wish in hand.press("accept") for notice in wish.notices]
    assert "asking for trot through amble" in notices
    hand.wait(0.1)
    asked = hand.wishes[-1]
    assert (asked.gait_request_id, asked.gait, asked.intermediate) == (before + 1, "trot", "amble")
    assert asked.twist.forward == pytest.approx(full)
    # The way belongs to that request alone.
    assert hand.press("gait_1")[-1].intermediate == ""


def test_an_operator_who_was_started_again_goes_on_behind_the_requests_before(hand: Any) -> None:
    hand.wait(0.1)
    hand.operator.gait_status("trot", 5, False)
    assert hand.wait(0.1).gait_request_id == 0
    assert hand.press("gait_1")[-1].gait_request_id == 6
    # What is said of an older one takes nothing back.
    hand.operator.gait_status("trot", 5, True)
    assert hand.press("gait_2")[-1].gait_request_id == 7
