# SPDX-License-Identifier: Apache-2.0
"""A bag that tells a short story, made of messages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from surefoot_msgs.msg import Candidate, CandidateScore, GaitStatus, RobotMode, Traces, Verdict

from surefoot.nodes.conversions.command import message_of_command
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.conversions.state import message_of_state
from surefoot.recording.definitions import definition_of
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.modes import Mode
from surefoot.traces.outcome import FAILED, SURVIVED

TYPES = {
    "/robot_state": "surefoot_msgs/msg/RobotState", "/gait_status": "surefoot_msgs/msg/GaitStatus", "/traces": "surefoot_msgs/msg/Traces",
    "/verdict": "surefoot_msgs/msg/Verdict", "/robot_mode": "surefoot_msgs/msg/RobotMode", "/joint_states": "sensor_msgs/msg/JointState",
    "/joint_command": "surefoot_msgs/msg/ServoCommand", "/motion_plan": "surefoot_msgs/msg/MotionPlan",
}  # fmt: skip


def _answer(request: int, stamp: float, accepted: bool) -> Verdict:
    score = CandidateScore(candidate=Candidate(transition_point=0.25), particles=4, survived=1, failed=3, violated=["tilt"])
    score.violated_count = [3]
    verdict = Verdict(request_id=request, gait_from="walk", gait_to="trot", accepted=accepted, reason="tilt 3x", scores=[score])
    verdict.header.stamp = stamp_of(stamp)
    return verdict


def _traces(request: int, stamp: float) -> Traces:
    message = Traces(request_id=request, gait_from="walk", gait_to="trot", command_factor=1.0, period=0.05, outcome=[SURVIVED, FAILED])
    message.candidate.transition_point = 0.25
    message.violated, message.length, message.points = ["", "tilt"], [2, 2], [float(k) for k in range(12)]
    message.header.stamp = stamp_of(stamp)
    return message


def _mode(time: float, mode: Mode, reason: str) -> RobotMode:
    message = RobotMode(mode=int(mode), reason=reason)
    message.header.stamp = stamp_of(time)
    return message


def _status(time: float, state: int, request: int) -> GaitStatus:
    message = GaitStatus(gait="walk", request_state=state, request_id=request, requested_gait="trot")
    message.header.stamp = stamp_of(time)
    return message


def said(model: RobotModel) -> Iterator[tuple[float, str, Any]]:
    """Ten seconds with two requests, two verdicts and a fault, as somebody might have recorded them."""
    news: dict[float, list[tuple[str, Any]]] = {
        3.0: [("/gait_status", _status(3.0, GaitStatus.REHEARSING, 1))],
        3.2: [("/traces", _traces(1, 3.0))],
        4.0: [("/verdict", _answer(1, 3.0, False)), ("/gait_status", _status(4.0, GaitStatus.VETOED, 1))],
        6.0: [("/gait_status", _status(6.0, GaitStatus.REHEARSING, 2))],
        6.2: [("/traces", _traces(2, 6.0)), ("/traces", _traces(1, 3.0))],
        7.0: [("/verdict", _answer(2, 6.0, True)), ("/gait_status", _status(7.0, GaitStatus.COMMITTED, 2))],
        8.0: [("/robot_mode", _mode(9.0, Mode.FAULT, "a servo is hot"))],
    }
    state = model.neutral()
    feet = state.base_position + model.feet_in_base(state.joint_position)
    for tick in range(501):
        time = round(0.02 * tick, 2)
        message = message_of_state(state, model.description, feet, np.zeros((4, 3)))
        message.header.stamp = stamp_of(time + 1.0)
        yield time, "/joint_states", JointState(header=message.header)
        yield time, "/robot_state", message
        command = JointCommand(time + 1.0, state.joint_position + 0.01, *np.zeros((4, 12)))
        yield time, "/joint_command", message_of_command(command, model.description, "inverse_dynamics")
        yield from ((time, topic, entry) for topic, entry in news.get(time, ()))


@pytest.fixture(scope="module")
def told_bag(hyq: RobotModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("told") / "bag"
    writer = BagWriter(folder, WriterSettings(keep_free=0))
    for name, kind in TYPES.items():
        writer.add_topic(Topic(name, kind, definition_of(kind)[0]))
    for number, (time, topic, message) in enumerate(said(hyq)):
        # Recorded in a third of the time: a simulation goes by its own clock.
        log_time = round(1.7e18 + 3e8 * time) + number
        writer.write(RawMessage(topic, TYPES[topic], serialize_message(message), log_time, log_time, number))
    writer.close()
    return folder


@pytest.fixture(scope="module")
def told_twice(told_bag: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bag with that story, and the beginning of it once more: the robot was started again."""
    bag, folder = Bag(told_bag), tmp_path_factory.mktemp("twice") / "bag"
    writer = BagWriter(folder, WriterSettings(keep_free=0))
    for topic in bag.topics.values():
        writer.add_topic(topic)
    messages = list(bag.messages())
    for message in messages:
        writer.write(message)
    later = messages[-1].log_time - messages[0].log_time + SECOND
    for message in messages:
        if message.log_time < messages[0].log_time + 0.3 * 5.5 * SECOND:
            writer.write(message._replace(log_time=message.log_time + later, publish_time=message.publish_time + later))
    writer.close()
    return folder
