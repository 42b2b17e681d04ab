# SPDX-License-Identifier: Apache-2.0
"""`surefoot bench`: a table for people, JSON for machines."""

import json

import pytest

from surefoot.cli.app import USAGE_ERROR, main


def test_help_lists_the_benchmarks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in ("walk", "id", "traces", "decision"))


def test_inverse_dynamics_as_a_table_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "id", "--ticks", "3"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert all(name in text for name in ("compiled two_stage_qp", "whole_body_qp", "floor"))
    assert main(["bench", "id", "--ticks", "3", "--controller", "two_stage_qp", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["robot"] == "hyq"
    assert set(result["tick_us"]) == {"compiled two_stage_qp", "two_stage_qp"}
    assert {"p50", "p99"} == set(result["tick_us"]["two_stage_qp"])
    assert {"peer", "ratio", "batch_us"} <= set(result)


def test_an_unknown_robot_is_named_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "walk", "--robot", "hyk"]) == USAGE_ERROR
    assert "hyq" in capsys.readouterr().err
