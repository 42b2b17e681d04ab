# SPDX-License-Identifier: Apache-2.0
"""The recorder in a graph: nothing is missed, little is lost when it is killed, and a robot is never held up."""

import time
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import Any

import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Vector3Stamped
from sensor_msgs.msg import JointState

from surefoot.nodes import quality
from surefoot.recording.reader import Bag
from surefoot.recording.repair import repair

pytestmark = pytest.mark.timeout(240)
RATE = 250.0


class Talker:
    """Says so many messages on a topic of the stack and on one that nobody knows beforehand."""

    def __init__(self, ear: Any) -> None:
        self.joints = ear.speak(JointState, "/joint_states", quality.sensor(True))
        self.others = ear.speak(Vector3Stamped, "/of_somebody_else")
        self.said = 0

    def talk(self, count: int) -> None:
        message = JointState(name=[f"joint_{k}" for k in range(12)], position=[0.0] * 12)
        for _ in range(count):
            message.header.stamp.sec, message.header.stamp.nanosec = self.said // 250, self.said % 250 * 4_000_000
            self.joints.publish(message)
            self.others.publish(Vector3Stamped(header=message.header))
            self.said += 1
            time.sleep(1.0 / RATE)

    def heard_by(self, recorders: int) -> bool:
        """Nobody keeps what was said before somebody heard it."""
        return min(speaker.get_subscription_count() for speaker in (self.joints, self.others)) >= recorders


@pytest.fixture
def bag(graph: Any) -> Path:
    return Path(graph.folder) / "bag"


def test_everything_is_recorded_until_it_is_killed_and_a_full_disk_is_told(
    graph: Any, ear: Any, bag: Path, wait_until: Callable[..., Any]
) -> None:
    health = ear.hear(DiagnosticArray, "/diagnostics")
    recorder = graph.node("recorder", bag=bag, lockstep=True)
    without_room = graph.node("recorder", "__node:=without_room", bag=f"{bag}_full", lockstep=True, keep_free_megabytes=1e9)
    teleop = graph.node("teleop", lockstep=True)
    talker = Talker(ear)
    recorder.says("recording into")
    wait_until(lambda: talker.heard_by(2))
    wait_until(lambda: "parameters/teleop.yaml" in Bag(bag).attachments)
    # What was said is in the file soon, not only at its end; how soon is what `surefoot bench bags` measures.
    talker.talk(250)
    wait_until(lambda: Bag(bag).counts.get("/joint_states", 0) >= 250)
    talker.talk(250)
    recorder.signal(SIGKILL)
    recorder.ends()

    read = Bag(bag)
    assert "the recorder did not come to its end" in read.problems
    kept = read.counts["/joint_states"]
    assert [message.sequence for message in read.messages(("/joint_states",))] == list(range(1, kept + 1))
    assert kept >= 250
    assert read.topics["/of_somebody_else"].type == "geometry_msgs/msg/Vector3Stamped"
    assert {"versions.json", "robot.urdf", "robot.yaml", "config/decision.yaml"} <= set(read.attachments)
    parameters = yaml.safe_load(read.attachments["parameters/teleop.yaml"])["/teleop"]["ros__parameters"]
    assert (parameters["robot"], parameters["lockstep"]) == ("hyq", True)
    assert repair(bag).messages == sum(read.counts.values())
    assert Bag(bag).problems == []

    without_room.says("MB are to be kept")
    wait_until(lambda: any("MB are to be kept" in status.message for array in health for status in array.status))
    assert without_room.code is None
    for process in (teleop, without_room):
        process.signal(SIGTERM)
        assert process.ends() == 0, process.output
    assert Bag(Path(f"{bag}_full")).problems == []
