# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
import pytest

from surefoot.evaluation.faults.taps import BURST, DELAY, RESTART, Kind, Letter, Tap, same

TICK = 0.004


def through(kind: Kind, ticks: int = 200) -> list[tuple[float, Letter]]:
    """What comes out of a way that fails from the tenth tick on, with the time at which it does."""

    def spoil(body: Any, generator: np.random.Generator) -> Any:
        return float("nan")

    tap, out = Tap(spoil, lambda body: body + 100.0), []
    for tick in range(ticks):
        time = TICK * tick
        if tick == 10:
            tap.fail(kind, time)
        out += [(time, letter) for letter in tap.send(time, Letter(time, float(tick)))]
    return out


def test_a_sound_way_changes_nothing() -> None:
    tap = Tap(lambda body, generator: body, lambda body: body)
    for tick in range(5):
        assert tap.send(tick, Letter(tick, tick)) == [Letter(tick, tick)]


@pytest.mark.parametrize("kind", list(Kind))
def test_until_it_fails_everything_comes_through(kind: Kind) -> None:
    assert [letter.body for _, letter in through(kind)[:10]] == list(range(10))


def test_each_kind_does_what_its_name_says() -> None:
    assert len(through(Kind.OFF)) == 10
    stuck = through(Kind.STUCK)
    assert {letter.body for _, letter in stuck[10:]} == {9.0}
    assert [letter.stamp for _, letter in stuck] == [TICK * tick for tick in range(200)]
    assert all(np.isnan(letter.body) for _, letter in through(Kind.GARBAGE)[10:])
    assert [letter.body for _, letter in through(Kind.WRONG)[10:12]] == [110.0, 111.0]
    assert len(through(Kind.SLOW)) == 10 + 190 // 4
    late = [time - letter.stamp for time, letter in through(Kind.DELAYED)[10:]]
    assert min(late) == pytest.approx(DELAY)
    assert 100 < len(through(Kind.INTERMITTENT)) < 170
    burst = through(Kind.BURST)
    assert [letter.body for _, letter in burst] == list(range(200)), "late, but all of them"
    assert max(time - letter.stamp for time, letter in burst) == pytest.approx(BURST, abs=TICK)
    restarted = through(Kind.RESTARTED)
    assert restarted[10][0] == pytest.approx(TICK * 10 + RESTART, abs=TICK)


def test_the_same_seed_is_the_same_fault() -> None:
    assert through(Kind.INTERMITTENT) == through(Kind.INTERMITTENT)


@pytest.mark.parametrize("kind", list(Kind))
def test_what_a_fault_touches_is_counted(kind: Kind) -> None:
    tap = Tap(lambda body, generator: float("nan"), lambda body: body + 100.0)
    tap.send(0.0, Letter(0.0, 0.0))
    assert tap.touched == 0
    tap.fail(kind, TICK)
    for tick in range(1, 101):
        tap.send(TICK * tick, Letter(TICK * tick, float(tick)))
    assert 0 < tap.touched <= 100


def test_what_comes_out_as_it_was_put_in_is_not_touched() -> None:
    body = {"position": np.ones(3), "whole": object(), "request": 3}
    tap = Tap(lambda body, generator: body, dict)
    for kind in (Kind.GARBAGE, Kind.WRONG, Kind.STUCK):
        tap.fail(kind, 0.0)
        tap.send(1.0, Letter(1.0, body))
        tap.heal()
        tap.send(1.0, Letter(1.0, body))
    assert tap.touched == 0
    assert not same(body, body | {"position": np.array((1.0, 1.0, np.nextafter(1.0, 2.0)))})
    assert not same(body, body | {"whole": object()})
