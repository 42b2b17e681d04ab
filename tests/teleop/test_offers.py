# SPDX-License-Identifier: Apache-2.0
from surefoot.teleop.offers import CounterOffer, OfferHand

OFFER = CounterOffer("trot", 0.5, "trot at 50% of the speed all of 16 traces survive")


def accepted() -> OfferHand:
    hand = OfferHand()
    hand.offered(OFFER)
    assert hand.take() == OFFER
    hand.slow_down(OFFER, 3)
    return hand


def test_an_offer_is_taken_up_once_and_is_void_after_the_next_verdict() -> None:
    hand = accepted()
    assert hand.take() is None
    hand.offered(OFFER)
    hand.offered(None)
    assert hand.take() is None


def test_what_was_taken_up_slows_down_until_its_gait_is_over() -> None:
    hand = accepted()
    # The veto before, still on its way, says nothing about it.
    hand.running("walk", "trot", 2, False)
    for gait, is_open in (("walk", True), ("trot", False), ("trot", True)):
        hand.running(gait, "trot", 3, is_open)
        assert hand.command_factor == 0.5
    hand.running("trot", "pace", 4, True)
    assert hand.command_factor == 0.5
    hand.running("pace", "pace", 4, False)
    assert hand.command_factor == 1.0


def test_an_offer_that_is_vetoed_itself_leaves_the_speed_as_it_was() -> None:
    hand = accepted()
    hand.running("walk", "trot", 3, False)
    assert hand.command_factor == 1.0


def test_whoever_stands_has_the_whole_speed_again() -> None:
    hand = accepted()
    hand.running("trot", "trot", 3, False)
    hand.running("stand", "", 0, False)
    assert hand.command_factor == 1.0
