# SPDX-License-Identifier: Apache-2.0
"""The gaits of a robot may lie beside it, and start from those of the project."""

import pytest
import yaml

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.gait.library import read_gaits
from surefoot.gait.of_robot import gaits_of
from surefoot.robot.load import load_robot
from surefoot.robot.locate import find_gait_set, find_robot
from surefoot.teleop.gait_files import user_file


def test_a_set_beside_the_robot(tmp_path):
    values = yaml.safe_load(find_robot("links").read_text())
    urdf = str((find_robot("links").parent / values["urdf"]).resolve())
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(values | {"urdf": urdf, "gait_set": "./mygaits.yaml"}))
    with pytest.raises(ConfigurationError, match=r"robot 'links': gait_set: no such file: .*mygaits\.yaml"):
        gaits_of(load_robot(str(tmp_path / "mine.yaml")))
    (tmp_path / "mygaits.yaml").write_text("based_on: generic\nstand_height: 0.13\n")
    model = load_robot(str(tmp_path / "mine.yaml"))
    assert gaits_of(model)["trot"].base_height == pytest.approx(0.13, rel=0.2)
    assert user_file(str(tmp_path / "kept"), model.description.gait_set) == tmp_path / "kept" / "mygaits.yaml"


def test_what_a_set_is_based_on_is_looked_for_beside_it_first(tmp_path):
    (tmp_path / "mygaits.yaml").write_text("based_on: links\n")
    assert read_gaits(tmp_path / "mygaits.yaml")["trot"] == read_gaits(find_gait_set("links"))["trot"]
    (tmp_path / "links.yaml").write_text(find_gait_set("hyq").read_text())
    assert read_gaits(tmp_path / "mygaits.yaml")["trot"] == read_gaits(find_gait_set("hyq"))["trot"]
    (tmp_path / "mygaits.yaml").write_text("based_on: lynx\n")
    with pytest.raises(UnknownNameError, match="unknown gait set 'lynx'"):
        read_gaits(tmp_path / "mygaits.yaml")
