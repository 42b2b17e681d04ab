# SPDX-License-Identifier: Apache-2.0
"""Counter-offers: a vetoed gait at a lower speed, taken up with one button, and the lower speed that goes with it from then on."""

from typing import NamedTuple


class CounterOffer(NamedTuple):
    """What could be done instead of what was vetoed."""

    gait: str
    command_factor: float
    """Part of the commanded velocity."""
    reason: str
    """In words and numbers."""


class OfferHand:
    """The offer that is open, and the one that was taken up.

    Attributes:
        command_factor: part of the commanded velocity that is let through.
    """

    def __init__(self) -> None:
        self.command_factor = 1.0
        self._open: CounterOffer | None = None
        self._taken, self._taken_id = "", 0

    def offered(self, offer: CounterOffer | None) -> None:
        """Hear what the newest verdict offers; the one before is void."""
        self._open = offer

    def take(self) -> CounterOffer | None:
        """Take up the open offer; None if there is none. It can be taken up once."""
        offer, self._open = self._open, None
        return offer

    def slow_down(self, offer: CounterOffer, request_id: int) -> None:
        """Let through the speed of an offer that was asked for by a request, until `running` says that it is over."""
        self.command_factor, self._taken, self._taken_id = offer.command_factor, offer.gait, request_id

    def running(self, gait: str, requested: str, request_id: int, request_open: bool) -> None:
        """Hear which gait runs and what is asked for: the offer is over when its gait neither runs nor is about to.

        Args:
            gait: that runs.
            requested: of the last request.
            request_id: of it, 0 without one; what is older than the request for the offer says nothing about it.
            request_open: whether it is neither committed nor vetoed.
        """
        if not self._taken or 0 < request_id < self._taken_id:
            return
        if gait != self._taken and not (request_open and requested == self._taken):
            self.command_factor, self._taken = 1.0, ""
