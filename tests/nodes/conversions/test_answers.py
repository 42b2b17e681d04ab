# SPDX-License-Identifier: Apache-2.0
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from surefoot.nodes.conversions.answers import BRIDGE, heard_answers, told_answers
from surefoot.servos.modes import Mode, Request


def message(values: dict[str, str], name: str = BRIDGE) -> DiagnosticArray:
    pairs = [KeyValue(key=key, value=value) for key, value in values.items()]
    return DiagnosticArray(status=[DiagnosticStatus(name="teleop"), DiagnosticStatus(name=name, values=pairs)])


def test_what_is_told_is_heard() -> None:
    told = told_answers(Mode.FAULT, {Request.STOP: "", Request.ARM: "the base is tilted"}) | {"rate_hz": "250"}
    assert heard_answers(message(told), "FAULT") == {"STOP": "", "ARM": "the base is tilted"}
    assert heard_answers(message(told), "READY") is None, "said of another mode"
    assert heard_answers(message(told, "another"), "FAULT") is None


def test_where_nothing_was_looked_at_nothing_is_told() -> None:
    assert told_answers(Mode.OFF, {}) == {}
