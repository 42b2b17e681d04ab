# SPDX-License-Identifier: Apache-2.0
"""A bag in the place of a robot: played, held, stepped, sought, looped, and never beside a robot."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rclpy.serialization import serialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from surefoot_msgs.msg import ServoCommand

from surefoot.recording.definitions import definition_of
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings

pytestmark = pytest.mark.timeout(240)
SECOND = 1_000_000_000
TICKS = 500
KINDS = {"/joint_states": JointState, "/joint_command": ServoCommand, "/of_somebody_else/command": JointState}


@pytest.fixture
def bag(graph: Any) -> Path:
    """Two seconds of ticks with commands."""
    folder = Path(graph.folder) / "bag"
    writer = BagWriter(folder, WriterSettings(keep_free=0))
    types = {topic: f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}" for topic, kind in KINDS.items()}
    for topic, kind in types.items():
        writer.add_topic(Topic(topic, kind, *definition_of(kind)))
    for k in range(TICKS):
        for topic, kind in KINDS.items():
            message = kind()
            message.header.stamp.sec, message.header.stamp.nanosec = k // 250, k % 250 * 4_000_000
            time = 10**18 + k * SECOND // 50  # slower than the samples, as a simulation may be
            writer.write(RawMessage(topic, types[topic], serialize_message(message), time, time, k))
    writer.close()
    return folder


def ticks(heard: list[Any]) -> list[int]:
    return [message.header.stamp.sec * 250 + message.header.stamp.nanosec // 4_000_000 for message in heard]


def test_it_plays_holds_steps_seeks_and_ends(graph: Any, ear: Any, bag: Path, wait_until: Callable[..., Any]) -> None:
    joints, clock = ear.hear(JointState, "/joint_states"), ear.hear(Clock, "/clock")
    control = ear.speak(String, "/replay_control")
    player = graph.run("-m", "surefoot", "launch", "replay", f"bag:={bag}", "paused:=true", "speed:=4.0", "listeners:=ear")
    player.says("plays")
    moves, elsewhere = ear.hear(ServoCommand, "/joint_command"), ear.hear(ServoCommand, "/replay/joint_command")
    foreign, foreign_elsewhere = (ear.hear(JointState, f"{prefix}/of_somebody_else/command") for prefix in ("", "/replay"))
    wait_until(control.get_subscription_count)
    wait_until(lambda: len(clock) > 5)
    assert ticks(joints) in ([], [0])
    for number in (1, 2):
        control.publish(String(data="step"))
        wait_until(lambda number=number: number in ticks(joints))
        assert max(ticks(joints)) == number
    control.publish(String(data="nonsense"))
    control.publish(String(data="seek 1.5"))
    wait_until(lambda: 375 in ticks(joints))
    assert 100 not in ticks(joints)
    control.publish(String(data="seek 0.0"))
    control.publish(String(data="resume"))
    assert player.ends() == 0, player.output
    assert "'nonsense' is not known" in player.output
    assert ticks(joints)[-1] == TICKS - 1
    assert ticks(joints)[-400:] == list(range(TICKS - 400, TICKS))
    times = [one.clock.sec + 1e-9 * one.clock.nanosec for one in clock]
    assert max(times) <= (TICKS - 1) / 250 + 1e-6
    assert moves == foreign == []
    assert elsewhere
    assert foreign_elsewhere
    assert graph.alive() == []


def test_it_refuses_to_start_beside_a_robot(graph: Any, bag: Path) -> None:
    robot = graph.node("servo_bridge", lockstep=False)
    player = graph.run("-m", "surefoot", "launch", "replay", f"bag:={bag}", "loop:=true")
    assert player.ends() == 2, player.output
    assert "a bag is not played beside it" in " ".join(player.output.split())
    assert robot.code is None


def test_it_ends_when_a_stranger_comes_to_listen(graph: Any, ear: Any, bag: Path) -> None:
    player = graph.run("-m", "surefoot", "launch", "replay", f"bag:={bag}", "loop:=true")
    player.says("plays")
    ear.hear(JointState, "/joint_states")
    assert player.ends() == 2, player.output
    assert "ear has to do with /joint_states" in " ".join(player.output.split())


@pytest.mark.parametrize(("argument", "words"), [("bag:=nowhere", "no such bag: nowhere"), ("speed:=1.0", "which bag?")])
def test_what_it_cannot_play_is_refused_before_anything_starts(graph: Any, argument: str, words: str) -> None:
    player = graph.run("-m", "surefoot", "launch", "replay", argument)
    assert player.ends() == 2
    assert words in player.output
    assert " | " not in player.output
