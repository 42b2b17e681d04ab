# SPDX-License-Identifier: Apache-2.0
"""Bus files that are written anew: at no moment is there none, and those that come with Surefoot stay as they are."""

import errno
import os
from pathlib import Path

import pytest

from surefoot.cli.app import main
from surefoot.errors import ConfigurationError
from surefoot.robot.model import RobotModel
from surefoot.servos.buses import find_bus_file
from surefoot.servos.dynamixel.bus_file import target_of, write_calibrated
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.settings import read_settings

FOUND = {"lf_haa_joint": (-1, 0.0123)}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A bus file of somebody's own."""
    path = tmp_path / "mine.yaml"
    path.write_text(f"# mine\n{find_bus_file('links_dynamixel').read_text()}")
    return path


def test_what_was_found_is_written_and_every_older_file_is_kept(file: Path, links: RobotModel) -> None:
    before = file.read_text()
    file.chmod(0o640)
    assert write_calibrated(file, file, FOUND, links) == file.with_name("mine.yaml.1")
    assert file.with_name("mine.yaml.1").read_text() == before
    joint, old = read_settings(DynamixelSettings, file).joints["lf_haa_joint"], read_settings(DynamixelSettings, find_bus_file(str(file)))
    assert (joint.sign, joint.offset) == (-1, 0.0123)
    assert old.baud_rate == 1000000
    assert file.stat().st_mode & 0o777 == 0o640
    assert write_calibrated(file, file, FOUND, links) == file.with_name("mine.yaml.2")
    other = file.with_name("other.yaml")
    assert write_calibrated(file, other, FOUND, links) is None
    assert sorted(path.name for path in file.parent.iterdir()) == ["mine.yaml", "mine.yaml.1", "mine.yaml.2", "other.yaml"]


def test_an_offset_with_which_a_servo_cannot_reach_its_limits_is_refused(file: Path, links: RobotModel) -> None:
    before = file.read_text()
    with pytest.raises(ConfigurationError, match="lf_haa_joint"):
        write_calibrated(file, file, {"lf_haa_joint": (1, 3.0)}, links)
    assert (file.read_text(), list(file.parent.iterdir())) == (before, [file])


@pytest.mark.parametrize("step", ["os.fsync", "shutil.copy2", "shutil.copyfile", "pathlib.Path.replace"])
def test_a_disk_that_refuses_at_any_step_leaves_the_old_file(
    file: Path, links: RobotModel, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before = file.read_text()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(step, refuse)
    with pytest.raises(ConfigurationError, match=r"mine.yaml cannot be written: No space left on device; it is as it was"):
        write_calibrated(file, file, FOUND, links)
    assert file.read_text() == before
    assert not file.with_name("mine.yaml.new").exists()


def test_there_is_a_whole_file_under_the_name_at_every_moment(file: Path, links: RobotModel, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, replace = [], Path.replace

    def watched(self: Path, target: Path) -> Path:
        seen.append((read_settings(DynamixelSettings, file), read_settings(DynamixelSettings, self)))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    write_calibrated(file, file, FOUND, links)
    ((old, new),) = seen
    assert (old.joints["lf_haa_joint"].offset, new.joints["lf_haa_joint"].offset) == (0.0, 0.0123)


def test_a_link_stays_one(file: Path, links: RobotModel) -> None:
    link = file.with_name("link.yaml")
    link.symlink_to(file)
    write_calibrated(link, link, FOUND, links)
    assert link.is_symlink()
    assert read_settings(DynamixelSettings, file).joints["lf_haa_joint"].sign == -1


def test_files_that_come_with_surefoot_are_not_written(tmp_path: Path) -> None:
    shipped = find_bus_file("links_dynamixel")
    with pytest.raises(ConfigurationError, match=r"--output my_links_dynamixel\.yaml"):
        target_of(shipped, None)
    assert target_of(shipped, tmp_path / "mine.yaml") == tmp_path / "mine.yaml"
    assert target_of(tmp_path / "mine.yaml", None) == tmp_path / "mine.yaml"


def test_a_place_that_cannot_be_written_is_said_before_anybody_works_for_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is no folder that you may write to"):
        target_of(tmp_path / "mine.yaml", tmp_path / "nowhere" / "mine.yaml")
    with pytest.raises(ConfigurationError, match=r"is a folder; .*mine\.yaml"):
        target_of(tmp_path / "mine.yaml", tmp_path)


def test_the_command_refuses_a_shipped_file_before_it_asks_for_anything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("typer.confirm", lambda words, **_: asked.append(words))
    assert main(["servos", "calibrate", "links_dynamixel", "--robot", "links"]) == 2
    assert "--output my_links_dynamixel.yaml" in " ".join(capsys.readouterr().err.split())
    assert not asked
