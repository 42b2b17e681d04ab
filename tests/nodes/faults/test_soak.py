# SPDX-License-Identifier: Apache-2.0
"""What a long walk counts, on a stage whose robot does what it is told."""

import json
import time
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from surefoot.errors import SurefootError
from surefoot.evaluation.faults.outcome import Outcome
from surefoot.nodes.faults import soak as module
from surefoot.nodes.faults.soak import MOST_GROWTH, WARM_UP, soak
from surefoot.nodes.faults.stage import TimeIsOver
from surefoot.servos.modes import Mode


class Stage:
    """A robot that walks on for some faults, and is damped at the last."""

    made: ClassVar[list["Stage"]] = []
    walks_through = 1000
    illegal = ""
    reason = ""
    deaths: ClassVar[dict[str, str]] = {}
    traces: ClassVar[list[str]] = []
    leads = True
    leaks = 0.01
    touches = 3
    breaks_off = 0

    def __init__(self, *_: Any, until: float) -> None:
        self.until = until
        Stage.made.append(self)
        self.now, self.faults, self.healed = 0.0, 0, 0
        self.mode = Mode.WALKING
        self.relay = SimpleNamespace(commands=0, illegal="", touched=0, fail=self._fail, heal=self._heal)
        self.graph = SimpleNamespace(
            dead=lambda: self.deaths, traces=lambda: self.traces, memory=lambda: {"teleop": 50.0 + self.leaks * self.now, "imu": 7.0}
        )

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    @property
    def reusable(self) -> bool:
        return self.mode == Mode.WALKING

    def lead_in(self, phase: str, settle: float) -> None:
        assert (phase, settle) == ("walking", 0.0)
        if self.breaks_off and self.faults == self.breaks_off:
            raise KeyboardInterrupt
        if self.until < time.monotonic():
            raise TimeIsOver("the graph does not get to walking")
        if not self.leads:
            raise SurefootError("the robot does not get to walking")
        self.relay.commands += 1

    def pause(self, duration: float) -> None:
        self.now += duration

    def _fail(self, *_: Any) -> None:
        self.faults += 1
        self.relay.touched += self.touches
        self.relay.illegal = self.illegal
        if self.faults > self.walks_through:
            self.mode = Mode.FAULT

    def _heal(self) -> None:
        self.relay.illegal = ""


@pytest.fixture(autouse=True)
def stages(monkeypatch: pytest.MonkeyPatch) -> list[Stage]:
    monkeypatch.setattr(Stage, "made", [])
    monkeypatch.setattr(module, "Stage", Stage)
    return Stage.made


def test_it_walks_as_long_as_it_is_told_and_counts_each_fault() -> None:
    done = soak("hyq", 2.0, 0, 75)
    assert done.outcome == Outcome.PASSED
    assert done.missing == []
    assert done.graphs == 1
    assert 120.0 <= done.seconds < 124.0
    assert done.faults == sum(done.by_mode.values()) == done.by_mode["WALKING"] == Stage.made[0].faults > 40
    assert 50.0 < done.watched < 120.0 - WARM_UP + 4.0
    assert done.growth["teleop"] == pytest.approx(0.01 * done.watched)
    assert done.growth["imu"] == 0.0
    memory = done.memory["teleop"]
    assert memory.start == 50.0
    assert memory.warm == pytest.approx(50.0 + 0.01 * WARM_UP, abs=0.04)
    assert memory.end == pytest.approx(memory.warm + 0.01 * done.watched)
    assert json.loads(json.dumps(asdict(done)))["by_mode"] == {"WALKING": done.faults}


def test_a_node_that_grows_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    leaks = 50.0 / (60.0 * 3.0)
    monkeypatch.setattr(Stage, "leaks", leaks)
    done = soak("hyq", 3.0, 0, 75)
    assert done.growth["teleop"] == pytest.approx(leaks * done.watched)
    assert done.growth["teleop"] > MOST_GROWTH
    assert done.outcome == Outcome.FAILED


def test_where_the_robot_cannot_be_led_on_there_is_a_new_graph_and_the_gate_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stage, "walks_through", 3)
    monkeypatch.setattr(Stage, "reason", "command stale: 0.06 s old")
    done = soak("hyq", 0.5, 0, 75)
    assert done.graphs == len(Stage.made) > 1
    assert done.by_mode["FAULT"] in (done.graphs, done.graphs - 1)
    assert done.reasons == {"command stale": done.by_mode["FAULT"]}
    assert done.seconds >= 30.0
    assert done.memory == done.growth == {}
    assert done.outcome == Outcome.CUT_OFF, "nothing is known of memory"
    assert done.missing[0].startswith("nothing is known of memory")


def test_faults_that_touch_no_message_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stage, "touches", 0)
    done = soak("hyq", 2.0, 0, 75)
    assert (done.faults, done.idle, done.outcome) == (0, Stage.made[0].faults, Outcome.CUT_OFF)
    assert done.missing == ["nothing failed"]


def test_what_is_broken_off_says_what_it_saw_and_has_not_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stage, "breaks_off", 50)
    done = soak("hyq", 5.0, 0, 75)
    assert (done.faults, done.outcome) == (50, Outcome.CUT_OFF)
    assert done.missing == [f"{done.seconds:.0f} of 300 s were walked: it was interrupted"]
    over = soak("hyq", 5.0, 0, 75, within=-1.0)
    assert (over.faults, over.outcome) == (0, Outcome.CUT_OFF)
    assert over.missing[0].startswith("0 of 300 s were walked: the time of the wall")
    # What broke until then is no less broken.
    monkeypatch.setattr(Stage, "traces", ["teleop: Traceback"])
    assert soak("hyq", 5.0, 0, 75, within=-1.0).outcome == Outcome.FAILED


def test_what_breaks_is_told_with_what_failed_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stage, "illegal", "torque in FAULT")
    monkeypatch.setattr(Stage, "reason", "internal error: ValueError")
    monkeypatch.setattr(Stage, "deaths", {"teleop": "teleop was ended by SIGKILL"})
    monkeypatch.setattr(Stage, "traces", ["teleop: Traceback"])
    done = soak("hyq", 0.1, 0, 75)
    assert done.outcome == Outcome.FAILED
    assert len(done.illegal) == done.faults
    assert all(words.endswith("torque in FAULT") for words in done.illegal)
    assert len(done.exceptions) == done.faults + 1
    assert done.ended == ["teleop was ended by SIGKILL"]


def test_a_robot_that_never_walks_is_an_error_and_no_endless_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stage, "leads", False)
    with pytest.raises(SurefootError, match="does not get to walking"):
        soak("hyq", 1.0, 0, 75)
    assert len(Stage.made) == 2
