# SPDX-License-Identifier: Apache-2.0
import io
from typing import Any

from rich.console import Console

from surefoot.evaluation.summary import Summary, summarize
from surefoot.robot.model import RobotModel
from surefoot.viewer.table import closing_table


def printed(summary: Summary) -> str:
    console = Console(width=150, file=io.StringIO())
    console.print(closing_table(summary))
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_the_table_shows_every_step_and_the_numbers(told_run: Any, hyq: RobotModel) -> None:
    told_run.columns["base_position"][told_run.during(15.0, 15.1), 2] = 0.2
    summary = summarize(told_run.run(), told_run.events, {}, hyq)
    text = printed(summary)
    for step in summary.steps:
        assert f"{'✓' if step.ok else '✗'}   {step.name}" in text
    assert [step.name for step in summary.steps if not step.ok] == ["never fell"]
    assert "1 of 10 steps did not happen." in text
    assert "median 2.00, p99 12.00 ms" in text
    assert "64; ticks without a command: 2" in text


def test_a_whole_story(told_run: Any, hyq: RobotModel) -> None:
    assert "Every step of the story happened." in printed(summarize(told_run.run(), told_run.events, {}, hyq))


def test_what_is_missing_is_a_dash(told_run: Any, hyq: RobotModel) -> None:
    told_run.columns["command_latency"][:] = float("nan")
    text = printed(summarize(told_run.run(), [], {}, hyq))
    assert "10 of 10 steps did not happen." in text
    assert text.count("–") >= 6
