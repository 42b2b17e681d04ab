# SPDX-License-Identifier: Apache-2.0
"""A gait change that is asked of a hidden robot, and what became of it."""

from dataclasses import dataclass

from surefoot.traces.decision.offer import Offer


@dataclass(frozen=True)
class Request:
    """A gait change asked for.

    Attributes:
        number: also the seed of everything about it.
        scenario: see `scenarios`.
        gait_from, gait_to: names.
        command: forward and left speed, m/s, and turn rate, rad/s.
        start: which walk it starts from.
        slope: rise over length of the ground along the way.
    """

    number: int
    scenario: str
    gait_from: str
    gait_to: str
    command: tuple[float, float, float]
    start: int
    slope: float


@dataclass(frozen=True)
class Answered:
    """What became of a request.

    Attributes:
        accepted: by the verdict.
        predicted: success rate of each candidate that was traced, NaN for the others.
        succeeds: whether the hidden robot does it at each candidate.
        fell_unfiltered: when the change was made at the moment of the request.
        fell_obeyed: when it was made as the verdict said, or not at all.
        fell_kept: when the gait was kept, whatever the verdict.
        offered: what a veto offered; None without an offer.
        offer_accepted: whether the gait was accepted when it was asked for again that way.
        fell_offered: when the offer was taken up where there was one, and the verdict was obeyed.
        particles: that the verdict took.
        reason: of it.
    """

    request: Request
    accepted: bool
    predicted: tuple[float, ...]
    succeeds: tuple[bool, ...]
    fell_unfiltered: bool
    fell_obeyed: bool
    fell_kept: bool
    offered: Offer | None
    offer_accepted: bool
    fell_offered: bool
    particles: int
    reason: str
