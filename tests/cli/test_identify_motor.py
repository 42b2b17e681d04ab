# SPDX-License-Identifier: Apache-2.0
"""The whole way: a bag in which a servo with known numbers was moved, read and fitted."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from surefoot_msgs.msg import ServoCommand

from surefoot.cli.app import main
from surefoot.cli.identify import _envelope_words, _play_words
from surefoot.recording.definitions import definition_of
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings
from surefoot.robot.model import RobotModel
from surefoot.servos.motors.envelope import Envelope
from surefoot.servos.motors.play import Play
from surefoot.servos.motors.servo_law import ServoFollower, ServoLaw
from surefoot.servos.motors.torque_speed import Motor

LAW = ServoLaw(1200.0, 60.0, 4.8, 90.0)
PERIOD, JOINT, NOISE = 0.01, "lf_hfe_joint", 0.0005
SECOND = 1_000_000_000


@pytest.fixture
def bag(tmp_path: Path, hyq: RobotModel) -> Path:
    """Steps of one joint, seen by an encoder with noise; an hour later, after a gap, it lies there."""
    names, draw = list(hyq.description.joint_names), np.random.default_rng(1)
    place, servo = names.index(JOINT), ServoFollower([LAW], [0.0], step=1e-4)
    topics = {"/joint_states": "sensor_msgs/msg/JointState", "/joint_command": "surefoot_msgs/msg/ServoCommand"}
    writer = BagWriter(tmp_path / "bag", WriterSettings(keep_free=0))
    for name, kind in topics.items():
        writer.add_topic(Topic(name, kind, *definition_of(kind)))
    targets = np.repeat(draw.uniform(-0.8, 0.8, 25), 20)
    for tick, wanted in enumerate((*targets, *[0.0] * 50)):
        stamp = (5 if tick < len(targets) else 3605) * SECOND + round(tick * PERIOD * SECOND)
        position, zero = draw.normal(size=12) * NOISE, [0.0] * 12
        position[place] += servo.position[0]
        state = JointState(name=names, position=position.tolist(), velocity=zero, effort=zero)
        command = ServoCommand(joint_names=names, active=tick < len(targets), velocity=zero, effort=zero, damping=zero)
        target = np.zeros(12)
        target[place] = wanted
        command.position, command.stiffness = target.tolist(), [50.0] * 12
        for name, message in (("/joint_states", state), ("/joint_command", command)):
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, SECOND)
            writer.write(RawMessage(name, topics[name], serialize_message(message), stamp, stamp, tick))
        servo.advance(np.array([wanted]), PERIOD)
    writer.close()
    return tmp_path / "bag"


def test_known_numbers_come_back_from_a_bag(bag: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["identify", "motor", str(bag), "--joint", JOINT, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {JOINT}
    law = found[JOINT]["law"]
    assert law["samples"] == 500, "without what came after the gap"
    np.testing.assert_allclose([law["law"][name] for name in vars(LAW)], LAW.parameters(), rtol=0.02)
    assert law["velocity_seen"]
    assert law["acceleration_seen"]
    assert "at its limit" in found[JOINT]["envelope"]["unknown"]
    assert "loaded forward in 0 samples and backward in 0" in found[JOINT]["play"]["unknown"]


def test_the_table_says_what_is_unknown_and_why(bag: Path, capsys: pytest.CaptureFixture[str], hyq: RobotModel) -> None:
    assert main(["identify", "motor", str(bag), "--joint", "rh_kfe_joint"]) == 0
    assert "rh_kfe_joint: the joint moved 0.0" in capsys.readouterr().out
    assert main(["identify", "motor", str(bag), "--joint", "nose"]) == 2
    assert "unknown joint 'nose'" in capsys.readouterr().err


def test_the_table_says_by_how_much_the_samples_miss_the_diamond() -> None:
    assert _envelope_words(Envelope(Motor(6.0, 6.6), 0.123, 99)) == ("6.00", "0.12", "6.60")
    assert _envelope_words(Envelope(Motor(6.0, float("nan")), 0.123, 99)) == ("6.00", "0.12", "unknown")


def test_the_table_says_the_play_and_how_sure_that_is() -> None:
    assert _play_words(Play(0.00912, 0.00004, 0.0003, 18, 4000)) == ("0.00912 ± 4e-05", "0.00030", "18")
    assert _play_words("a reason") == ("unknown", "", "")


def test_a_bag_without_commands_is_refused(write_nothing: Callable[[], Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["identify", "motor", str(write_nothing())]) == 2
    assert "both are needed" in " ".join(capsys.readouterr().err.split())


@pytest.fixture
def write_nothing(tmp_path: Path) -> Callable[[], Path]:
    def write() -> Path:
        kind = "sensor_msgs/msg/JointState"
        writer = BagWriter(tmp_path / "empty", WriterSettings(keep_free=0))
        writer.add_topic(Topic("/joint_states", kind, *definition_of(kind)))
        writer.close()
        return tmp_path / "empty"

    return write
