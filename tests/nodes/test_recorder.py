# SPDX-License-Identifier: Apache-2.0
"""What the recorder asks of others; that it records is in tests/graph."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.serialization import serialize_message
from surefoot_msgs.msg import Verdict

from surefoot.nodes import recorder
from surefoot.recording.types import RawMessage


class Client:
    """Of the parameters of another node, which answers when it likes."""

    def __init__(self, node: Any, name: str) -> None:
        self.listed: Callable[[Any], None] | None = None
        self.got: Callable[[Any], None] | None = None
        self.is_destroyed = False
        node.clients.append(self)

    def services_are_ready(self) -> bool:
        return True

    def destroy(self) -> None:
        self.is_destroyed = True

    def list_parameters(self, callback: Callable[[Any], None]) -> None:
        self.listed = callback

    def get_parameters(self, names: list[str], callback: Callable[[Any], None]) -> None:
        assert not self.is_destroyed, "who uses what is destroyed ends the process"
        self.got = callback


def test_an_answer_that_comes_after_the_question_was_asked_anew_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, dict[str, Any]] = {}
    asks: Any = SimpleNamespace(
        clients=[], _unanswered={}, _asked={}, _answered=set(), guarded=lambda work: work, _keep_parameters=kept.__setitem__
    )
    asks._forget = partial(recorder.RecorderNode._forget, asks)
    monkeypatch.setattr(recorder, "ParameterReader", Client)
    for _ in range(2):
        recorder.RecorderNode._ask(asks, "/slow")
    late, asked_anew = asks.clients
    answer = SimpleNamespace(result=lambda: SimpleNamespace(result=SimpleNamespace(names=[])))
    late.listed(answer)
    assert late.got is None
    asked_anew.listed(answer)
    asked_anew.got(SimpleNamespace(result=lambda: SimpleNamespace(values=[])))
    assert kept == {"/slow": {}}
    assert asks._answered == {"/slow"}
    assert asked_anew.is_destroyed


def test_a_verdict_that_cannot_be_read_is_recorded_and_counted(tmp_path: Path) -> None:
    put: list[RawMessage] = []
    attached: list[str] = []
    faults: list[str] = []
    writer = SimpleNamespace(put_all=put.extend, attach=lambda name, *rest: attached.append(name))
    hears: Any = SimpleNamespace(_writer=writer, fault=lambda kind, words: faults.append(kind))
    hears._keep_decision = partial(recorder.RecorderNode._keep_decision, hears)
    decision = tmp_path / "decision.json"
    decision.write_text("{}")
    sound = bytes(serialize_message(Verdict(record=str(decision))))
    messages = [RawMessage("/verdict", "surefoot_msgs/msg/Verdict", data, 0, 0) for data in (sound[:20], sound)]
    recorder.RecorderNode._hear(hears, messages)
    assert put == messages
    assert faults == ["decision_not_recorded"]
    assert attached == ["decisions/decision.json"]
