# SPDX-License-Identifier: Apache-2.0
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from surefoot.cli.app import main
from surefoot.evaluation.bench import page
from surefoot.evaluation.bench.page import ARMS, UNWATCHED, WATCHED, WITHOUT, Drawing, PageResult, Walked
from surefoot.evaluation.bench.sample import Times, this_machine, times_of


def walk(arm: str, median: float, sha256: str = "a") -> Walked:
    times = times_of(1e-6 * np.array([median] * 99 + [3.0 * median]))
    return Walked(arm, times, 0, sha256, 20.0, None if arm == WITHOUT else 2.5, 125.0)


@pytest.fixture
def result() -> PageResult:
    drawing = Drawing(3.0, 128, 29.7, Times(90, 33000.0, 50000.0), 4.5, 17.0, 4.0, 0.6, 2.1)
    walks = (walk(WITHOUT, 1000.0), walk(UNWATCHED, 1100.0), walk(WATCHED, 1500.0)) * 2
    return PageResult(this_machine(), "hyq", 7, drawing, walks)


def test_tables_for_people_a_page_and_json_for_machines(
    result: PageResult, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(page, "bench_page", lambda *given: asked.append(given) or result)
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["bench", "--html", str(tmp_path / "page.html"), "page", "--rounds", "2", "--seed", "3"]) == 0
    assert asked[0][:5] == ("hyq", 3, 2, 12.0, 3.0)
    text = " ".join(capsys.readouterr().out.split())
    for words in ("128 traces at 1280x720", "29.7", "30.0", "33.0, 50.0", "the same to the last bit", "1.50", *ARMS):
        assert words in text
    assert "<h1>bench page</h1>" in (tmp_path / "page.html").read_text()
    assert main(["bench", "page", "--json"]) == 0
    # Strictly: what nobody measured is null.
    said = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert [one["page_percent"] for one in said["walks"]] == [None, 2.5, 2.5] * 2
    assert said["drawing"]["frame"] == {"n": 90, "median_us": 33000.0, "p99_us": 50000.0}


def test_a_walk_that_the_page_changed_is_said(
    result: PageResult, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = replace(result, drawing=None, walks=(*result.walks[:-1], walk(WATCHED, 1500.0, "b")))
    assert result.same_walk
    assert not other.same_walk
    monkeypatch.setattr(page, "bench_page", lambda *given: other)
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["bench", "page"]) == 0
    text = capsys.readouterr().out
    assert "NOT the same" in text
    assert "traces" not in text
