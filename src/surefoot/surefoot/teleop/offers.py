# SPDX-License-Identifier: Apache-2.0
"""Counter-offers: a vetoed gait slower, later, or by way of another, taken up with one button, and the lower speed that goes with it."""

from enum import Enum, auto
from typing import NamedTuple

from surefoot.gait.library import STAND

OFFER_HOLDS = 30.0
"""s after which an offer is void: it was found for where the robot was then."""


class CounterOffer(NamedTuple):
    """What could be done instead of what was vetoed."""

    gait: str
    command_factor: float
    """Part of the commanded velocity."""
    reason: str
    """In words and numbers."""
    intermediate: str = ""
    """Name of the gait to be walked on the way; empty: none."""
    delay: float = 0.0
    """s by which the change is later."""

    @property
    def asking(self) -> str:
        """What is done by who takes it up, in words."""
        slower = f"slowing down to {self.command_factor:.0%} of the speed, and " if self.command_factor < 1.0 else ""
        return f"{slower}asking for {self.gait}" + (f" through {self.intermediate}" if self.intermediate else "") + (
            f", {self.delay:.1f} s later" if self.delay > 0.0 else ""
        )


class _Stage(Enum):
    NONE = auto()
    ASKED = auto()
    """The gait is asked for, at the speed of the offer."""
    WALKED = auto()
    """The robot walks in it."""
    OVER = auto()
    """It walks in another gait; the whole speed comes back once the sticks are let go, not by itself."""


class OfferHand:
    """The offer that is open, and the one that was taken up.

    Attributes:
        command_factor: part of the commanded velocity that is let through.
    """

    def __init__(self) -> None:
        self.command_factor = 1.0
        self._open: CounterOffer | None = None
        self._open_since = 0.0
        self._taken: CounterOffer | None = None
        self._stage, self._request_id = _Stage.NONE, 0
        self._running = self._asked_in = ""
        self._before: tuple[float, CounterOffer | None, _Stage] = (1.0, None, _Stage.NONE)

    def offered(self, time: float, offer: CounterOffer | None) -> None:
        """Hear at a time, in s, what the newest verdict offers; the one before is void."""
        self._open, self._open_since = offer, time

    def take(self, time: float) -> CounterOffer | None:
        """The open offer, once, to be asked for now; None if there is none."""
        offer, self._open = self._open, None
        return None if offer is None or time - self._open_since > OFFER_HOLDS else offer

    def asked(self, offer: CounterOffer, request_id: int) -> None:
        """Hear by which request it was asked for. From now on the speed is that of the offer, so that it is rehearsed at that."""
        # The offer was found for the speed that is let through now, which may be that of an offer before.
        self._before, self._asked_in = (self.command_factor, self._taken, self._stage), self._running
        self.command_factor, self._taken = self.command_factor * offer.command_factor, offer
        self._stage, self._request_id = _Stage.ASKED, request_id

    def status(self, gait: str, request_id: int, vetoed: bool) -> None:
        """Hear which gait runs, and of the last request its id and whether it was vetoed."""
        self._running = gait
        if self._taken is None:
            return
        if self._stage is _Stage.ASKED and gait == self._taken.gait and request_id >= self._request_id:
            self._stage = _Stage.WALKED
        elif self._stage is _Stage.ASKED and vetoed and request_id == self._request_id:
            if gait == self._asked_in or not self._asked_in:
                # The gait that goes on was good for the speed before.
                self.command_factor, self._taken, self._stage = self._before
            else:
                # Half way there: nobody said what the gait that it goes on in is good for.
                self._stage = _Stage.OVER
        elif self._stage is not _Stage.ASKED and gait == STAND:
            self._lift()
        elif self._stage is _Stage.WALKED and gait != self._taken.gait:
            self._stage = _Stage.OVER

    def let_go(self) -> None:
        """Hear that nobody drives."""
        if self._stage is _Stage.OVER:
            self._lift()

    def _lift(self) -> None:
        self.command_factor, self._taken, self._stage = 1.0, None, _Stage.NONE
