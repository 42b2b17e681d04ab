# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path
from typing import Any

import pytest

from surefoot.evaluation.summary import summarize
from surefoot.robot.model import RobotModel


def test_the_numbers_of_a_run(told_run: Any, hyq: RobotModel, tmp_path: Path) -> None:
    summarize(told_run.run(), told_run.events, {}, hyq).write(tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["passed"], report["stood_up"], report["fell"]) == (True, True, False)
    assert report["committed"] == {
        "from": "walk", "to": "trot", "time": 11.5, "transition_point": 0.5, "score": 1.0, "lower_bound": 0.77, "particles": 16,
        "latency_s": 1.7,
    }  # fmt: skip
    assert [(commit["from"], commit["to"]) for commit in report["commits"]] == [("stand", "walk"), ("walk", "trot"), ("trot", "stand")]
    assert report["vetoed"] == {"to": "pace", "reason": "0 of 16 survive", "score": 0.0, "time": 21.0}
    assert report["speed"]["commanded"] == pytest.approx(0.3)
    assert report["speed"]["measured"] == pytest.approx(0.3)
    assert [phase["gait"] for phase in report["speed"]["phases"]] == ["walk", "trot"]
    assert report["latency_ms"]["p50"] == pytest.approx(2.0)
    assert report["tick_us"] == {"p50": 180.5, "p99": 300.0}
    assert (report["deadline_misses"], report["ticks_without_command"]) == (64, 2)
    assert (report["simulated_s"], report["wall_s"]) == (pytest.approx(31.99), 80.0)
    assert report["trace_agreement"] is None
    assert report["notes"] == ["no trace agreement: there is no record of an accepted request"]


def test_what_did_not_happen_is_null(told_run: Any, hyq: RobotModel) -> None:
    told_run.columns["command_latency"][:] = float("nan")
    report = json.loads(summarize(told_run.run(), [], {}, hyq).model_dump_json(by_alias=True))
    assert (report["passed"], report["stood_up"], report["fell"]) == (False, False, False)
    for key in ("committed", "vetoed", "speed", "tilt", "latency_ms", "tick_us", "trace_agreement"):
        assert report[key] is None, key
    assert report["commits"] == []


def test_a_fall_is_a_fall(told_run: Any, hyq: RobotModel) -> None:
    told_run.columns["base_position"][told_run.during(15.0, 15.1), 2] = 0.2
    summary = summarize(told_run.run(), told_run.events, {}, hyq)
    assert summary.fell
    assert not summary.passed
