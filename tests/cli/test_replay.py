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


def test_json_has_the_standard_output_for_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    writer = BagWriter(tmp_path / "bag", WriterSettings(keep_free=0))
    writer.add_topic(Topic("/joint_states", KIND, *definition_of(KIND)))
    for k in range(3):
        writer.write(RawMessage("/joint_states", KIND, serialize_message(JointState()), 10**18 + k * 10**6, 10**18 + k * 10**6))
    writer.close()
    (tmp_path / "bag" / "metadata.yaml").unlink()
    assert main(["replay", str(tmp_path / "bag"), "--nodes", "servo_bridge", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["topics"] == []
    assert "there was nothing to compare with" in said.err
    assert "metadata.yaml is missing" in said.err
    assert main(["replay", str(tmp_path / "bag"), "--nodes", "servo_bridge", "--json", "--expect", "same"]) == 1
    assert json.loads(capsys.readouterr().out)["identical"] is False
