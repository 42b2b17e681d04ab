# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import numpy as np
import pytest
import yaml

from surefoot.errors import ConfigurationError
from surefoot.gait.library import GaitLibrary, read_gaits
from surefoot.gait.relative import in_metres, of_measures
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

CONFIGURATION = Path(__file__).parents[2] / "config" / "gaits"


def test_each_parameter_has_its_unit() -> None:
    # sqrt(0.981 / 9.81) is 0.316 s, so a speed of 1 is 3.102 m/s.
    values = {"step_height": 0.1, "period": 2.0, "max_forward_speed": 1.0, "max_turn_rate": 0.1, "stance_offset": [0.1, -0.1]}
    found = in_metres(values | {"base_pitch": 0.2, "overshoot": 0.05, "duty_factor": {"LF": 0.6}}, 0.981)
    assert found["step_height"] == pytest.approx(0.0981)
    assert found["period"] == pytest.approx(2.0 * 0.1**0.5)
    assert found["max_forward_speed"] == pytest.approx(0.981 / 0.1**0.5)
    assert found["max_turn_rate"] == pytest.approx(0.1 / 0.1**0.5)
    assert found["stance_offset"] == pytest.approx([0.0981, -0.0981])
    assert (found["base_pitch"], found["overshoot"], found["duty_factor"]) == (0.2, 0.05, {"LF": 0.6})


@pytest.mark.parametrize(("name", "height"), [("anymal_c", 0.54), ("solo12", 0.232), ("go2", 0.334), ("a1", 0.266)])
def test_a_set_for_any_size_fits_each_robot(name: str, height: float) -> None:
    gaits = read_gaits(CONFIGURATION / f"{name}.yaml")
    assert set(gaits.names) >= {"stand", "walk", "trot", "pace", "walking_trot", "amble", "running_trot", "bound", "gallop", "pronk"}
    assert gaits["trot"].base_height == pytest.approx(height)
    assert gaits["trot"].max_forward_speed / gaits["trot"].period == pytest.approx(0.25 / 2.0 * 9.81)
    assert not gaits["stand"].moves


def test_what_a_robot_says_itself_is_in_metres_and_comes_last(tmp_path: Path) -> None:
    (tmp_path / "generic.yaml").write_text((CONFIGURATION / "generic.yaml").read_text())
    own = {"based_on": "generic", "stand_height": 0.5, "common": {"stance_width": 0.4}, "gaits": {"trot": {"period": 0.7}}}
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(own))
    gaits: GaitLibrary = read_gaits(path)
    assert (gaits["walk"].stance_width, gaits["trot"].stance_width) == (0.4, 0.4)
    assert (gaits["trot"].period, gaits["walk"].base_height) == (0.7, 0.5)


@pytest.mark.parametrize("height", [None, 0.0, -1.0, "tall", True])
def test_a_relative_set_needs_a_height(tmp_path: Path, height: object) -> None:
    (tmp_path / "generic.yaml").write_text((CONFIGURATION / "generic.yaml").read_text())
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({"based_on": "generic", "stand_height": height}))
    with pytest.raises(ConfigurationError, match=r"mine\.yaml: stand_height: must be a number over 0 m, not .*generic.yaml is relative"):
        read_gaits(path)


def test_a_set_for_any_size_is_nobodys_own() -> None:
    with pytest.raises(ConfigurationError, match=r"generic.yaml is for robots of any size: name it in a file with 'based_on'"):
        read_gaits(CONFIGURATION / "generic.yaml")


def test_lengths_in_parts_of_the_robot_become_metres_and_nothing_else_does() -> None:
    values = {
        "base_height": "90 % of leg_length",
        "stance_length": "120 % of base_length",
        "stance_width": 0.2,
        "name": "5 % of leg_length",
    }
    found = of_measures(values, {"leg_length": 0.16, "base_length": 0.105})
    assert found == {"base_height": 0.144, "stance_length": 0.126, "stance_width": 0.2, "name": "5 % of leg_length"}
    with pytest.raises(ValueError, match="stance_length: '120 % of base_length' needs the measure base_length; known: leg_length"):
        of_measures(values, {"leg_length": 0.16})


def test_the_measures_of_links_are_those_of_the_robot(links: RobotModel) -> None:
    measures = yaml.safe_load((CONFIGURATION / "links.yaml").read_text())["measures"]
    tree = leg_tree(links)
    legs = np.linalg.norm(tree["placement_translation"][:, 2], axis=1) + np.linalg.norm(tree["foot_offset"], axis=1)
    left_front, right_front, left_hind, _ = tree["hip_in_base"]
    assert measures["leg_length"] == pytest.approx(legs.min(), abs=1e-9)
    assert measures["base_length"] == pytest.approx(left_front[0] - left_hind[0], abs=1e-9)
    assert measures["base_width"] == pytest.approx(left_front[1] - right_front[1], abs=1e-9)


@pytest.mark.parametrize("measures", [{"leg_length": 0.0}, {"leg": 0.2}, {"base_width": True}, "none"])
def test_measures_that_are_none_are_refused(tmp_path: Path, measures: object) -> None:
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"measures": measures, "gaits": {}}))
    with pytest.raises(ConfigurationError, match=r"mine\.yaml: measures: needs lengths in m, of leg_length, base_length, base_width"):
        read_gaits(tmp_path / "mine.yaml")


def test_touchdowns_of_ones_own_take_the_place_of_the_liftoffs_of_the_set_it_is_based_on(tmp_path: Path) -> None:
    (tmp_path / "generic.yaml").write_text((CONFIGURATION / "generic.yaml").read_text())
    own = {
        "trot": {"touchdown": {"LF": 0.5, "RF": 0.0, "LH": 0.0, "RH": 0.5}},
        "walking_trot": {"liftoff": dict.fromkeys(("LF", "RF", "LH", "RH"), 0.5)},
    }
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"based_on": "generic", "stand_height": 0.5, "gaits": own}))
    gaits = read_gaits(tmp_path / "mine.yaml")
    assert gaits["trot"].liftoff == {"LF": 0.1, "RF": 0.6, "LH": 0.6, "RH": 0.1}
    assert set(gaits["walking_trot"].liftoff.values()) == {0.5}
