# SPDX-License-Identifier: Apache-2.0
"""Waiting never ends without words."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from surefoot_msgs.msg import RobotMode

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.evaluation.faults.expectations import SURVIVED, Expectation
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.faults import stage as module
from surefoot.nodes.faults.stage import Stage, left_a_fault
from surefoot.servos.modes import Mode


class Relay:
    """One whose time goes on by a tick whenever it is asked for."""

    def __init__(self, *_: Any) -> None:
        self.stands_still, self.closed, self.words = False, False, ""
        self.changes: list[tuple[float, Mode, str]] = []
        self.mode, self.shift, self.height, self.illegal, self.silent = RobotMode(mode=Mode.READY), 0.0, 10.0, "", set[str]()
        self.broken: Exception | None = None
        self.hand: list[tuple[str, Any]] = []
        self._time = 0.0

    @property
    def time(self) -> float:
        self._time += 0.0 if self.stands_still else 0.02
        self.mode.header.stamp = stamp_of(self._time)
        return self._time

    @property
    def mode_time(self) -> float:
        return self._time

    @property
    def refused(self) -> str:
        return str(self.mode.refused)

    def becomes(self, mode: Mode, reason: str = "") -> None:
        self.mode.mode, self.mode.reason = int(mode), reason
        self.changes.append((self._time, mode, reason))

    def drive(self, forward: float) -> None:
        self.hand.append(("drive", forward))

    def press(self, action: str) -> None:
        self.hand.append(("press", action))

    def stranger(self) -> str:
        return self.words

    def require_sound(self) -> None:
        if self.broken:
            raise SurefootError("the relay itself broke")

    def close(self) -> None:
        self.closed = True


class Graph:
    made = 0

    def __init__(self, *_: Any) -> None:
        Graph.made += 1
        self.lines: dict[str, list[str]] = {}
        self.ends: dict[str, str] = {}
        self.unhandled: list[str] = []

    def dead(self) -> dict[str, str]:
        return dict(self.ends)

    def start(self, name: str) -> None:
        del self.ends[name]

    def traces(self) -> list[str]:
        return self.unhandled

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Relay", Relay)
    monkeypatch.setattr(module, "Graph", Graph)
    monkeypatch.setattr(module, "ALONE", 0.01)
    monkeypatch.setattr(Graph, "made", 0)


@pytest.fixture
def stage() -> Iterator[Any]:
    with Stage("hyq", 0, (), 75) as made:
        yield made


def test_beside_a_robot_no_graph_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    relay = Relay()
    relay.words = "driver has to do with /joint_states"
    monkeypatch.setattr(module, "Relay", lambda *_: relay)
    with pytest.raises(ConfigurationError, match="driver has to do with /joint_states: a robot or another graph is alive in ROS domain 75"):
        Stage("hyq", 0, (), 75)
    assert Graph.made == 0
    assert relay.closed


def test_a_relay_that_broke_is_told(stage: Any) -> None:
    stage.relay.broken, stage.relay.stands_still = ValueError(), True
    with pytest.raises(SurefootError, match="the relay itself broke"):
        stage.pause(1.0)


def test_what_does_not_come_is_named_with_the_ways_that_are_silent(stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    stage.relay.silent, stage.relay.stands_still = {"motion_plan", "imu"}, True
    words = r"does not get to standing: at 0\.000 s it is READY: ; nothing was said on imu, motion_plan"
    with pytest.raises(SurefootError, match=words):
        stage.lead_in("standing")


def test_the_end_of_all_patience_counts_however_long_each_wait_may_be() -> None:
    with Stage("hyq", 0, (), 75, until=time.monotonic()) as stage:
        stage.relay.stands_still = True
        with pytest.raises(SurefootError, match=r"does not get to 1\.000 s"):
            stage.pause(1.0)


def test_a_cell_that_gets_stuck_fails_with_words_and_the_others_go_on(stage: Any) -> None:
    def begin() -> None:
        raise SurefootError("the graph does not get to a second bridge")

    assert stage.run_cell("servo_bridge", "second", "standing", SURVIVED, begin).failed == "the graph does not get to a second bridge"
    assert stage.run_cell("imu", "burst", "standing", SURVIVED, lambda: None).failed == ""


def test_a_fault_has_to_last(stage: Any) -> None:
    right = Expectation(keeps=False, trips=("command stale",))
    cell = stage.run_cell("inverse_dynamics", "killed", "standing", right, lambda: stage.relay.becomes(Mode.FAULT, "command stale"))
    assert (cell.failed, cell.mode) == ("", "FAULT")
    stage.relay.becomes(Mode.READY)

    def wakes_up() -> None:
        for mode in (Mode.FAULT, Mode.DAMPING, Mode.FAULT):
            stage.relay.becomes(mode, "command stale")

    failed = stage.run_cell("inverse_dynamics", "killed", "standing", right, wakes_up).failed
    assert failed == "a fault did not last: DAMPING came after it" == left_a_fault([Mode.READY, Mode.FAULT, Mode.DAMPING])
    assert left_a_fault([Mode.FAULT]) == left_a_fault([]) == left_a_fault([Mode.WALKING, Mode.READY, Mode.FAULT]) == ""


def test_a_damped_robot_is_led_on_and_what_was_killed_is_started_again() -> None:
    with Stage("hyq", 0, ("servo_command", "joint_command", "imu"), 75) as stage:
        graph: Any = stage.graph
        stage.relay.silent = set()
        stage.relay.becomes(Mode.FAULT, "command stale")  # type: ignore[attr-defined]
        assert stage.reusable
        graph.ends = {"inverse_dynamics": "was ended by SIGKILL", "servo_bridge": "was ended by SIGKILL"}
        assert not stage.reusable
        stage.revive()
        assert stage.reusable
        assert stage.relay.silent == {"servo_command", "joint_command"}, "they are waited for"
        assert stage.mode == Mode.OFF, "what the dead bridge said does not count"


@pytest.mark.parametrize("spoilt", [{"ends": {"simulator": "was ended by SIGKILL"}}, {"unhandled": ["teleop: Traceback"]}])
def test_there_is_a_new_graph_for_a_new_robot_and_after_an_exception(stage: Any, spoilt: dict[str, Any]) -> None:
    for name, value in spoilt.items():
        setattr(stage.graph, name, value)
    stage.revive()
    assert not stage.reusable


def test_a_robot_that_fell_onto_its_side_is_not_waited_for(stage: Any) -> None:
    stage.relay.silent = set()
    stage.relay.becomes(Mode.FAULT, "fall")
    stage.relay.mode.refused = "ARM in FAULT: the base is tilted"
    with pytest.raises(SurefootError, match="does not get to walking: FAULT: fall; ARM in FAULT: the base is tilted"):
        stage.lead_in("walking")
    assert module.LONGEST_FALL < stage.now < module.LONGEST_LEAD


def test_a_pad_that_was_lost_in_the_cell_before_is_armed_anew_at_rest(stage: Any) -> None:
    stage.relay.silent = set()
    stage.lead_in("standing")
    assert stage.relay.hand == [("drive", 0.0), ("press", "arm")]
    assert stage.mode == Mode.READY
