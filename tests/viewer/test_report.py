# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from surefoot.errors import ConfigurationError
from surefoot.viewer.report import write_report


def test_a_report_without_a_film(told_run: Any, tmp_path: Path) -> None:
    told_run.write(tmp_path / "run")
    (tmp_path / "run" / "decision_1.json").write_text('{"format": 1')
    summary = write_report(tmp_path / "run", tmp_path / "report", film=False)
    assert {path.name for path in (tmp_path / "report").iterdir()} == {"report.json", "overview.png", "decision_1.json"}
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert report["passed"]
    assert summary.passed
    assert any("decision_1.json is not a whole decision record" in note for note in report["notes"])
    with Image.open(tmp_path / "report" / "overview.png") as picture:
        assert picture.width > 1000


def test_a_report_of_nothing(told_run: Any, tmp_path: Path) -> None:
    told_run.events = []
    told_run.columns = {name: values[:1] for name, values in told_run.columns.items()}
    told_run.columns["command_latency"][:] = float("nan")
    told_run.write(tmp_path)
    assert not write_report(tmp_path, tmp_path, film=False).passed
    assert (tmp_path / "overview.png").is_file()


def test_without_a_run_there_is_no_report(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such run"):
        write_report(tmp_path, tmp_path / "report")


def test_without_graphics_the_report_says_so(told_run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "disabled")
    told_run.write(tmp_path / "run")
    summary = write_report(tmp_path / "run", tmp_path / "report")
    (note,) = (note for note in summary.notes if note.startswith("no film: "))
    assert "\n" not in note
    assert "libegl1" in note
    assert (tmp_path / "report" / "report.json").is_file()
