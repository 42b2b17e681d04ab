# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import pytest

from surefoot.cli.app import USAGE_ERROR, main


def test_a_short_reproduction_prints_tables_and_writes_a_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = "reproduce idyn --seconds 0.1 --controller two_stage_qp --controller joint_pid --surface rigid --processes 1 --report"
    assert main([*words.split(), str(tmp_path)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert all(name in text for name in ("Table 3", "Table 4", "Table 5", "(0.0310 1.94)", "Findings"))
    result = json.loads((tmp_path / "idyn.json").read_text())
    assert {trial["contender"] for trial in result["small"]} == {"two_stage_qp", "joint_pid"}
    assert {trial["ground"] for trial in result["small"]} == {"rigid, low friction", "rigid, high friction"}
    assert result["large"] == []
    assert result["seconds"] == 0.1
    assert all(trial["force_error"] is None for trial in result["small"] if trial["contender"] == "joint_pid")
    assert (tmp_path / "idyn.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "idyn.html").read_text()
    assert "Findings" in page
    assert "data:image/png" in page


@pytest.mark.parametrize(("option", "value", "right"), [("--controller", "two_stage", "two_stage_qp"), ("--surface", "sand", "compliant")])
def test_an_unknown_name_is_told_what_would_be_right(capsys: pytest.CaptureFixture[str], option: str, value: str, right: str) -> None:
    assert main(["reproduce", "idyn", option, value]) == USAGE_ERROR
    text = capsys.readouterr().err
    assert value in text
    assert right in text
