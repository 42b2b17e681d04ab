# SPDX-License-Identifier: Apache-2.0
import re
from pathlib import Path

import numpy as np
import pytest

from surefoot.servos.modes import MOVES, Condition, Event, Mode, ModeMachine, Request, mode_name, moves_table, requests_of

MESSAGES = Path(__file__).parents[2] / "src" / "surefoot_msgs" / "msg"


def constants(message: str) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(r"^uint8 ([A-Z_]+)=(\d+)", (MESSAGES / message).read_text(), re.MULTILINE)}


def test_numbers_are_those_of_the_messages() -> None:
    assert {mode.name: mode.value for mode in Mode} == constants("RobotMode.msg")
    assert {request.name: request.value for request in Request} == constants("OperatorCommand.msg")


def test_a_number_that_is_no_mode_is_its_own_name() -> None:
    assert (mode_name(int(Mode.FAULT)), mode_name(99)) == ("FAULT", "99")


def test_the_day_of_a_robot() -> None:
    machine, seen = ModeMachine(), []
    for step in (
        Request.ARM,
        Request.STAND,
        Event.POSE_REACHED,
        Request.WALK,
        Request.STAND,
        Request.SIT,
        Event.POSE_REACHED,
        Request.STAND,
    ):
        if isinstance(step, Event):
            machine.event(1.0, step, "there")
        else:
            assert machine.request(1.0, step, {}) == ""
        seen.append(machine.mode)
    assert seen == [
        Mode.DAMPING, Mode.STANDING_UP, Mode.READY, Mode.WALKING, Mode.READY, Mode.SITTING_DOWN, Mode.SITTING, Mode.STANDING_UP,
    ]  # fmt: skip


@pytest.mark.parametrize("mode", list(Mode))
def test_stop_works_from_anywhere_whatever_holds(mode: Mode) -> None:
    machine = ModeMachine()
    machine.mode = mode
    assert machine.request(3.0, Request.STOP, dict.fromkeys(Condition, "no")) == ""
    assert machine.mode == Mode.STOPPED


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode not in (Mode.STOPPED, Mode.FAULT)])
def test_a_trip_is_a_fault_from_anywhere(mode: Mode) -> None:
    machine = ModeMachine()
    machine.mode = mode
    assert machine.event(3.0, Event.TRIPPED, "attitude: roll 0.60 rad")
    assert (machine.mode, machine.reason, machine.since) == (Mode.FAULT, "attitude: roll 0.60 rad", 3.0)


def test_a_stop_is_latched_until_its_cause_is_gone() -> None:
    machine = ModeMachine()
    machine.request(1.0, Request.STOP, {})
    for request in (Request.STAND, Request.WALK, Request.SIT):
        assert "accepted now: STOP, ARM" in machine.request(2.0, request, {})
    assert machine.request(3.0, Request.ARM, {Condition.SAFE_POSE: "the base is tilted"}) == "ARM in STOPPED: the base is tilted"
    assert machine.mode == Mode.STOPPED
    machine.request(4.0, Request.STOP, {})
    assert machine.since == 1.0
    assert machine.request(5.0, Request.ARM, {}) == ""
    assert machine.mode == Mode.DAMPING


@pytest.mark.parametrize("garbage", [77, -1, 6, 255])
def test_unknown_requests_are_refused(garbage: int) -> None:
    machine = ModeMachine()
    assert f"request {garbage} is unknown" in machine.request(1.0, garbage, {})
    assert machine.mode == Mode.OFF


def test_random_requests_reach_only_legal_states() -> None:
    legal = {(move.source, move.trigger): move for move in MOVES}
    random = np.random.default_rng(7)
    machine = ModeMachine()
    visited = {machine.mode}
    conditions = list(Condition)
    for kind, held in zip(random.integers(-1, 10, 100_000), random.random((100_000, len(conditions))) < 0.3, strict=True):
        before = machine.mode
        unmet = {condition: "no" for condition, missing in zip(conditions, held, strict=True) if missing}
        if kind >= 8:
            trigger: Request | Event = Event.POSE_REACHED if kind == 8 else Event.TRIPPED
            moved = machine.event(0.0, trigger, "x")
            assert moved == ((before, trigger) in legal)
        else:
            refused = machine.request(0.0, int(kind), unmet)
            if kind not in set(map(int, Request)):
                assert refused
                assert machine.mode == before
                continue
            trigger = Request(int(kind))
        if machine.mode != before:
            move = legal[(before, trigger)]
            assert move.target == machine.mode
            assert isinstance(trigger, Event) or not any(condition in unmet for condition in move.conditions)
        visited.add(machine.mode)
    assert visited == set(Mode)


def test_each_mode_can_be_left_and_the_table_says_how() -> None:
    table = moves_table()
    for mode in Mode:
        assert Request.STOP in requests_of(mode)
        assert f"| {mode.name} |" in table
    assert len(table.splitlines()) == len(MOVES) + 2
    assert len({(move.source, move.trigger) for move in MOVES}) == len(MOVES)
