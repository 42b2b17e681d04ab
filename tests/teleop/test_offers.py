# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.teleop.offers import OFFER_HOLDS, CounterOffer, OfferHand

OFFER = CounterOffer("trot", 0.5, "trot at 50% of the speed all of 16 traces survive")
WALK, TROT, PACE, STAND = "walk", "trot", "pace", "stand"


@pytest.fixture
def hand() -> OfferHand:
    """It was asked for by request 3."""
    hand = OfferHand()
    hand.offered(1.0, OFFER)
    assert hand.take(2.0) == OFFER
    hand.asked(OFFER, 3)
    return hand


def test_an_offer_is_taken_up_once_and_is_void_after_the_next_news_or_after_a_while() -> None:
    hand = OfferHand()
    hand.offered(1.0, OFFER)
    hand.offered(1.5, None)
    assert hand.take(2.0) is None
    hand.offered(2.0, OFFER)
    assert hand.take(2.1 + OFFER_HOLDS) is None
    hand.offered(2.0, OFFER)
    assert hand.take(3.0) == OFFER
    assert hand.take(3.0) is None


def test_what_was_not_asked_for_leaves_the_speed_as_it_was() -> None:
    hand = OfferHand()
    hand.offered(1.0, OFFER)
    hand.take(2.0)
    assert hand.command_factor == 1.0


def test_neither_an_old_veto_nor_one_of_another_request_lifts_it(hand: OfferHand) -> None:
    for gait, request_id, vetoed in ((WALK, 2, True), (WALK, 0, False), (STAND, 0, False), (WALK, 3, False), (WALK, 4, True)):
        hand.status(gait, request_id, vetoed)
        assert hand.command_factor == 0.5


def test_its_own_veto_lifts_it(hand: OfferHand) -> None:
    hand.status(WALK, 3, True)
    assert hand.command_factor == 1.0


def test_it_stays_while_its_gait_runs_and_until_the_sticks_are_let_go_in_the_next(hand: OfferHand) -> None:
    hand.status(TROT, 3, False)
    hand.let_go()
    hand.status(TROT, 4, True)
    assert hand.command_factor == 0.5
    hand.status(PACE, 5, False)
    assert hand.command_factor == 0.5
    hand.let_go()
    assert hand.command_factor == 1.0


def test_whoever_stands_has_the_whole_speed_again(hand: OfferHand) -> None:
    hand.status(TROT, 3, False)
    hand.status(STAND, 0, False)
    assert hand.command_factor == 1.0


def test_an_offer_is_a_part_of_the_speed_that_is_let_through_and_its_veto_gives_that_back() -> None:
    hand = OfferHand()
    hand.status(WALK, 2, False)
    hand.asked(OFFER, 3)
    hand.status(TROT, 3, False)
    through = CounterOffer("pace", 1.0, "pace through amble", "amble")
    hand.asked(through, 5)
    assert hand.command_factor == 0.5
    hand.status(TROT, 5, True)
    assert hand.command_factor == 0.5
    hand.asked(OFFER._replace(gait="pace"), 7)
    assert hand.command_factor == 0.25
    hand.status(TROT, 7, True)
    assert hand.command_factor == 0.5
    # It is still the limit of the gait that it was for.
    hand.status(STAND, 7, False)
    assert hand.command_factor == 1.0


def test_half_way_the_lower_speed_stays_until_the_sticks_are_let_go() -> None:
    hand = OfferHand()
    hand.status(WALK, 2, False)
    hand.asked(OFFER._replace(intermediate="amble"), 3)
    hand.status("amble", 3, False)
    hand.status("amble", 3, True)
    assert hand.command_factor == 0.5
    hand.let_go()
    assert hand.command_factor == 1.0


def test_what_is_asked_by_taking_it_up_is_said() -> None:
    assert OFFER.asking == "slowing down to 50% of the speed, and asking for trot"
    assert CounterOffer("trot", 1.0, "", "amble").asking == "asking for trot through amble"
    assert CounterOffer("trot", 1.0, "", "", 2.4).asking == "asking for trot, 2.4 s later"
