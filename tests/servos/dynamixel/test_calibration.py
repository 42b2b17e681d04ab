# SPDX-License-Identifier: Apache-2.0
"""A robot on an emulated line whose servos were put in with signs and offsets that nobody knows."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml

from surefoot.cli.app import main
from surefoot.errors import SurefootError
from surefoot.robot.model import RobotModel
from surefoot.servos import lock
from surefoot.servos.buses import find_bus_file
from surefoot.servos.dynamixel.calibration import Calibration, direction_in_words, guide, poses_of, sign_of
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.lock import BridgeLock
from surefoot.settings import read_settings

TURN = np.pi / 3.0
"""rad: the most that is asked for, so that later joints of a leg begin far from the pose."""

AXES = {"forward": (0, 1), "backward": (0, -1), "to the left": (1, 1), "to the right": (1, -1), "up": (2, 1), "down": (2, -1)}
"""Axis of the base and direction on it by the words for it."""

COUNT = 0.006
"""rad: the coarser of the two encoders."""


class Hands:
    """A person who does what is said with a robot of known signs and offsets."""

    def __init__(self, model: RobotModel, line: EmulatedLine, settings: DynamixelSettings, seed: int = 4) -> None:
        draw = np.random.default_rng(seed)
        self.names, self.said, self._model = model.joint_names, [""], model
        self.signs, self.offsets = draw.choice((-1.0, 1.0), 12), draw.uniform(-0.1, 0.1, 12)
        # The knees use all of the range of their servos.
        self.offsets[2::3] *= 0.05
        self._line, self._identities = line, [settings.joints[name].id for name in self.names]
        self._lie, self.clumsy = poses_of(model)["lie"], 0
        self._pose = self._lie.copy()

    def move(self, position: np.ndarray) -> None:
        for place, identity in enumerate(self._identities):
            servo = self._line.servo(identity)
            servo._follower.position[:] = self.signs[place] * (position[place] - self.offsets[place])
            servo._put("present_position", round(servo.position / servo.table.radians_per_count) + servo.table.centre)

    def do(self, words: str) -> None:
        self.said.append(words)
        if words.startswith("Bring"):
            for joint, name in enumerate(self.names):
                if name in words:
                    self._pose[joint] = self._lie[joint]
        if words.startswith("Turn"):
            joint = self.names.index(words.split()[1].rstrip(","))
            turn = self.turn_for(joint, words)
            if self.clumsy:
                self.clumsy -= 1
                joint = (joint + 1) % 12
            # No joint goes beyond its limits, and no servo beyond what it can measure.
            self._pose[joint] = np.clip(self._pose[joint] + turn, self._model.position_lower[joint], self._model.position_upper[joint])
        self.move(self._pose)

    def turn_for(self, joint: int, words: str) -> float:
        """Which of the two turns moves the foot in that direction: a person tries, and looks."""
        axis, way = next(direction for key, direction in AXES.items() if f" {key}, and keep it there" in words)
        foot = {}
        for turn in (-TURN, TURN):
            position = self._pose.copy()
            position[joint] += turn
            foot[turn] = self._model.feet_in_base(position)[joint // 3, axis]
        return TURN if way * (foot[TURN] - foot[-TURN]) > 0.0 else -TURN


class Imagined(Hands):
    """The same person with servos that are only numbers."""

    def __init__(self, model: RobotModel, pose: str, draw: np.random.Generator) -> None:
        self.names, self.said, self._model = model.joint_names, [""], model
        self.signs, self.offsets = draw.choice((-1.0, 1.0), 12), draw.uniform(-3.0, 3.0, 12)
        self._lie, self.clumsy = poses_of(model)[pose], 0
        self._pose = self._lie.copy()

    def move(self, position: np.ndarray) -> None:
        """The position is all that there is."""

    def read(self) -> np.ndarray:
        return self.signs * (self._pose - self.offsets)


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


def test_signs_and_offsets_are_found_by_large_turns(
    calibration: Calibration, emulated: EmulatedLine, file: Path, links: RobotModel
) -> None:
    hands = Hands(links, emulated, read_settings(DynamixelSettings, file))
    hands.clumsy = 1
    found = guide(links, calibration.read, poses_of(links)["lie"], "lie", hands.said.append, hands.do)
    assert [sign for sign, _ in found.values()] == hands.signs.tolist()
    np.testing.assert_allclose([offset for _, offset in found.values()], hands.offsets, atol=COUNT)
    assert not any(servo.under_torque for servo in emulated.servos)
    assert sum(words.startswith("Turn lf_haa_joint") for words in hands.said) == 2, "the wrong joint moved at the first"


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


def test_the_direction_is_that_in_which_the_foot_goes(hyq: RobotModel) -> None:
    pose = poses_of(hyq)["stand"]
    assert direction_in_words(hyq, 0, pose).startswith("the foot lf_foot moves to the ")
    left, right = direction_in_words(hyq, 1, pose), direction_in_words(hyq, 4, pose)
    assert left.split("moves")[1] in (" forward", " backward")
    assert left.split("moves")[1] == right.split("moves")[1]


def test_words_hold_in_every_position_in_which_the_robot_may_be(hyq: RobotModel) -> None:
    pose = poses_of(hyq)["stand"]
    turned = pose + 0.1
    assert direction_in_words(hyq, 2, pose, turned) == direction_in_words(hyq, 2, pose)
    turned[1] += np.pi
    assert direction_in_words(hyq, 2, pose, turned) == ""


@pytest.mark.parametrize("pose", ["lie", "stand", "zero"])
@pytest.mark.parametrize("seed", range(3))
def test_the_right_sign_from_every_pose_whatever_was_turned_before(hyq: RobotModel, pose: str, seed: int) -> None:
    draw = np.random.default_rng(seed)
    hands, start = Imagined(hyq, pose, draw), poses_of(hyq)[pose]
    found = guide(hyq, hands.read, start, pose, hands.said.append, hands.do)
    assert [sign for sign, _ in found.values()] == hands.signs.tolist()
    np.testing.assert_allclose([offset for _, offset in found.values()], hands.offsets, atol=1e-9)


def test_a_joint_that_was_moved_by_mistake_is_brought_back_first(hyq: RobotModel) -> None:
    hands = Imagined(hyq, "stand", np.random.default_rng(0))
    hands.clumsy = 1
    found = guide(hyq, hands.read, poses_of(hyq)["stand"], "stand", hands.said.append, hands.do)
    assert [sign for sign, _ in found.values()] == hands.signs.tolist()
    assert any(words.startswith("Bring") for words in hands.said)


def test_the_command_leads_through_all_of_it(
    emulated: EmulatedLine, file: Path, links: RobotModel, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hands = Hands(links, emulated, read_settings(DynamixelSettings, file))
    defaults = []

    def confirm(words: str, default: bool | None, **_: bool) -> None:
        defaults.append(default)
        hands.do(words)

    monkeypatch.setattr("typer.confirm", confirm)
    target = file.with_name("found.yaml")
    command = ["servos", "calibrate", str(file), "--robot", "links"]
    assert main([*command, "--output", str(target)]) == 0
    assert "The servos of 'links' on" in hands.said[1]
    assert "lose their torque now" in hands.said[1]
    assert defaults[0] is None, "nobody lets a robot fall by the return key alone"
    assert f"written: {target}." in capsys.readouterr().out.replace("\n", "")
    assert [joint.sign for joint in read_settings(DynamixelSettings, target).joints.values()] != [1] * 12
    assert main([*command, "--pose", "sleep"]) == 2
    assert "unknown pose 'sleep'" in capsys.readouterr().err


def test_nobody_is_asked_to_hold_a_robot_before_all_that_can_be_wrong_was_looked_at(
    emulated: EmulatedLine, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def confirm(words: str, **_: bool) -> None:
        raise AssertionError(f"asked: {words}")

    def complaint_of(*options: str) -> str:
        assert main(["servos", "calibrate", str(file), *options]) == 2
        return capsys.readouterr().err.replace("\n", " ")

    monkeypatch.setattr("typer.confirm", confirm)
    monkeypatch.setattr(lock, "PATIENCE", 0.0)
    assert "--robot" in complaint_of()
    text = file.read_text()
    file.write_text(text.replace("lf_haa_joint", "front_left_hip"))
    assert "front_left_hip" in complaint_of("--robot", "links")
    file.write_text(text)
    held = BridgeLock(read_settings(DynamixelSettings, file).device)
    assert "another servo bridge" in complaint_of("--robot", "links")
    held.release()
    file.write_text(text.replace(emulated.name, "/dev/not_there"))
    assert "serial port /dev/not_there cannot be used" in complaint_of("--robot", "links")
