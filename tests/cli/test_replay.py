# SPDX-License-Identifier: Apache-2.0
"""`surefoot replay …` as a program calls it."""

import json
from pathlib import Path

import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from surefoot.cli.app import main
from surefoot.recording.definitions import definition_of
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings

KIND = "sensor_msgs/msg/JointState"


def write(folder: Path, topic: str, hash: str = "") -> None:
    writer = BagWriter(folder, WriterSettings(keep_free=0))
    definition, own_hash = definition_of(KIND)
    writer.add_topic(Topic(topic, KIND, definition, hash or own_hash))
    for k in range(3):
        writer.write(RawMessage(topic, KIND, serialize_message(JointState()), 10**18 + k * 10**6, 10**18 + k * 10**6))
    writer.close()


def test_topics_of_another_robot_are_heard_through_a_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "bag", "/spot/joint_states")
    (tmp_path / "map.yaml").write_text("topics:\n  /joint_states: /spot/joint_states\n")
    words = ["replay", str(tmp_path / "bag"), "--nodes", "servo_bridge", "--json"]
    assert main(words) == 2
    assert "give --map" in " ".join(capsys.readouterr().err.split())
    assert main([*words, "--map", str(tmp_path / "map.yaml")]) == 0
    assert json.loads(capsys.readouterr().out)["hashes"]


def test_json_has_the_standard_output_for_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "bag", "/joint_states")
    (tmp_path / "bag" / "metadata.yaml").unlink()
    assert main(["replay", str(tmp_path / "bag"), "--nodes", "servo_bridge", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["topics"] == []
    assert "there was nothing to compare with" in said.err
    assert "metadata.yaml is missing" in said.err
    assert main(["replay", str(tmp_path / "bag"), "--nodes", "servo_bridge", "--json", "--expect", "same"]) == 1
    assert json.loads(capsys.readouterr().out)["identical"] is False


def test_a_commit_that_knows_other_messages_is_passed_over_when_bisecting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "bag", "/joint_states", "RIHS01_" + "0" * 64)
    words = ["replay", str(tmp_path / "bag"), "--nodes", "servo_bridge"]
    assert main([*words, "--keep", str(tmp_path / "kept")]) == 2
    assert "another version" in capsys.readouterr().err
    assert not (tmp_path / "kept").exists()
    assert main([*words, "--expect", "same"]) == 125
    assert "another version" in " ".join(capsys.readouterr().out.split())
