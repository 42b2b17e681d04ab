# SPDX-License-Identifier: Apache-2.0
"""`surefoot status` promises no more than it knows."""

import json
from types import SimpleNamespace

import pytest

from surefoot.cli.app import main
from surefoot.servos.modes import Mode


def hears(monkeypatch: pytest.MonkeyPatch, answers: dict[str, str] | None) -> None:
    heard = SimpleNamespace(mode=int(Mode.READY), reason="stands", since=1.0, time=3.5, refused="", answers=answers)
    monkeypatch.setattr("surefoot.nodes.mode_listener.hear_mode", lambda patience: heard)


def test_what_would_be_taken_and_why_not_the_rest(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    hears(monkeypatch, {"STOP": "", "WALK": "joint states come at 23 Hz", "SIT": ""})
    assert main(["status"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "READY for 2.50 s: stands", "accepts: STOP, SIT", "would refuse WALK: joint states come at 23 Hz",
    ]  # fmt: skip
    assert main(["status", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["accepted"], said["would_refuse"]) == (["STOP", "SIT"], {"WALK": "joint states come at 23 Hz"})


def test_a_bridge_that_did_not_say_so_is_promised_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    hears(monkeypatch, None)
    assert main(["status"]) == 0
    said = capsys.readouterr().out
    assert "may be asked for: STOP" in said
    assert "was not said within 5 s" in said
