# SPDX-License-Identifier: Apache-2.0
import sys

import pytest

from surefoot.errors import ConfigurationError, RobotDescriptionError, UnknownNameError
from surefoot.robot import locate
from surefoot.robot.description import RobotDescription, read_robot


def test_names():
    assert {"hyq", "links"} <= set(locate.robot_names())
    assert locate.find_robot("hyq").name == "hyq.yaml"


def test_unknown_name_says_what_would_be_right():
    with pytest.raises(UnknownNameError, match=r"unknown robot 'hyp'; did you mean 'hyq'\? Known: .*links"):
        locate.find_robot("hyp")


def test_path(tmp_path):
    own = tmp_path / "mine.yaml"
    own.write_text(locate.find_robot("links").read_text())
    assert locate.find_robot(str(own)) == own
    with pytest.raises(ConfigurationError, match=r"no such file: .*absent\.yaml"):
        locate.find_robot(str(tmp_path / "absent.yaml"))


def test_gait_set_is_a_name_or_lies_beside_the_yaml(tmp_path, monkeypatch):
    assert locate.find_gait_set("hyq").parent.name == "gaits"
    with pytest.raises(UnknownNameError, match=r"unknown gait set 'hyk'; did you mean 'hyq'\?"):
        locate.find_gait_set("hyk")
    own = tmp_path / "mine.yaml"
    own.write_text(locate.find_robot("links").read_text().replace("gait_set: links", "gait_set: ./mygaits.yaml"))
    named = read_robot(own).gait_set
    with pytest.raises(ConfigurationError, match=r"no such file: .*mygaits\.yaml; a gait set is"):
        locate.find_gait_set(named)
    (tmp_path / "mygaits.yaml").touch()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert locate.find_gait_set(named) == tmp_path / "mygaits.yaml"


def test_urdf_lies_beside_the_yaml(tmp_path, description):
    own = RobotDescription(**{**description.model_dump(), "urdf": "robot.urdf"})
    with pytest.raises(ConfigurationError, match=r"no such file: .*robot\.urdf"):
        locate.find_urdf(own, tmp_path / "mine.yaml")
    (tmp_path / "robot.urdf").write_text("<robot/>")
    assert locate.find_urdf(own, tmp_path / "mine.yaml") == tmp_path / "robot.urdf"
    assert locate.read_urdf(tmp_path / "robot.urdf", {}) == "<robot/>"
    with pytest.raises(ConfigurationError, match="xacro_arguments"):
        locate.read_urdf(tmp_path / "robot.urdf", {"mass": "3"})


def test_xacro_arguments(tmp_path):
    file = tmp_path / "robot.urdf.xacro"
    file.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="mass" default="1"/><m value="$(arg mass)"/></robot>'
    )
    assert '<m value="1"/>' in locate.read_urdf(file, {})
    assert '<m value="3"/>' in locate.read_urdf(file, {"mass": "3"})
    file.write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><m value="${unknown}"/></robot>')
    with pytest.raises(RobotDescriptionError, match="xacro"):
        locate.read_urdf(file, {})


def test_missing_extra_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    path = locate.find_robot("go2")
    with pytest.raises(ConfigurationError, match=r"\./surefoot install robots.*pip install example-robot-data"):
        locate.find_urdf(read_robot(path), path)


def test_installed_share(monkeypatch, tmp_path):
    share = tmp_path / "share" / "surefoot_bringup"
    (share / "config" / "robots").mkdir(parents=True)
    monkeypatch.setattr(locate, "__file__", str(tmp_path / "elsewhere" / "locate.py"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "none"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert locate.shared_directory() == share
    monkeypatch.setenv("AMENT_PREFIX_PATH", "")
    with pytest.raises(ConfigurationError, match="surefoot_bringup"):
        locate.shared_directory()
