# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import pytest

from surefoot.cli.app import main


def test_a_short_sweep_is_printed_and_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = "reproduce gait-period --particles 1 --seconds 0.1 --speed 0.1 --processes 1 --json --report"
    assert main([*words.split(), str(tmp_path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    kept = json.loads((tmp_path / "gait_period.json").read_text())
    assert printed == kept
    assert [row["period"] for row in kept["periods"]] == [0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5]
    assert all(row["fell"]["n"] == 1 for row in kept["periods"])
    assert kept["source"] == {"speed": 0.2, "threshold": [1.0, 1.1]}
    assert (tmp_path / "gait_period.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "gait_period.html").read_text()
    assert "<h1>reproduce gait-period</h1>" in page
    assert "data:image/png;base64," in page
