# SPDX-License-Identifier: Apache-2.0
import json
import shutil
from html import escape
from pathlib import Path
from typing import Any

import pytest

from surefoot.cli.app import main
from surefoot.evaluation.bench.rehearsal import walking_rehearsal
from surefoot.evaluation.closed_loop import planner_settings
from surefoot.robot.model import RobotModel
from surefoot.traces.decision.decision import decide
from surefoot.traces.decision.record import read_record, write_record
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import LocalExecutor
from surefoot.traces.outcome import SURVIVED
from surefoot.traces.snapshot import transition_candidates
from surefoot.traces.tracer import Tracer
from surefoot.viewer.page.rehearsal import rehearsal_of_record

SETTINGS = DecisionSettings(
    particles=2, most_particles=12, accept_at=0.5, confidence=0.6, horizon=0.3, shortest_horizon=0.3, blend_cycles=(0.0,), latency=0.1
)


@pytest.fixture(scope="module")
def record(hyq: RobotModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    rehearsal = walking_rehearsal(hyq, SETTINGS.horizon, 3, seconds=1.0)
    snapshot = rehearsal.snapshot
    candidates = transition_candidates(snapshot.state.time, float(snapshot.planner["phase"][0]), snapshot.gait_from, (0.0, 0.5), 0.1)
    decision = decide(LocalExecutor(Tracer(hyq, planner_settings(), 4)), rehearsal, candidates, SETTINGS)
    path: Path = tmp_path_factory.mktemp("decisions") / "decision_1.json"
    write_record(path, "hyq", rehearsal, candidates, SETTINGS, decision)
    return path


def test_a_decision_is_shown_in_words_and_drawn(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decision", "show", str(record)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    answer = json.loads(record.read_text())["answer"]
    assert answer["reason"] in text
    assert "hyq: walk to trot at" in text
    assert record.with_suffix(".png").stat().st_size > 10_000


def test_a_report_of_its_run_shows_it_with_its_traces(record: Path, told_run: Any, tmp_path: Path) -> None:
    told_run.write(tmp_path / "run")
    shutil.copyfile(record, tmp_path / "run" / record.name)
    run, page, own = (str(tmp_path / name) for name in ("run", "report.html", "own"))
    assert main(["report", run, "--no-film", "-o", page, "--pictures", own]) == 0
    text = Path(page).read_text()
    assert "<h2>Decisions with their traces</h2>" in text
    assert escape(json.loads(record.read_text())["answer"]["reason"]) in text
    assert text.count("data:image/png;base64,") == 5
    assert (Path(own) / "decision_1.json.png").stat().st_size > 10_000


def test_the_page_shows_it_as_if_it_were_just_made(record: Path) -> None:
    answer, shown = json.loads(record.read_text())["answer"], rehearsal_of_record(read_record(record))
    assert (shown.gait_from, shown.gait_to) == ("walk", "trot")
    assert shown.verdict is not None
    assert (shown.verdict.accepted, shown.verdict.reason) == (answer["chosen"] is not None, answer["reason"])
    assert len(shown.candidates) == len(answer["scores"])
    for number, score in enumerate(answer["scores"]):
        candidate = shown.candidates[number]
        assert (candidate.particles, candidate.survived, dict(candidate.violated)) == (
            score["particles"], score["survived"], dict(score["violated"])
        )  # fmt: skip
        assert len(candidate.traces) == score["particles"]
        assert sum(trace.outcome == SURVIVED for trace in candidate.traces) == score["survived"]


def test_a_replay_finds_the_same_and_notices_what_was_changed(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decision", "replay", str(record), "--workers", "1"]) == 0
    assert "the same answer from" in capsys.readouterr().out
    document = json.loads(record.read_text())
    document["answer"]["verdicts"][0][0] ^= 1
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(document))
    assert main(["decision", "replay", str(changed), "--workers", "1"]) == 1
    assert "the answer differs in verdicts" in capsys.readouterr().out


def test_what_is_no_record_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "decision_2.json"
    assert main(["decision", "show", str(missing)]) == 2
    assert "no such decision record" in " ".join(capsys.readouterr().err.split())
