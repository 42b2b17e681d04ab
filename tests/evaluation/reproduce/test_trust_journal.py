# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.reproduce import scenarios, trust
from surefoot.evaluation.reproduce.requests import Answered, Request
from surefoot.evaluation.reproduce.scenarios import draw_requests
from surefoot.evaluation.reproduce.trust import reproduce_trust
from surefoot.evaluation.reproduce.trust_journal import TrustJournal
from surefoot.traces.decision.offer import Offer

RUN = {"robot": "hyq", "seed": 0}


def answered(number: int) -> Answered:
    request = Request(number, "ice", "walk", "trot", (0.3, 0.0, 0.4), 1, 0.0)
    offer = None if number == 4 else Offer(1.0, "later", "trot", 1.6)
    return Answered(request, True, (0.5, float("nan")), (True, False), False, True, False, offer, True, False, 53, "because")


def plain(one: Answered) -> Answered:
    """Without numbers that are none, which are equal to nothing."""
    return replace(one, predicted=tuple(np.nan_to_num(one.predicted, nan=-1.0).tolist()))


def test_what_was_written_is_there_the_next_time_and_a_line_that_was_cut_off_is_not(tmp_path: Path) -> None:
    path = tmp_path / "new" / "trust.jsonl"
    first = TrustJournal(path, RUN)
    assert first.answered == {}
    for number in (3, 4):
        first.add(answered(number))
    path.write_text(path.read_text()[:-40])
    again = TrustJournal(path, RUN)
    assert [plain(one) for one in again.answered.values()] == [plain(answered(3))]
    again.add(answered(5))
    assert list(TrustJournal(path, RUN).answered) == [3, 5]


def test_a_journal_of_another_run_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "trust.jsonl"
    TrustJournal(path, RUN)
    with pytest.raises(ConfigurationError, match="is of a run with seed 0, and this one has 1; give this one another file"):
        TrustJournal(path, RUN | {"seed": 1})
    TrustJournal(tmp_path / "deep", {"planner": {"gain": 0.5, "limits": {"roll": 1.0}}})
    with pytest.raises(ConfigurationError, match=r"with planner.limits.roll 1.0, and this one has 2.0; give"):
        TrustJournal(tmp_path / "deep", {"planner": {"gain": 0.5, "limits": {"roll": 2.0}}})
    with pytest.raises(ConfigurationError, match=r"with planner None, and this one has"):
        TrustJournal(path, RUN | {"planner": {"gain": 0.5}})
    path.write_text(path.read_text() + '{"reason": "no request"}\n')
    with pytest.raises(ConfigurationError, match="is not a journal of requests"):
        TrustJournal(path, RUN)


def test_a_run_goes_on_where_the_one_before_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def results(processes: int, calls: list, progress) -> list[Answered]:  # type: ignore[no-untyped-def, type-arg]
        given = [replace(answered(0), request=call.args[1]) for call in calls]
        asked.append(len(given))
        for one in given:
            progress(one)
        return given

    monkeypatch.setattr(trust, "results_of", results)
    path = tmp_path / "trust.jsonl"
    assert reproduce_trust("hyq", 2, journal=path).all.n == 2
    longer = reproduce_trust("hyq", 5, journal=path)
    assert asked == [2, 3]
    assert [one.request for one in longer.answered] == list(draw_requests(5, 0))

    # Whose number now stands for another request is asked again.
    monkeypatch.setattr(scenarios, "GAITS_FROM", ("amble",))
    again = reproduce_trust("hyq", 5, journal=path)
    assert asked == [2, 3, 5]
    assert [one.request for one in again.answered] == list(draw_requests(5, 0))

    with monkeypatch.context() as other:
        other.setitem(trust.SCENARIOS, "ice", replace(trust.SCENARIOS["ice"], speeds=(0.7,)))
        with pytest.raises(ConfigurationError, match=r"is of a run with scenarios\.ice\.speeds"):
            reproduce_trust("hyq", 5, journal=path)

    config = trust.planner_settings()
    monkeypatch.setattr(trust, "planner_settings", lambda: config.model_copy(update={"minimum_swing_time": 0.9}))
    with pytest.raises(ConfigurationError, match=r"is of a run with planner\.minimum_swing_time"):
        reproduce_trust("hyq", 5, journal=path)
