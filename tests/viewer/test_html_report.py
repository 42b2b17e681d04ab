# SPDX-License-Identifier: Apache-2.0
import re
from pathlib import Path
from typing import Any

import pytest

from surefoot.errors import ConfigurationError
from surefoot.viewer.html_report import write_html


def test_one_file_with_everything_in_it(told_run: Any, tmp_path: Path) -> None:
    told_run.write(tmp_path / "run")
    path = tmp_path / "made" / "report.html"
    summary = write_html(tmp_path / "run", path, film=False)
    text = path.read_text()
    assert summary.robot == "hyq"
    assert text.count("data:image/png;base64,") == 4
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    for words in (
        "Torques against their limits", "asked for trot while in walk", "vetoed: 0 of 16 survive", "the operator arms it",
        "not recorded of: inverse_dynamics",
    ):  # fmt: skip
        assert words in text, words


def test_joints_against_their_targets_are_in_it_where_somebody_wrote_the_targets_down(told_run: Any, tmp_path: Path) -> None:
    words = "Joints and base against what was asked of them"
    told_run.write(tmp_path / "before")
    write_html(tmp_path / "before", tmp_path / "before.html", film=False)
    assert words not in (tmp_path / "before.html").read_text()
    told_run.columns["joint_target"] = told_run.columns["joint_position"] + 0.01
    told_run.write(tmp_path / "now")
    write_html(tmp_path / "now", tmp_path / "now.html", film=False)
    text = (tmp_path / "now.html").read_text()
    assert words in text
    assert text.count("data:image/png;base64,") == 5


def test_the_film_is_in_it_and_beside_it_and_never_that_of_another_run(
    told_run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def film(run: Path, folder: Path) -> tuple[str, ...]:
        (folder / "run.mp4").write_bytes(b"a film")
        return ()

    monkeypatch.setattr("surefoot.viewer.report._film", film)
    told_run.write(tmp_path / "run")
    page, own = tmp_path / "report.html", tmp_path / "own"
    write_html(tmp_path / "run", page, pictures=own)
    assert "data:video/mp4;base64," in page.read_text()
    assert {"report.json", "overview.png", "torques.png", "forces.png", "run.mp4"} <= {file.name for file in own.iterdir()}
    write_html(tmp_path / "run", page, film=False, pictures=own)
    assert "data:video" not in page.read_text()
    assert not (own / "run.mp4").exists()


def test_what_people_wrote_is_text(told_run: Any, tmp_path: Path) -> None:
    told_run.events[1] = told_run.events[1].model_copy(update={"text": "<script>alert(1)</script>"})
    told_run.write(tmp_path)
    write_html(tmp_path, tmp_path / "report.html", film=False)
    assert "<script>" not in (tmp_path / "report.html").read_text()


def test_a_run_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such run"):
        write_html(tmp_path, tmp_path / "report.html", film=False)
