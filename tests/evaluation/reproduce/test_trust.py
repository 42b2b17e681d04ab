# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import numpy as np
import pytest

from surefoot.cli.reproduce_trust import trust_as_json, trust_tables
from surefoot.errors import ConfigurationError
from surefoot.evaluation.bench.sample import this_machine
from surefoot.evaluation.reproduce.requests import Answered, Request
from surefoot.evaluation.reproduce.scenarios import SCENARIOS, draw_requests
from surefoot.evaluation.reproduce.trust import Engine, TrustResult, answer_request, reliability_of, reproduce_trust, trust_of
from surefoot.viewer.trust_plot import draw_trust


def answered(
    number: int, accepted: bool, predicted: tuple[float, ...], succeeds: tuple[bool, ...], falls: tuple[bool, bool, bool],
    offer: tuple[float | None, bool, bool] = (None, False, False),
) -> Answered:
    request = Request(number, ("flat", "ice")[number % 2], "walk", "trot", (0.3, 0.0, 0.0), 0, 0.0)
    return Answered(request, accepted, predicted, succeeds, *falls, *offer, 60, "because")


FOUR = [
    answered(0, True, (1.0, 0.75), (True, True), (False, False, True)),
    answered(1, False, (0.0, np.nan), (False, False), (True, False, False)),
    answered(2, False, (0.5, 0.5), (True, False), (True, False, False), (0.5, True, True)),
    answered(3, True, (1.0, 1.0), (False, True), (True, True, True)),
]


def test_requests_come_in_every_scenario_and_are_the_same_however_many_are_drawn() -> None:
    requests = draw_requests(40, 3)
    assert draw_requests(7, 3) == requests[:7]
    assert draw_requests(7, 4) != requests[:7]
    assert {request.scenario for request in requests} == set(SCENARIOS)
    assert all(request.gait_from != request.gait_to for request in requests)
    for request in requests:
        scenario = SCENARIOS[request.scenario]
        assert request.command[0] in scenario.speeds
        assert request.slope in scenario.slopes
    assert {request.slope for request in requests if request.scenario == "slope"} == set(SCENARIOS["slope"].slopes)


def test_what_is_counted() -> None:
    trust = trust_of(FOUR)
    assert (trust.n, trust.accepted) == (4, 2)
    assert (trust.falls_unfiltered.k, trust.falls_obeyed.k, trust.falls_kept.k, trust.falls_accepted.k) == (3, 1, 2, 1)
    assert (trust.allowed_of_good.k, trust.allowed_of_good.n) == (2, 3)
    assert (trust.allowed_or_offered.k, trust.allowed_or_offered.n, trust.falls_offered.k) == (3, 3, 1)
    squares = [0.0, 0.0625, 0.0, 0.25, 0.25, 1.0, 0.0]
    assert trust.brier == pytest.approx(np.mean(squares))
    bins = reliability_of(FOUR)
    assert [(one.low, one.succeeded.k, one.succeeded.n) for one in bins] == [(0.0, 0, 1), (0.4, 1, 2), (0.6, 1, 1), (0.8, 2, 3)]


def test_the_result_is_told_and_drawn(tmp_path: Path) -> None:
    scenarios = {name: trust_of([one for one in FOUR if one.request.scenario == name]) for name in SCENARIOS}
    counts = trust_of(FOUR), scenarios, reliability_of(FOUR), tuple(FOUR)
    result = TrustResult("hyq", this_machine(), 0, 1.0, Engine.DART, 0.9, 0.95, *counts)
    plain = trust_as_json(result)
    assert [plain[key] for key in ("n", "falls_obeyed", "falls_unfiltered", "allowed_of_good")] == [4, 1, 3, pytest.approx(2 / 3)]
    falls, reliability = trust_tables(result)
    assert (falls.row_count, reliability.row_count) == (5, 4)
    draw_trust(result, tmp_path / "new" / "trust.png")
    assert (tmp_path / "new" / "trust.png").stat().st_size > 10_000


def test_an_engine_that_is_not_there_is_missed_before_anything_is_rehearsed(monkeypatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr("surefoot.traces.plant.dart_robot.import_module", missing)
    with pytest.raises(ConfigurationError, match=r"No module named 'dartpy'.*surefoot install dart"):
        reproduce_trust("hyq", 1, engine=Engine.DART)


def test_a_hidden_robot_falls_where_a_request_is_obeyed_at_once_and_not_where_the_verdict_is() -> None:
    laden = answer_request("hyq", draw_requests(48, 0)[47], truth_spread=2.0)
    assert (laden.request.scenario, laden.request.gait_to) == ("payload", "pace")
    assert laden.fell_unfiltered
    assert not laden.fell_obeyed
    assert not laden.fell_kept
    assert not all(laden.succeeds)
