# SPDX-License-Identifier: Apache-2.0
"""How the body is carried beside what the gait says: raised, leaned and turned by hand while it stands or walks."""

from typing import NamedTuple


class Posture(NamedTuple):
    """Of the body, beside what the gait says."""

    height: float = 0.0
    """m"""
    roll: float = 0.0
    """rad, positive to the right"""
    pitch: float = 0.0
    """rad, positive nose down"""
    yaw: float = 0.0
    """rad, from the heading, positive counter-clockwise"""


LEVEL = Posture()


class PostureHand:
    """Moves the posture while sticks are deflected, and keeps it when they are let go.

    Args:
        limit: largest magnitude of each part.
        travel_time: from level to the limit under a full stick, s.
    """

    def __init__(self, limit: Posture, travel_time: float) -> None:
        self._limit, self._travel_time = limit, travel_time
        self._time: float | None = None
        self._now = LEVEL

    def follow(self, time: float, deflections: Posture) -> Posture:
        """The posture at a time, s; deflections -1 to 1. Time that runs backwards moves nothing."""
        elapsed = 0.0 if self._time is None else min(0.1, max(0.0, time - self._time))
        self._time = time
        part = elapsed / self._travel_time
        self._now = Posture(
            *(
                max(-limit, min(limit, now + part * deflection * limit))
                for now, deflection, limit in zip(self._now, deflections, self._limit, strict=True)
            )
        )
        return self._now

    def level(self) -> None:
        """As the gait says; how fast it gets there is the planner's business."""
        self._now = LEVEL
