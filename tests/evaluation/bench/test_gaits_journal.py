# SPDX-License-Identifier: Apache-2.0
"""A bench of hours that is stopped and goes on."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation import journal as journals
from surefoot.evaluation.bench import gaits
from surefoot.evaluation.bench.gaits import bench_gaits
from surefoot.evaluation.bench.gaits_journal import GaitsJournal
from surefoot.evaluation.bench.transition import Transition, run_transition
from surefoot.evaluation.bench.walk import Trial, run_trial
from surefoot.evaluation.reproduce.trust_journal import TrustJournal

TRIAL = Trial("walk", 0, 0.3, 0.3, 0.01, 0.02, False, 0)
CHANGE = Transition("walk", "trot", 0, True, fell=False, vetoed=True, commit_s=math.nan, reason="ice")


class Killed(Exception):
    """In the place of a signal."""


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What was really run, in order; the first start is killed at its fifth run."""
    made: list[tuple[str, ...]] = []

    def results_of(_: int, calls: Sequence[Any], progress: Callable[[Any], None]) -> list[Any]:
        results = []
        for call in calls:
            if len(made) == 4 and ("killed",) not in made:
                made.append(("killed",))
                raise Killed
            if call.func is run_trial:
                _, gait, speed, seed, _ = call.args
                results.append(replace(TRIAL, gait=gait, seed=seed, commanded=speed, speed=speed))
                made.append((gait, str(seed)))
            else:
                assert call.func is run_transition
                _, gait_from, gait_to, _, seed, traced, _ = call.args
                results.append(replace(CHANGE, gait_from=gait_from, gait_to=gait_to, seed=seed, traces=traced))
                made.append((gait_from, gait_to, str(seed)))
            progress(results[-1])
        return results

    monkeypatch.setattr(gaits, "results_of", results_of)
    return made


def test_it_goes_on_where_it_was_cut_off_and_takes_more_seeds(ran: list[tuple[str, ...]], tmp_path: Path) -> None:
    path = tmp_path / "gaits.jsonl"
    names, traces = ("walk", "trot"), (True,)
    with pytest.raises(Killed):
        bench_gaits("hyq", 2, names, traces, journal=path)
    assert ran == [("walk", "0"), ("trot", "0"), ("walk", "1"), ("trot", "1"), ("killed",)]
    # The last line was being written.
    path.write_text(path.read_text()[:-20])
    del ran[:4]
    result = bench_gaits("hyq", 2, names, traces, journal=path)
    assert ran[1:] == [("trot", "1"), *((a, b, seed) for seed in "01" for a, b in (("walk", "trot"), ("trot", "walk")))]
    assert (result.all["on"].n, result.all["on"].vetoed.k, [gait.good.n for gait in result.gaits]) == (4, 4, [2, 2])
    again = bench_gaits("hyq", 3, names, traces, journal=path)
    assert (again.all["on"].n, len(ran)) == (6, 1 + 5 + 4)


def test_numbers_of_other_code_or_of_another_scenario_are_never_mixed(
    ran: list[tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gaits.jsonl"
    bench_gaits("hyq", 1, ("stand", "walk"), (False,), journal=path)
    for changes, words in (({"speed": 0.2}, "speed 0.3, and this one has 0.2"), ({"particles": 5}, "particles None, and this one has 5")):
        with pytest.raises(ConfigurationError, match=words):
            bench_gaits("hyq", 1, ("stand", "walk"), (False,), journal=path, **changes)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"robot\.\w+.* hyq, and this one has links"):
        bench_gaits("links", 1, ("stand", "walk"), (False,), journal=path)
    monkeypatch.setattr(journals, "digest_of_code", lambda: "other")
    with pytest.raises(ConfigurationError, match="is of other code or settings"):
        bench_gaits("hyq", 1, ("stand", "walk"), (False,), journal=path)


def test_another_journal_is_none_of_gaits(tmp_path: Path) -> None:
    TrustJournal(tmp_path / "trust.jsonl", {})
    with pytest.raises(ConfigurationError, match="is a journal of gait requests, and what is to be kept is runs of gaits"):
        GaitsJournal(tmp_path / "trust.jsonl", {})
    path = tmp_path / "gaits.jsonl"
    GaitsJournal(path, {}).add(CHANGE)
    assert GaitsJournal(path, {}).done.keys() == {("walk", "trot", True, 0)}
    path.write_text(path.read_text() + '{"reason": "no run"}\n')
    with pytest.raises(ConfigurationError, match="is not a journal of runs of gaits"):
        GaitsJournal(path, {})
