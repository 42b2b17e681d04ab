# SPDX-License-Identifier: Apache-2.0
"""What the timetable of a gait really is, whatever its name says: who moves with whom, and how many feet are on the ground."""

from dataclasses import dataclass
from enum import StrEnum

from surefoot.gait.parameters import Gait
from surefoot.robot.description import LEG_NAMES

SAME = 0.0625
"""Feet whose mid-stances are less than this part of the period apart move together [Hildebrand 1965: sixteenths of the cycle]."""

EXACT = 1e-9
"""Events closer than this part of the period are one event."""


class Pattern(StrEnum):
    """Footfall patterns, by which feet take turns."""

    STAND = "stand"
    LATERAL_SEQUENCE = "lateral-sequence walk"
    DIAGONAL_SEQUENCE = "diagonal-sequence walk"
    TROT = "trot"
    PACE = "pace"
    BOUND = "bound"
    HALF_BOUND = "half-bound"
    CANTER = "canter"
    TRANSVERSE_GALLOP = "transverse gallop"
    ROTARY_GALLOP = "rotary gallop"
    PRONK = "pronk"
    OTHER = "other"


DESCRIPTION = {
    Pattern.STAND: "no foot ever leaves the ground",
    Pattern.LATERAL_SEQUENCE: "each hind foot is followed by the front foot of its side",
    Pattern.DIAGONAL_SEQUENCE: "each hind foot is followed by the front foot of the other side",
    Pattern.TROT: "diagonal feet move together",
    Pattern.PACE: "the feet of one side move together",
    Pattern.BOUND: "the front feet move together, and so do the hind feet",
    Pattern.HALF_BOUND: "the hind feet move together, and the front feet one after the other",
    Pattern.CANTER: "one diagonal pair moves together, and the other two feet one after the other",
    Pattern.TRANSVERSE_GALLOP: "the hind feet follow each other closely, and then the front feet in the same order",
    Pattern.ROTARY_GALLOP: "the hind feet follow each other closely, and then the front feet in the opposite order",
    Pattern.PRONK: "all feet move together",
    Pattern.OTHER: "the feet follow no pattern that has a name here",
}


@dataclass(frozen=True)
class Support:
    """Planned feet on the ground over one cycle, exact from the intervals.

    Attributes:
        minimum: smallest number of feet.
        flight_fraction: part of the period without any.
        longest_flight: longest time without any, s.
    """

    minimum: int
    flight_fraction: float
    longest_flight: float


def classify(gait: Gait) -> Pattern:
    """The footfall pattern of a gait, from the mid-stances of its feet [Hildebrand 1965, 1977]."""
    if not gait.moves:
        return Pattern.STAND
    if any(duty == 1.0 for duty in gait.duty_factor.values()):
        return Pattern.OTHER
    middle = {leg: gait.liftoff[leg] - 0.5 * gait.duty_factor[leg] for leg in LEG_NAMES}

    def near(leg: str, other: str, lag: float) -> bool:
        return _apart(middle[leg] - middle[other], lag) < SAME

    front_together, hind_together = near("LF", "RF", 0.0), near("LH", "RH", 0.0)
    if front_together and hind_together:
        return Pattern.PRONK if near("LF", "LH", 0.0) else Pattern.BOUND
    if near("LF", "RF", 0.5) and near("LH", "RH", 0.5):
        return _symmetric(middle)
    return Pattern.OTHER if front_together else _asymmetric(middle, hind_together)


def _symmetric(middle: dict[str, float]) -> Pattern:
    """Of a gait whose left and right feet take turns evenly: told by how far a front foot lags behind the hind foot of its side."""
    left, right = (middle["LF"] - middle["LH"]) % 1.0, (middle["RF"] - middle["RH"]) % 1.0
    if _apart(left, right) >= SAME:
        return Pattern.OTHER
    for pattern, lag in ((Pattern.PACE, 0.0), (Pattern.TROT, 0.5)):
        if max(_apart(left, lag), _apart(right, lag)) < SAME:
            return pattern
    return Pattern.LATERAL_SEQUENCE if left < 0.5 else Pattern.DIAGONAL_SEQUENCE


def _asymmetric(middle: dict[str, float], hind_together: bool) -> Pattern:
    """Of a gait whose front feet come one soon after the other: told by what the hind feet do, and in which order."""
    front, hind = (_lag(middle["RF"] - middle["LF"]), _lag(middle["RH"] - middle["LH"]))
    if hind_together:
        return Pattern.HALF_BOUND
    if max(abs(front), abs(hind)) > 0.5 - SAME:
        return Pattern.OTHER
    if (front > 0.0) != (hind > 0.0):
        return Pattern.ROTARY_GALLOP
    diagonals = (("LF", "RH"), ("RF", "LH"))
    if any(_apart(middle[leg] - middle[other], 0.0) < SAME for leg, other in diagonals):
        return Pattern.CANTER
    return Pattern.TRANSVERSE_GALLOP


def support(gait: Gait) -> Support:
    """How many feet the timetable has on the ground."""
    touchdown, stepping = gait.touchdown, [leg for leg in LEG_NAMES if gait.duty_factor[leg] < 1.0]
    times = sorted({0.0, *(gait.liftoff[leg] for leg in stepping), *(touchdown[leg] for leg in stepping)})
    spans = [(start, end) for start, end in zip(times, [*times[1:], 1.0], strict=True) if end - start > EXACT]
    feet = [sum(_on_ground(gait, leg, 0.5 * (start + end)) for leg in LEG_NAMES) for start, end in spans]
    flights = [end - start if count == 0 else 0.0 for (start, end), count in zip(spans, feet, strict=True)]
    longest, current = 0.0, 0.0
    # Twice around, for a flight that goes on past the end of the period.
    for flight in flights * 2:
        current = current + flight if flight > 0.0 else 0.0
        longest = max(longest, current)
    return Support(min(feet), sum(flights), min(longest, 1.0) * gait.period)


def _lag(difference: float) -> float:
    """The difference of two phases, -0.5 to 0.5."""
    return (difference + 0.5) % 1.0 - 0.5


def _apart(phase: float, other: float) -> float:
    """Distance of two phases around the cycle, 0 to 0.5."""
    return abs(_lag(phase - other))


def _on_ground(gait: Gait, leg: str, phase: float) -> bool:
    duty = gait.duty_factor[leg]
    return duty >= 1.0 or (phase - gait.liftoff[leg]) % 1.0 >= 1.0 - duty
