# SPDX-License-Identifier: Apache-2.0
"""Garbage to the nodes: on a company that is none, and, with SUREFOOT_RANDOM_CASES in the environment, to the nodes of the graph."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

import pytest
from sensor_msgs.msg import JointState

from surefoot.evaluation.faults.outcome import Outcome
from surefoot.nodes.faults import fuzz as module
from surefoot.nodes.faults.company import NODES
from surefoot.nodes.faults.fuzz import STUCK, fuzz
from surefoot.servos.modes import Mode

CASES = os.environ.get("SUREFOOT_RANDOM_CASES", "")


def fuzzed(node: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "surefoot", "faults", "fuzz", node, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.timeout(0)
@pytest.mark.skipif(not CASES, reason="the start of six nodes for each takes minutes; SUREFOOT_RANDOM_CASES=1000 runs it")
@pytest.mark.parametrize("node", NODES)
def test_garbage_raises_nothing_and_nothing_illegal_comes_of_it(node: str) -> None:
    done = fuzzed(node, "--messages", CASES, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert said["outcome"] == "passed"
    assert said["received"] >= int(CASES)
    assert said["stepping"] > 0
    assert said["exceptions"] == said["illegal"] == {}
    assert sum(said["modes"].values()) == said["ticks"]
    assert said["refused"], "garbage is counted"


def test_a_node_that_there_is_none_is_named() -> None:
    done = fuzzed("servo_brigde")
    assert done.returncode != 0
    assert "servo_bridge" in done.stdout + done.stderr


class Company:
    """Nodes that hear a joint state a tick each, and a robot that is up after a while, unless it has fallen."""

    made: ClassVar[list["Company"]] = []
    falls = False
    raises = False
    steps = True
    deaf = False
    breaks_off = False
    answers = 1

    def __init__(self, robot: str, seed: int, interfere: Any, received: Any, traces: bool) -> None:
        assert not traces
        Company.made.append(self)
        self.interfere, self.received = interfere, received
        self.ticks, self.laid_down, self.closed = 0, 0, False
        self.mode, self.modes = Mode.OFF, Counter[str]()
        self.exceptions, self.illegal = Counter[tuple[str, str]](), Counter[str]()
        self.counts, self.stepping = Counter[str](), False
        self.heard: dict[str, list[Sequence[Any]]] = {"teleop": [], "simulator": []}

    def tick(self) -> None:
        self.ticks += 1
        self.mode = Mode.FAULT if self.falls else Mode.WALKING if self.ticks > 100 else Mode.OFF
        self.modes[self.mode.name] += 1
        self.stepping = self.steps and self.mode == Mode.WALKING
        if self.breaks_off and self.ticks > 1000:
            raise KeyboardInterrupt
        for name, heard in [pair for pair in self.heard.items() for _ in range(self.answers)]:
            sound = JointState(position=[float(self.ticks)])
            given = self.interfere(name, "/joint_states", sound)
            heard.append([message is sound for message in given])
            for message in () if self.deaf else given:
                self.received(name, message)
            if name == "teleop":
                self.counts["refused"] += len(given)
        if self.raises:
            self.exceptions["teleop", "ValueError: x"] += 1

    def counted(self, name: str) -> dict[str, int]:
        assert name == "teleop"
        return self.counts

    def lay_down(self) -> None:
        self.laid_down += 1

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def companies(monkeypatch: pytest.MonkeyPatch) -> list[Company]:
    monkeypatch.setattr(Company, "made", [])
    monkeypatch.setattr(module, "Company", Company)
    # Light storms, so that few pieces of garbage take many ticks.
    monkeypatch.setattr(module, "COPIES", 16)
    return Company.made


def test_one_node_hears_garbage_in_storms_and_the_others_what_is_said(companies: list[Company]) -> None:
    done = fuzz("hyq", "teleop", 200, 3)
    (company,) = companies
    assert done.outcome == Outcome.PASSED
    assert company.closed
    assert all(heard == [True] for heard in company.heard["simulator"])
    assert done.received == done.sent == sum(heard.count(False) for heard in company.heard["teleop"]) >= 200
    assert 0 < done.stepping == done.modes["WALKING"]
    assert [True] in company.heard["teleop"]
    assert done.ticks == company.ticks == sum(done.modes.values())
    assert done.refused["refused"] == sum(map(len, company.heard["teleop"]))
    assert done.laid_down == 0


def test_what_is_said_in_answer_to_garbage_makes_no_more_of_it(companies: list[Company], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Company, "answers", 50)
    fuzz("hyq", "teleop", 400, 3)
    heard = companies[0].heard["teleop"]
    ticks = [sum(given.count(False) for given in heard[first : first + 50]) for first in range(0, len(heard), 50)]
    assert 1 < max(ticks) <= module.COPIES


def test_a_robot_that_stays_down_is_laid_down_anew(companies: list[Company], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Company, "falls", True)
    monkeypatch.setattr(module, "UP_FIRST", 0.0)
    monkeypatch.setattr(module, "WALKS_FIRST", 0.0)
    done = fuzz("hyq", "teleop", 4000, 3)
    assert done.laid_down == companies[0].laid_down == done.ticks // (STUCK + 1) > 0


def test_what_is_raised_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Company, "raises", True)
    done = fuzz("hyq", "teleop", 1, 3)
    assert done.outcome == Outcome.FAILED
    assert done.exceptions == {"teleop: ValueError: x": done.ticks}


def test_garbage_that_never_came_is_none_and_what_is_broken_off_has_not_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Company, "deaf", True)
    monkeypatch.setattr(Company, "breaks_off", True)
    done = fuzz("hyq", "teleop", 10, 3)
    assert done.sent > 10
    assert (done.received, done.outcome) == (0, Outcome.CUT_OFF)
    assert done.missing == ["0 of 10 pieces of garbage were received: it was interrupted"]
    late = fuzz("hyq", "teleop", 10, 3, within=-1.0)
    assert late.missing[0] == "0 of 10 pieces of garbage were received: the time of the wall that it may take was over"


def test_garbage_to_a_robot_that_never_walks_is_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Company, "steps", False)
    done = fuzz("hyq", "teleop", 200, 3)
    assert (done.missing, done.outcome) == (["the robot never walked"], Outcome.CUT_OFF)
