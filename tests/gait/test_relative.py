# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest
import yaml

from surefoot.errors import ConfigurationError
from surefoot.gait.library import GaitLibrary, read_gaits
from surefoot.gait.relative import in_metres

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
    assert gaits.names == ("stand", "walk", "trot", "pace")
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
