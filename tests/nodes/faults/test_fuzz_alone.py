# SPDX-License-Identifier: Apache-2.0
"""Garbage to nodes by themselves: to one that is none, and, with SUREFOOT_RANDOM_CASES in the environment, to those of the graph."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from geometry_msgs.msg import Twist
from sensor_msgs.msg import JointState
from surefoot_msgs.msg import RobotMode

from surefoot.errors import SurefootError
from surefoot.evaluation.faults.outcome import Outcome
from surefoot.nodes.conversions.common import seconds_of, stamp_of
from surefoot.nodes.faults import fuzz_alone as module
from surefoot.nodes.faults.beside import Beside
from surefoot.nodes.faults.by_itself import read
from surefoot.nodes.faults.fuzz_alone import ALONE, FuzzedAlone, fuzz_alone
from surefoot.robot.model import RobotModel

SILENT = ("recorder", "view", "narrator")
"""Nodes that need not say anything on a topic."""

CASES = os.environ.get("SUREFOOT_RANDOM_CASES", "")


@pytest.mark.timeout(0)
@pytest.mark.skipif(not CASES, reason="the start of all nodes and their walk take a minute; SUREFOOT_RANDOM_CASES=2000 runs it")
def test_garbage_raises_nothing_in_any_node_and_nothing_illegal_comes_of_it() -> None:
    command = [sys.executable, "-m", "surefoot", "faults", "fuzz", "all", "--alone", "--messages", CASES, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert [one["node"] for one in said] == list(ALONE)
    for one in said:
        assert one["outcome"] == "passed"
        assert one["received"] == sum(one["by_topic"].values()) >= int(CASES)
        assert one["at_work"] > 0
        assert sum(one["said"].values()) > 0 or one["node"] in SILENT
        assert one["exceptions"] == one["illegal"] == {}
        assert one["unreadable"] > 0


class Node:
    """Hears joint states and twists, says how it is, and stumbles over what the tests want."""

    stumbles = False
    lies = False

    def __init__(self, model: RobotModel) -> None:
        self.model, self.slow_motion, self.counters = model, 1.0, Counter[str]()
        self.stamps: list[float] = []
        self.heard: list[str] = []
        self.fired: list[float] = []
        self.modes = SimpleNamespace(topic_name="/robot_mode", publish=None)
        self.publishers = [self.modes, SimpleNamespace(topic_name="/rosout", publish=None)]
        self.timers = [SimpleNamespace(callback=lambda: self.fired.append(self.steady()))]
        self.subscriptions = [
            SimpleNamespace(topic_name="/joint_states", msg_type=JointState, callback=self.hear),
            SimpleNamespace(topic_name="/cmd_vel", msg_type=Twist, callback=lambda twist: self.heard.append(str(twist))),
        ]

    def hear(self, message: JointState) -> None:
        self.heard.append(str(message))
        sound = list(message.position) == [1.0, 2.0] and list(message.name) == ["a", "b"]
        if sound:
            self.stamps.append(seconds_of(message.header.stamp))
        else:
            self.counters["refused"] += 1
            if self.stumbles:
                raise ValueError("a stone")
        self.modes.publish(RobotMode(mode=77 if self.lies and not sound else RobotMode.READY, reason="x"))

    def health(self) -> dict[str, str]:
        return {"sum": "3", "words": "none"}


class Company:
    """One such node, and a robot that steps at its 40th tick."""

    model: ClassVar[RobotModel]
    made: ClassVar[list["Company"]] = []
    steps = True

    def __init__(self, robot: str, seed: int, traces: bool, overhear: Any, beside: Any, parameters: Any) -> None:
        assert not traces
        Company.made.append(self)
        self.nodes = {"state_estimator": Node(self.model)} | {name: make() for name, make in beside.items()}
        self.overhear, self.ticks, self.reports, self.closed = overhear, 0, 0, False
        self.parameters = parameters
        self.modes, self.exceptions, self.illegal = Counter[str](), Counter[Any](), Counter[str]()

    @property
    def stepping(self) -> bool:
        return self.steps and self.ticks >= 40

    def tick(self) -> None:
        self.ticks += 1
        message = JointState(name=["a", "b"], position=[1.0, 2.0])
        message.header.stamp = stamp_of(0.004 * self.ticks)
        self.overhear("/joint_states", message)
        self.overhear("/what_it_does_not_hear", message)

    def report(self) -> None:
        self.reports += 1

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def companies(monkeypatch: pytest.MonkeyPatch, hyq: RobotModel) -> list[Company]:
    monkeypatch.setattr(Company, "made", [])
    monkeypatch.setattr(Company, "model", hyq, raising=False)
    monkeypatch.setattr(module, "Company", Company)
    # Light storms, so that few pieces of garbage take many ticks.
    monkeypatch.setattr(module, "COPIES", 16)
    monkeypatch.setattr(module, "TAPE", 100)
    monkeypatch.setattr(module, "LONGEST_LEAD", 400)
    return Company.made


def fuzzed(messages: int = 500, seed: int = 3, within: float = 1e9, node: str = "state_estimator") -> FuzzedAlone:
    (done,) = fuzz_alone("hyq", [node], messages, seed, within=within)
    return done


def test_it_hears_its_tape_over_and_over_and_garbage_in_storms(companies: list[Company]) -> None:
    done = fuzzed()
    (company,) = companies
    node = company.nodes["state_estimator"]
    assert (done.outcome, company.closed, company.ticks, company.reports) == (Outcome.PASSED, True, 139, 1)
    assert done.received == sum(done.by_topic.values()) >= 500
    assert set(done.by_topic) == {"/joint_states", "/cmd_vel"}, "also what nobody said"
    # The tape goes on, in which nothing but the time is new.
    assert len(node.stamps) > 2 * company.ticks
    assert node.stamps[-1] > 1.0
    assert 0.02 * done.ticks < len(node.fired) < 0.2 * done.ticks
    assert node.fired == sorted(node.fired)
    assert node.fired[-1] > 0.004 * done.ticks, "its clock goes on, and now and then nothing comes for a while"
    assert node.fired[-1] < 0.02 * done.ticks + 1.0
    assert 0 < done.at_work <= done.ticks
    assert done.said == {"/robot_mode": sum("position" in words for words in node.heard)}
    assert done.refused["sum"] == 3
    assert done.refused["refused"] == node.counters["refused"] > 0
    assert "words" not in done.refused


def test_the_same_seed_gives_the_same_garbage(companies: list[Company]) -> None:
    for seed in (3, 3, 4):
        fuzzed(seed=seed)
    first, again, other = (company.nodes["state_estimator"].heard for company in companies)
    assert first == again != other


def test_what_is_raised_or_illegal_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Node, "stumbles", True)
    done = fuzzed()
    assert done.outcome == Outcome.FAILED
    assert done.exceptions == {"ValueError: a stone (test_fuzz_alone.py, hear)": done.refused["refused"]}
    monkeypatch.setattr(Node, "stumbles", False)
    monkeypatch.setattr(Node, "lies", True)
    done = fuzzed()
    assert done.outcome == Outcome.FAILED
    assert done.illegal == {"/robot_mode: mode 77 is none": done.refused["refused"]}


def test_what_cannot_be_sent_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = RobotMode(reason="x")
    broken._mode = "no number"
    monkeypatch.setattr(Node, "hear", lambda self, message: self.modes.publish(broken))
    done = fuzzed()
    assert done.outcome == Outcome.FAILED
    assert sum(done.exceptions.values()) == done.said["/robot_mode"]


def test_what_is_cut_off_has_not_passed() -> None:
    done = fuzzed(within=-1.0)
    assert done.outcome == Outcome.CUT_OFF
    assert done.missing[0] == "0 of 500 pieces of garbage were received: the time of the wall that it may take was over"


def test_a_node_that_refuses_all_the_time_has_had_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Node, "hear", lambda self, message: None)
    done = fuzzed()
    assert (done.missing, done.outcome) == (["the node was never at work"], Outcome.CUT_OFF)


def test_a_robot_that_does_not_walk_makes_no_tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Company, "steps", False)
    with pytest.raises(SurefootError, match="does not walk within 400 ticks"):
        fuzzed()


def test_what_a_node_caught_as_a_last_resort_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    modes = [RobotMode(mode=RobotMode.READY, reason=f"internal error: ValueError: {number}") for number in range(2)]

    def hear(self: Node, message: JointState) -> None:
        self.counters["broken_rehearsals"] += 1
        self.modes.publish(modes[self.counters["broken_rehearsals"] % 2])

    monkeypatch.setattr(Node, "hear", hear)
    done = fuzzed()
    assert done.outcome == Outcome.FAILED
    said = done.said["/robot_mode"]
    # All of a kind are counted under the words of the first.
    assert done.exceptions == {"internal error: ValueError: 1": said, "caught as a last resort: broken_rehearsals": said}


class Subscription:
    """Raw, of a node that polls it."""

    topic_name, msg_type = "/joint_states", JointState

    def __init__(self) -> None:
        self.__subscription: Any = None

    @property
    def handle(self) -> Any:
        return self.__subscription


class Listener(Node):
    """Polls: it takes whatever came."""

    def __init__(self, model: RobotModel) -> None:
        super().__init__(model)
        self.subscriptions = []
        self.polled = SimpleNamespace(subscriptions=[Subscription()])
        self.taken: list[bytes] = []
        self.steps: list[float] = []

    def take(self) -> None:
        (subscription,) = self.polled.subscriptions
        while (taken := subscription.handle.take_message(JointState, True)) is not None:
            assert taken[1]["publication_sequence_number"] == len(self.taken) + 1
            self.taken.append(taken[0])


class Known(Beside):
    """What is known of it."""

    words = ""
    looked: ClassVar[list[bool]] = []

    def make(self) -> Any:
        return Listener(Company.model)

    def parameters(self, folder: Path) -> dict[str, object]:
        assert folder.is_dir()
        return {"folder": folder}

    def polled(self, node: Any) -> Any:
        return ((node.polled, node.take),)

    def each_tick(self, node: Any) -> None:
        node.steps.append(node.steady())

    def works(self, node: Any) -> bool:
        return bool(node.taken)

    def broken(self, node: Any, over: bool) -> str:
        self.looked.append(over)
        return f"{self.words} {len(node.taken)}" if self.words else ""


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> type[Known]:
    monkeypatch.setattr(module, "BESIDE", {"listener": Known})
    monkeypatch.setattr(module, "ALONE", ("state_estimator", "listener"))
    monkeypatch.setattr(Known, "looked", [])
    return Known


def test_who_hears_raw_messages_hears_also_what_is_none(listener: type[Known], companies: list[Company]) -> None:
    done = fuzzed(node="listener")
    node: Any = companies[0].nodes["listener"]
    assert done.outcome == Outcome.PASSED
    unreadable = sum(read(JointState, data) is None for data in node.taken)
    assert unreadable == done.unreadable > 0
    assert done.received == done.by_topic["/joint_states"] >= 500
    assert done.received < len(node.taken), "what is sound it hears too"
    assert len(node.steps) == done.ticks, "its own timer goes by the ticks"
    assert 0 < done.at_work <= done.ticks
    assert listener.looked == [False] * done.storms + [True]
    assert list(companies[0].parameters) == ["listener"]
    assert not companies[0].parameters["listener"]["folder"].exists(), "what it left is gone"


def test_what_is_broken_beside_what_is_said_is_no_pass(listener: type[Known], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "words", "the page is gone after")
    done = fuzzed(node="listener")
    assert done.outcome == Outcome.FAILED
    ((words, count),) = done.illegal.items()
    assert words.startswith("the page is gone after")
    assert count == done.storms + 1
