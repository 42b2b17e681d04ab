# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.model import RobotModel
from surefoot.traces.requirements.built_in import BUILT_IN
from surefoot.traces.requirements.settings import GAIT_TRANSITION, find_requirements, read_requirements


def test_the_file_says_what_holds_where_nothing_is_asked_for() -> None:
    preset = read_requirements(find_requirements("gait_transition"))
    assert list(preset.requirements) == list(BUILT_IN)
    assert preset.chosen_requirements() == GAIT_TRANSITION.chosen_requirements()
    assert preset.chosen_objectives() == GAIT_TRANSITION.chosen_objectives()
    assert preset.deepest_start == GAIT_TRANSITION.deepest_start


@pytest.mark.parametrize("name", ["gait_transition", "curb", "walk"])
def test_every_preset_can_be_read_and_made(hyq: RobotModel, name: str) -> None:
    preset = read_requirements(find_requirements(name))
    assert {"roll", "pitch", "base_height"} <= preset.requirements.keys()
    assert preset.objective_conditions(hyq).keys() == preset.objectives.keys() != set()


def test_the_curb_is_not_to_be_touched_from_the_side() -> None:
    preset = read_requirements(find_requirements("curb"))
    assert {"stub", "non_foot_contact", "self_collision"} <= preset.requirements.keys()
    assert "feet_beyond" in preset.objectives


def test_an_unknown_preset_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'walk'"):
        find_requirements("walks")


def test_a_file_with_a_wrong_number_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("requirements: {roll: {largest: -1.0}}\n")
    with pytest.raises(ConfigurationError, match=r"mine\.yaml.*roll: largest: Input should be greater than 0"):
        read_requirements(path)
