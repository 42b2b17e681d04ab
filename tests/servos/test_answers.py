# SPDX-License-Identifier: Apache-2.0
"""What the bridge says that it would answer is what it answers."""

from typing import Any

import pytest

from surefoot.servos.answers import EVERY, Answers
from surefoot.servos.attitude import Attitude
from surefoot.servos.modes import Condition, Mode, ModeMachine, Request, requests_of

ON_ITS_SIDE = Attitude(1.2, 0.0)


def test_a_robot_on_its_side_would_not_be_armed(rig: Any) -> None:
    rig.walking()
    assert rig.balance(attitude=ON_ITS_SIDE).answers == {}, "not yet, in the tick in which it fell"
    answers = rig.tick(attitude=ON_ITS_SIDE).answers
    assert set(answers) == {Request.STOP, Request.ARM}
    assert answers[Request.STOP] == ""
    assert "roll 1.20 rad, limit 0.35 rad" in answers[Request.ARM]
    assert answers[Request.ARM] in rig.tick(request=Request.ARM, attitude=ON_ITS_SIDE).refused
    for _ in range(round(EVERY / rig.TICK) + 1):
        answers = rig.tick().answers
    assert answers == {Request.STOP: "", Request.ARM: ""}
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING


@pytest.mark.parametrize("strangers", ["", "two speak on /servo_command"])
@pytest.mark.parametrize("mode", [Mode.OFF, Mode.DAMPING, Mode.READY, Mode.WALKING, Mode.STOPPED])
def test_each_request_is_answered_as_was_said(mode: Mode, strangers: str, make_rig: Any) -> None:
    def in_mode() -> Any:
        rig = make_rig()
        if mode in (Mode.READY, Mode.WALKING):
            rig.walking() if mode == Mode.WALKING else rig.ready()
        elif mode != Mode.OFF:
            rig.tick()
            rig.tick(request=Request.ARM)
            if mode == Mode.STOPPED:
                rig.tick(request=Request.STOP)
        told: dict[str, object] = {"strangers": strangers}
        for _ in range(round(EVERY / rig.TICK) + 2):
            output = rig.balance(**told) if mode == Mode.WALKING else rig.tick(**told)
        assert output.mode == mode
        return rig, output.answers

    _, answers = in_mode()
    assert set(answers) == set(requests_of(mode))
    for request, reason in answers.items():
        rig, _ = in_mode()
        refused = rig.tick(request=request, strangers=strangers).refused
        assert bool(refused) is bool(reason)
        assert reason in refused


def test_it_is_looked_at_from_time_to_time_and_when_the_mode_changes() -> None:
    answers, machine, looks = Answers(), ModeMachine(), []

    def unmet() -> dict[Condition, str]:
        looks.append(machine.mode)
        return {}

    for time in (0.0, 0.4 * EVERY, 0.9 * EVERY, 1.1 * EVERY):
        answers.look(time, machine, unmet)
    assert len(looks) == 2
    machine.request(1.2 * EVERY, Request.ARM, {})
    assert answers.in_mode(machine.mode) == {}
    answers.look(1.3 * EVERY, machine, unmet)
    answers.look(0.2 * EVERY, machine, unmet)
    assert looks[2:] == [Mode.DAMPING, Mode.DAMPING], "a clock that went back as well"
