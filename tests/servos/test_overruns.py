# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.servos.overruns import EFFORT, FOLLOWING, NONE, POSITION, POWER, VELOCITY, Overruns

ZERO, NO_TARGET = np.zeros(2), np.full(2, np.nan)


class Watched:
    def __init__(self, power: float) -> None:
        limit = np.array([[2.0, 2.0], [10.0, 20.0], [50.0, 50.0], [power, power], [0.2, 0.2]])
        self.overruns = Overruns(("a", "b"), np.array([0.0, 1.0]), limit, np.array([0.1, 0.1, 0.1, 0.1, 0.5]))
        self.reset = self.overruns.reset

    def look(
        self, time: float, position: np.ndarray, velocity: np.ndarray, effort: np.ndarray, target: np.ndarray = NO_TARGET
    ) -> tuple[int, str]:
        return self.overruns.look(time, position, velocity, effort, target)


def made(power: float = 1000.0) -> Watched:
    return Watched(power)


def test_a_joint_that_does_not_do_what_it_is_told_has_a_patience_of_its_own() -> None:
    watched, away = made(), np.array([0.0, 0.3])
    assert watched.look(0.0, away, ZERO, ZERO, ZERO)[0] == NONE
    assert watched.look(0.4, away, ZERO, ZERO, ZERO)[0] == NONE
    assert watched.look(0.5, away, ZERO, ZERO, ZERO) == (FOLLOWING, "b is 0.3 rad from its target, limit 0.2, since 0.000 s")
    assert watched.look(0.6, away, ZERO, ZERO)[0] == NONE


def test_only_what_lasts_counts_and_the_worst_is_named_with_since_when() -> None:
    watched = made()
    for time, velocity in ((1.0, (11.0, 50.0)), (1.05, (-11.0, 1.0)), (1.08, (11.0, 50.0))):
        assert watched.look(time, ZERO, np.array(velocity), ZERO) == (NONE, "")
    assert watched.look(1.11, ZERO, np.array([11.0, 50.0]), ZERO) == (VELOCITY, "a 11 rad/s, limit 10, since 1.000 s")
    assert watched.look(1.2, ZERO, np.array([11.0, -60.0]), ZERO) == (VELOCITY, "b -60 rad/s, limit 20, since 1.000 s")
    assert watched.look(1.3, ZERO, np.array([1.0, 21.0]), ZERO) == (VELOCITY, "b -60 rad/s, limit 20, since 1.000 s"), "the worst is said"
    assert watched.look(1.4, ZERO, np.array([1.0, 1.0]), ZERO)[0] == NONE
    assert watched.look(1.75, ZERO, np.array([99.0, 99.0]), ZERO)[0] == NONE, "little more than the patience is there to be lost"
    assert watched.look(1.84, ZERO, np.array([99.0, 99.0]), ZERO)[0] == NONE
    assert watched.look(1.86, ZERO, np.array([99.0, 99.0]), ZERO) == (VELOCITY, "a 99 rad/s, limit 10, since 1.750 s")
    watched.reset()
    assert watched.look(1.6, ZERO, np.array([99.0, 1.0]), ZERO)[0] == NONE


def test_the_first_quantity_is_said() -> None:
    watched = made()
    beyond = np.array([0.0, 3.5]), np.array([0.0, 30.0]), np.array([0.0, 60.0])
    watched.look(0.0, *beyond)
    assert watched.look(0.1, *beyond) == (POSITION, "b is at 3.5 rad, allowed are -1 to 3, since 0.000 s")
    assert watched.look(0.2, ZERO, *beyond[1:])[0] == VELOCITY
    assert watched.look(0.3, ZERO, ZERO, beyond[2]) == (EFFORT, "b 60 N m, limit 50, since 0.000 s")


def test_power_is_that_of_all_joints_that_drive() -> None:
    watched = made(power=300.0)
    velocity, effort = np.array([8.0, -10.0]), np.array([30.0, 20.0])
    watched.look(0.0, ZERO, velocity, effort)
    assert watched.look(1.0, ZERO, velocity, effort)[0] == NONE, "what brakes puts out nothing"
    watched.look(2.0, ZERO, velocity, np.array([30.0, -20.0]))
    found = watched.look(3.0, ZERO, velocity, np.array([30.0, -20.0]))
    assert found == (POWER, "440 W, most of it from a (240 W), limit 300, since 2.000 s")


PERIOD = 0.004
QUANTITIES = [(POSITION, 2.0), (VELOCITY, 10.0), (EFFORT, 50.0), (POWER, 1000.0), (FOLLOWING, 0.2)]


def tripped_after(row: int, values: np.ndarray) -> float:
    """When a joint trips whose quantity takes these values, one a period; infinite where it never does. Never by another row."""
    watched = made()
    for tick, value in enumerate(values):
        one, time = np.array([value, 0.0]), tick * PERIOD
        position, velocity, effort, target = ZERO, ZERO, ZERO, NO_TARGET
        if row == POSITION:
            position = one
        elif row == VELOCITY:
            velocity = one
        elif row == EFFORT:
            effort = one
        elif row == POWER:
            velocity, effort = np.array([25.0, 0.0]), one / 25.0
            watched.overruns._limit[[VELOCITY, EFFORT]] = np.inf
        else:
            target = one
        found = watched.look(time, position, velocity, effort, target)[0]
        assert found in (NONE, row)
        if found != NONE:
            return time
    return np.inf


@pytest.mark.parametrize(("row", "limit"), QUANTITIES)
@given(st.floats(1.0, 50.0), st.floats(1.4, 20.0), st.floats(0.0, 2.0 * np.pi))
@settings(max_examples=40, deadline=None)
def test_what_swings_beyond_a_limit_trips(row: int, limit: float, frequency: float, times: float, phase: float) -> None:
    time = PERIOD * np.arange(round(5.0 / PERIOD))
    wave = times * limit * np.sin(2.0 * np.pi * frequency * time + phase)
    # Power has a sign: what brakes is none.
    assert tripped_after(row, np.abs(wave) if row == POWER else wave) < 5.0


@pytest.mark.parametrize(("row", "limit"), QUANTITIES)
@pytest.mark.parametrize(("beyond", "inside"), [(1, 1), (3, 3), (10, 12), (24, 30)])
def test_what_is_beyond_for_more_than_a_third_of_the_time_trips(row: int, limit: float, beyond: int, inside: int) -> None:
    values = np.tile([3.0 * limit] * beyond + [0.0] * inside, 2000 // (beyond + inside))
    assert 0.1 < tripped_after(row, values) < 6.0


@pytest.mark.parametrize(("row", "limit"), QUANTITIES)
@pytest.mark.parametrize(("beyond", "inside"), [(1, 4), (2, 23), (3, 22), (20, 60)])
def test_short_spikes_never_trip(row: int, limit: float, beyond: int, inside: int) -> None:
    """Such as 10 ms in every 100 ms."""
    assert tripped_after(row, np.tile([20.0 * limit] * beyond + [0.0] * inside, 5000 // (beyond + inside))) == np.inf


@pytest.mark.parametrize(("row", "limit"), QUANTITIES)
def test_what_lasts_trips_after_exactly_the_patience(row: int, limit: float) -> None:
    patience = 0.5 if row == FOLLOWING else 0.1
    assert tripped_after(row, np.full(200, 1.001 * limit)) == pytest.approx(patience)
    assert tripped_after(row, np.full(200, 0.999 * limit)) == np.inf


@pytest.mark.parametrize(("row", "limit"), QUANTITIES[1:])
@pytest.mark.parametrize("missing", [1, 3, 20])
def test_what_is_no_number_changes_nothing(row: int, limit: float, missing: int) -> None:
    for value, after in ((1.5 * limit, 3.0), (0.5 * limit, np.inf)):
        values = np.full(1000, value)
        values[12 : 12 + missing] = np.nan
        values[25:-1:50] = np.nan
        trip = tripped_after(row, values)
        assert trip == np.inf if after == np.inf else trip < after
    assert tripped_after(row, np.full(300, np.nan)) == np.inf


def test_a_joint_whose_effort_is_never_measured_takes_nothing_from_the_power_of_the_others() -> None:
    watched, velocity = made(power=300.0), np.array([8.0, 8.0])
    watched.look(0.0, ZERO, velocity, np.array([np.nan, 45.0]))
    watched.look(0.09, ZERO, velocity, np.array([np.nan, 10.0]))
    watched.look(0.5, ZERO, velocity, np.array([np.nan, 45.0]))
    assert watched.look(0.59, ZERO, velocity, np.array([np.nan, 45.0]))[0] == NONE, "it could be lost"
