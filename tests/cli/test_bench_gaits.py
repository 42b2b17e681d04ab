# SPDX-License-Identifier: Apache-2.0
"""`surefoot bench gaits`: tables for people, JSON for machines."""

import json
import math
from dataclasses import replace

import pytest
from rich.console import Console

from surefoot.cli.app import USAGE_ERROR, main
from surefoot.cli.bench_gaits import gait_tables, gaits_as_json
from surefoot.evaluation.bench.gaits import GaitsResult, both
from surefoot.evaluation.bench.sample import this_machine
from surefoot.evaluation.bench.transition import Transition
from surefoot.evaluation.bench.walk import Trial, summary


@pytest.fixture
def result() -> GaitsResult:
    trial = Trial(gait="trot", seed=0, commanded=0.3, speed=0.29, roll=0.01, pitch=0.02, fell=False, failures=0)
    made = Transition("walk", "trot", 0, True, fell=False, vetoed=False, commit_s=1.25, reason="20 of 20")
    changes = (made, replace(made, seed=1, vetoed=True, commit_s=math.nan), replace(made, traces=False, fell=True, commit_s=0.0))
    pairs = {"walk->trot": both(changes, "walk", "trot")}
    return GaitsResult("hyq", this_machine(), 2, 0.3, (summary([trial]),), pairs, both(changes), changes)


def test_the_tables_show_each_gait_and_each_change(result: GaitsResult) -> None:
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    for table in gait_tables(result):
        console.print(table)
    text = " ".join(console.export_text().split())
    for expected in ("trot │ 0.30 │ 0.290 │ 3.3%", "walk->trot │ rehearsed │ 0 of 2", "at once │ 1 of 1", "1.25 (1.25 to 1.25)"):
        assert expected in text


def test_json_has_the_numbers_by_gait_and_by_pair_and_is_strict(result: GaitsResult) -> None:
    found = json.loads(json.dumps(gaits_as_json(result), allow_nan=False))
    assert found["gaits"]["trot"]["n"] == 1
    assert found["gaits"]["trot"]["falls"] == 0
    on, off = found["pairs"]["walk->trot"]["on"], found["pairs"]["walk->trot"]["off"]
    assert (on["n"], on["falls"], on["vetoed"], on["commit_s"]["median"]) == (2, 0, 1, 1.25)
    assert (off["n"], off["falls"], off["vetoed"]) == (1, 1, 0)
    assert on["vetoed_interval"][0] < 0.5 < on["vetoed_interval"][1]
    assert [one["commit_s"] for one in found["transitions"]] == [1.25, None, 0.0]


@pytest.mark.parametrize(("option", "value"), [("--traces", "maybe"), ("--gaits", "trott")])
def test_what_cannot_be_asked_is_refused_with_what_can(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "gaits", option, value]) == USAGE_ERROR
    assert value in capsys.readouterr().err
