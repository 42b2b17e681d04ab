# SPDX-License-Identifier: Apache-2.0
"""A robot on an emulated line whose servos were put in with signs and offsets that nobody knows."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml

from surefoot.cli.app import main
from surefoot.errors import ConfigurationError, SurefootError
from surefoot.robot.model import RobotModel
from surefoot.servos.buses import find_bus_file
from surefoot.servos.dynamixel.calibration import Calibration, direction_in_words, guide, poses_of, sign_of, write_calibrated
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.settings import read_settings

COUNT = 0.006
"""rad: the coarser of the two encoders."""


class Hands:
    """A person who does what is said with a robot of known signs and offsets."""

    def __init__(self, model: RobotModel, line: EmulatedLine, settings: DynamixelSettings, seed: int = 4) -> None:
        draw = np.random.default_rng(seed)
        self.names, self.said = model.joint_names, [""]
        self.signs, self.offsets = draw.choice((-1.0, 1.0), 12), draw.uniform(-0.1, 0.1, 12)
        # The knees use all of the range of their servos.
        self.offsets[2::3] *= 0.05
        self._line, self._identities = line, [settings.joints[name].id for name in self.names]
        self._pose, self.clumsy = poses_of(model)["lie"].copy(), 0

    def move(self, position: np.ndarray) -> None:
        for place, identity in enumerate(self._identities):
            servo = self._line.servo(identity)
            servo._follower.position[:] = self.signs[place] * (position[place] - self.offsets[place])
            servo._put("present_position", round(servo.position / servo.table.radians_per_count) + servo.table.centre)

    def do(self, words: str) -> None:
        self.said.append(words)
        if not words.startswith("Turn"):
            self.move(self._pose)
            return
        joint = self.names.index(words.split()[1].rstrip(","))
        if self.clumsy:
            self.clumsy -= 1
            joint = (joint + 1) % 12
        self._pose[joint] += 0.4
        self.move(self._pose)


@pytest.fixture
def file(tmp_path: Path, emulated: EmulatedLine) -> Path:
    """The bus file of LINKS with that line as its port, a comment in it, and patience."""
    values = yaml.safe_load(find_bus_file("links_dynamixel").read_text()) | {"port": emulated.name, "reply_time": 0.5}
    for joint in values["joints"].values():
        joint.pop("sign", None)
    path = tmp_path / "mine.yaml"
    path.write_text(f"# mine\n{yaml.safe_dump(values)}")
    return path


@pytest.fixture
def calibration(file: Path, links: RobotModel) -> Iterator[Calibration]:
    made = Calibration(links, read_settings(DynamixelSettings, file))
    yield made
    made.close()


def test_signs_and_offsets_are_found_and_written_and_the_old_file_is_kept(
    calibration: Calibration, emulated: EmulatedLine, file: Path, links: RobotModel
) -> None:
    hands = Hands(links, emulated, read_settings(DynamixelSettings, file))
    hands.clumsy = 1
    found = guide(links, calibration.read, poses_of(links)["lie"], "lie", hands.said.append, hands.do)
    assert [sign for sign, _ in found.values()] == hands.signs.tolist()
    np.testing.assert_allclose([offset for _, offset in found.values()], hands.offsets, atol=COUNT)
    assert not any(servo.under_torque for servo in emulated.servos)
    assert sum(words.startswith("Turn lf_haa_joint") for words in hands.said) == 2, "the wrong joint moved at the first"

    before = file.read_text()
    kept = write_calibrated(file, file, found, links)
    assert kept == file.with_name("mine.yaml.1")
    assert kept.read_text() == before
    written = read_settings(DynamixelSettings, file)
    assert [written.joints[name].sign for name in links.joint_names] == hands.signs.tolist()
    assert (written.baud_rate, written.joints["lh_hfe_joint"].table) == (1000000, "dynamixel_mx")
    assert write_calibrated(file, file, found, links) == file.with_name("mine.yaml.2")


def test_what_does_not_show_a_sign_is_said_and_in_the_end_nothing_is_written(
    calibration: Calibration, emulated: EmulatedLine, file: Path, links: RobotModel
) -> None:
    hands = Hands(links, emulated, read_settings(DynamixelSettings, file))
    hands.clumsy = 99
    with pytest.raises(SurefootError, match="lf_haa_joint showed no sign in 3 tries"):
        guide(links, calibration.read, poses_of(links)["lie"], "lie", hands.said.append, hands.do)
    emulated.servo(7).gone = True
    names, still = links.joint_names, np.zeros(12)
    assert sign_of(names, 2, still, np.where(np.arange(12) < 4, 0.3, 0.0))[1].endswith("turn lf_kfe_joint alone")
    assert sign_of(names, 2, still, np.where(np.arange(12) == 2, 3.0, 0.0))[0] == 0


def test_an_offset_with_which_a_servo_cannot_reach_its_limits_is_refused(file: Path, links: RobotModel) -> None:
    before = file.read_text()
    with pytest.raises(ConfigurationError, match="lf_haa_joint"):
        write_calibrated(file, file, {"lf_haa_joint": (1, 3.0)}, links)
    assert (file.read_text(), list(file.parent.iterdir())) == (before, [file])


def test_the_direction_is_that_in_which_the_foot_goes(hyq: RobotModel) -> None:
    pose = poses_of(hyq)["stand"]
    assert direction_in_words(hyq, 0, pose).startswith("the foot lf_foot moves to the ")
    left, right = direction_in_words(hyq, 1, pose), direction_in_words(hyq, 4, pose)
    assert left.split("moves")[1] in (" forward", " backward")
    assert left.split("moves")[1] == right.split("moves")[1]


def test_the_command_leads_through_all_of_it(
    emulated: EmulatedLine, file: Path, links: RobotModel, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hands = Hands(links, emulated, read_settings(DynamixelSettings, file))
    monkeypatch.setattr("typer.confirm", lambda words, **_: hands.do(words))
    target = file.with_name("found.yaml")
    assert main(["servos", "calibrate", str(file), "--output", str(target)]) == 0
    assert "lose their torque now" in hands.said[1]
    assert f"written: {target}." in capsys.readouterr().out.replace("\n", "")
    assert [joint.sign for joint in read_settings(DynamixelSettings, target).joints.values()] != [1] * 12
    assert main(["servos", "calibrate", str(file), "--pose", "sleep"]) == 2
    assert "unknown pose 'sleep'" in capsys.readouterr().err
