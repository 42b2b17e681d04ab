# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.gait.library import GaitLibrary
from surefoot.gait.parameters import Gait, gait_record
from surefoot.gait.pattern import Pattern, classify, support
from surefoot.gait.timing import in_planned_stance
from surefoot.robot.description import LEG_NAMES


def gait(links_gaits: GaitLibrary, liftoff: tuple[float, ...], duty: float | tuple[float, ...], **changes: object) -> Gait:
    """A gait with the given liftoffs and duty factors, in percent."""
    duties = (duty,) * 4 if isinstance(duty, int | float) else duty
    values = {
        "liftoff": dict(zip(LEG_NAMES, (phase / 100 for phase in liftoff), strict=True)),
        "duty_factor": dict(zip(LEG_NAMES, (each / 100 for each in duties), strict=True)),
    }
    return links_gaits["trot"].model_copy(update=values | changes)


@pytest.mark.parametrize(
    ("liftoff", "duty", "pattern"),
    [
        ((25, 75, 0, 50), 75, Pattern.LATERAL_SEQUENCE),
        ((25, 75, 0, 50), 55, Pattern.LATERAL_SEQUENCE),
        ((25, 75, 50, 0), 75, Pattern.DIAGONAL_SEQUENCE),
        ((25, 75, 75, 25), 60, Pattern.TROT),
        ((25, 75, 25, 75), 60, Pattern.PACE),
        ((10, 60, 60, 10), 60, Pattern.TROT),
        ((98, 48, 51, 1), 60, Pattern.TROT),
        ((0, 0, 50, 50), 60, Pattern.BOUND),
        ((99, 1, 0, 2), 60, Pattern.PRONK),
        ((0, 10, 50, 60), 40, Pattern.TRANSVERSE_GALLOP),
        ((80, 90, 40, 50), 40, Pattern.TRANSVERSE_GALLOP),
        ((90, 80, 40, 50), 40, Pattern.ROTARY_GALLOP),
        ((30, 60, 0, 30), 40, Pattern.CANTER),
        ((60, 30, 30, 0), 40, Pattern.CANTER),
        ((40, 60, 0, 0), 40, Pattern.HALF_BOUND),
        ((0, 0, 40, 60), 40, Pattern.OTHER),
        ((0, 50, 10, 40), 60, Pattern.OTHER),
        ((0, 50, 30, 10), 60, Pattern.OTHER),
        ((25, 75, 75, 25), 100, Pattern.STAND),
        ((25, 75, 75, 25), (100, 60, 60, 60), Pattern.OTHER),
        # Liftoffs alone would mislead: the middles of the stances coincide diagonally.
        ((25, 75, 80, 30), (60, 60, 70, 70), Pattern.TROT),
    ],
)
def test_a_pattern_is_what_the_feet_do(links_gaits: GaitLibrary, liftoff: tuple[float, ...], duty: float, pattern: Pattern) -> None:
    assert classify(gait(links_gaits, liftoff, duty)) is pattern


@pytest.mark.parametrize(
    ("liftoff", "duty", "minimum", "flight"),
    [
        ((25, 75, 0, 50), 75, 3, 0.0),
        ((25, 75, 75, 25), 60, 2, 0.0),
        ((25, 75, 75, 25), 50, 2, 0.0),
        ((25, 75, 75, 25), 40, 0, 0.2),
        ((0, 0, 0, 0), 60, 0, 0.4),
        ((25, 75, 0, 50), 70, 2, 0.0),
        ((25, 75, 75, 25), 100, 4, 0.0),
    ],
)
def test_support_and_flight_are_exact(
    links_gaits: GaitLibrary, liftoff: tuple[float, ...], duty: float, minimum: int, flight: float
) -> None:
    ground = support(gait(links_gaits, liftoff, duty))
    assert ground.minimum == minimum
    assert ground.flight_fraction == pytest.approx(flight, abs=1e-12)


def test_the_longest_flight_goes_on_past_the_end_of_the_period(links_gaits: GaitLibrary) -> None:
    ground = support(gait(links_gaits, (90, 90, 90, 90), 70, period=0.5))
    assert ground.longest_flight == pytest.approx(0.3 * 0.5, abs=1e-12)
    twice = support(gait(links_gaits, (25, 75, 75, 25), 40, period=0.5))
    assert twice.longest_flight == pytest.approx(0.1 * 0.5, abs=1e-12)


def test_support_agrees_with_the_timetable_of_the_planner(links_gaits: GaitLibrary) -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        one = gait(links_gaits, tuple(random.uniform(0, 100, 4)), tuple(random.uniform(20, 95, 4)))
        record = gait_record(one)[0]
        phases = np.linspace(0.0, 1.0, 1001)[:-1]
        feet = [sum(in_planned_stance(p, record["liftoff"][leg], record["duty_factor"][leg]) for leg in range(4)) for p in phases]
        ground = support(one)
        assert ground.minimum <= min(feet)
        assert ground.flight_fraction == pytest.approx(np.mean(np.array(feet) == 0), abs=0.01)
