# SPDX-License-Identifier: Apache-2.0
"""Sequences of a step over a curb: those that clear it, and those whose right front foot runs into it first."""

import numpy as np

from surefoot.traces.findings.events import EVENT, LOST, MADE, SLIPS, STRIKES, TOUCHES
from surefoot.traces.findings.parting import first_parting, partings, telling_parting
from surefoot.traces.outcome import FAILED, SURVIVED, Outcomes

RH, LH, RF, LF = 16, 12, 8, 4
CLEARS = [(10, RH, MADE), (20, LH, MADE), (30, RF, MADE), (40, LF, MADE)]
STUBS = [(10, RH, MADE), (20, LH, MADE), (25, RF, STRIKES), (30, RF, MADE), (40, LF, MADE)]


def outcomes(sequences: list[list[tuple[int, int, int]]], failed: list[int], end: int = 60) -> Outcomes:
    count = len(sequences)
    bad = np.isin(np.arange(count), failed)
    events = np.array([(i, tick, kind, part, 0) for i, events in enumerate(sequences) for tick, part, kind in events], EVENT)
    return Outcomes(
        np.arange(count), np.where(bad, FAILED, SURVIVED), tuple("stub" if b else "" for b in bad), np.where(bad, 0.01 * end, np.nan),
        np.zeros((count, 101, 7), np.float32), np.zeros((count, 101, 4), bool), 0.01, 5, 1.0, events=events,
    )  # fmt: skip


def test_traces_that_do_the_same_do_not_part() -> None:
    assert first_parting(outcomes([CLEARS] * 5, [])) is None
    late = [(tick + 3, part, kind) for tick, part, kind in CLEARS]
    assert partings(outcomes([CLEARS, late], [])) == []


def test_the_foot_that_runs_into_the_curb() -> None:
    whole = outcomes([CLEARS] * 20 + [STUBS] * 8, list(range(20, 28)))
    parting = first_parting(whole)
    assert parting is not None
    assert (parting.part, parting.kind, parting.traces, parting.others) == ("RF foot", STRIKES, tuple(range(20, 28)), tuple(range(20)))
    assert parting.time == 0.25
    assert str(parting) == "RF foot runs into the ground"
    telling = telling_parting(whole)
    assert telling is not None
    assert telling[0] == parting
    assert telling[1] < 1e-4


def test_an_early_difference_that_says_nothing_is_passed_over() -> None:
    slips = [(5, LH, SLIPS), *STUBS]
    whole = outcomes([CLEARS] * 19 + [[(5, LH, SLIPS), *CLEARS]] + [STUBS] * 7 + [slips], list(range(20, 28)))
    first, telling = first_parting(whole), telling_parting(whole)
    assert first is not None
    assert (first.part, first.kind) == ("LH foot", SLIPS)
    assert telling is not None
    assert telling[0].kind == STRIKES


def test_who_ended_before_is_in_neither_group() -> None:
    cut = outcomes([CLEARS] * 3 + [CLEARS[:2]], [3], end=25)
    assert partings(cut) == []
    gone_on = outcomes([CLEARS] * 3 + [CLEARS[:2]], [3], end=60)
    assert {(parting.part, parting.others) for parting in partings(gone_on)} == {("RF foot", (3,)), ("LF foot", (3,))}


def test_by_chance_nothing_tells() -> None:
    random, told = np.random.default_rng(0), 0
    for _ in range(200):
        sequences = [[*CLEARS, *((50 + 2 * k, RF, (LOST, MADE)[k % 2]) for k in range(random.integers(4)))] for _ in range(40)]
        told += telling_parting(outcomes(sequences, list(random.permutation(40)[:10]), end=90)) is not None
    assert told <= 6


def test_the_event_by_which_a_trace_failed_says_nothing_new() -> None:
    touches = [*CLEARS[:2], (25, 0, TOUCHES)]
    whole = outcomes([CLEARS] * 20 + [touches] * 8, list(range(20, 28)), end=25)
    first = first_parting(whole)
    assert first is not None
    assert (first.part, first.kind) == ("base", TOUCHES)
    assert telling_parting(whole) is None


def test_without_failures_or_without_survivors_nothing_tells() -> None:
    assert telling_parting(outcomes([CLEARS] * 5 + [STUBS] * 5, [])) is None
    assert telling_parting(outcomes([CLEARS] * 5 + [STUBS] * 5, list(range(10)))) is None
