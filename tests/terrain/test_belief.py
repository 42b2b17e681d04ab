# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest
from pydantic import ValidationError

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.locate import shared_directory
from surefoot.terrain.belief import TerrainBelief, read_grounds

FILE = shared_directory() / "config" / "terrain" / "grounds.yaml"


def belief(**changes: float) -> TerrainBelief:
    values = {"friction_mean": 0.5, "friction_standard_deviation": 0.1, "friction_minimum": 0.2, "friction_maximum": 0.9}
    return TerrainBelief.model_validate({"name": "some", **values, **changes})


@pytest.mark.parametrize(("deviation", "cautious"), [(0.0, 0.5), (0.1, 0.4), (0.5, 0.2)])
def test_a_controller_relies_on_less_than_the_mean_but_not_on_the_impossible(deviation: float, cautious: float) -> None:
    assert belief(friction_standard_deviation=deviation).cautious_friction == pytest.approx(cautious)


@pytest.mark.parametrize(
    "change",
    [
        {"friction_mean": 0.1}, {"friction_mean": 1.0}, {"friction_minimum": 0.0}, {"friction_standard_deviation": -0.1},
        {"friction_standard_deviation": float("nan")}, {"friction_standard_deviation": float("inf")}, {"friction_mean": float("nan")},
        {"friction_maximum": float("inf")}, {"slope": 0.1},
    ],
    ids=str,
)  # fmt: skip
def test_a_belief_that_cannot_be_is_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        belief(**change)


def test_the_grounds_of_the_configuration() -> None:
    grounds = read_grounds(FILE)
    assert grounds.names == ("dry", "wet", "ice")
    assert grounds["dry"].friction_mean > grounds["wet"].friction_mean > grounds["ice"].friction_mean
    assert grounds["ice"].name == "ice"
    with pytest.raises(UnknownNameError, match=r"unknown ground 'snow'\. Known: dry, ice, wet"):
        grounds["snow"]


@pytest.mark.parametrize("text", ["", "[]", "{}", "dry: 0.7", "dry:"])
def test_a_file_without_grounds_says_what_it_needs(tmp_path: Path, text: str) -> None:
    path = tmp_path / "grounds.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"grounds\.yaml: needs one ground or more"):
        read_grounds(path)


def test_a_wrong_key_is_named_with_its_ground(tmp_path: Path) -> None:
    path = tmp_path / "grounds.yaml"
    path.write_text("mud: {friction_mean: 0.3, deviation: 0.1}")
    with pytest.raises(ConfigurationError, match="ground 'mud': friction_standard_deviation: missing; deviation: unknown key"):
        read_grounds(path)
