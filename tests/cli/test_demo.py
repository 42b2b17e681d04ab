# SPDX-License-Identifier: Apache-2.0
"""What a demo says and leaves where it does not come to its end, and what it leaves alone."""

import time
from pathlib import Path

import pytest
from rich.console import Console

from surefoot.bringup.launcher import Launcher
from surefoot.cli import demo
from surefoot.cli.app import main
from surefoot.cli.awaiting import Awaiting
from surefoot.cli.report_folder import clear_report
from surefoot.errors import ConfigurationError

LABELS = ("narrator", "simulator")


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def test_what_no_demo_wrote_is_left_in_the_folder_of_a_report(tmp_path: Path) -> None:
    mine = ["thesis.tex", "run/notes.txt", "run/report.html", "decision_of_mine.json"]
    record = "decision_00012.345_trot.json"
    touch(tmp_path, *mine, "run/run.npz", "run/narrator.log", f"run/{record}", "report.json", record)
    kept = clear_report(tmp_path, tmp_path / "run", LABELS)
    assert sorted(kept) == sorted(tmp_path / name for name in mine) == sorted(path for path in tmp_path.rglob("*") if path.is_file())


def test_a_folder_whose_files_only_bear_the_same_names_is_refused(tmp_path: Path) -> None:
    touch(tmp_path, "overview.png", "other.txt")
    with pytest.raises(ConfigurationError, match=r"has overview.png, which no demo wrote .*--report"):
        clear_report(tmp_path, tmp_path / "run", LABELS)
    assert (tmp_path / "overview.png").read_text() == "overview.png"
    (tmp_path / "overview.png").unlink()
    assert clear_report(tmp_path, tmp_path / "run", LABELS) == (tmp_path / "other.txt",)
    with pytest.raises(ConfigurationError, match="cannot be the folder of a run: Not a directory"):
        clear_report(tmp_path / "other.txt", tmp_path / "other.txt" / "run", LABELS)


def test_a_demo_that_is_stopped_before_it_begins_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(launcher: Launcher) -> int:
        launcher._told = True
        return 0

    monkeypatch.setattr(Launcher, "run", stopped)
    monkeypatch.setattr(demo, "stay_awake", lambda: (None, ""))
    assert main(["demo", "--headless", "--report", str(tmp_path / "report")]) == 130
    said = capsys.readouterr().out
    assert "stopped before the simulation began" in said
    assert "writing the report" not in said
    assert (tmp_path / "report" / "run" / "simulator.log").read_text() == "", "every process has a log from its start"


def test_what_is_awaited_is_said_until_it_comes(tmp_path: Path) -> None:
    said: list[str] = []
    awaiting = Awaiting("the simulation", said.append, period=0.01)
    while len(said) < 2:
        time.sleep(0.01)
    awaiting.came()
    awaiting._thread.join()
    assert said[0].endswith(" s: still waiting for the simulation")
    with (tmp_path / "said").open("w") as file:
        stage = demo._Stage(Console(file=file), tmp_path, LABELS)
        stage.line("narrator", "mode LIMP")
        stage._awaiting._thread.join()
        stage.close()
