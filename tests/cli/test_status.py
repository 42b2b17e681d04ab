# SPDX-License-Identifier: Apache-2.0
"""`surefoot status` promises no more than it knows."""

from types import SimpleNamespace

import pytest

from surefoot.cli.app import main
from surefoot.servos.modes import Mode


def test_requests_are_legal_and_no_promise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    heard = SimpleNamespace(mode=int(Mode.READY), reason="stands", since=1.0, time=3.5, refused="")
    monkeypatch.setattr("surefoot.nodes.mode_listener.hear_mode", lambda patience: heard)
    assert main(["status"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("READY for 2.50 s: stands")
    assert "accepts: STOP" in said
    assert "as far as the conditions of the move hold then" in said
