# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest
import yaml

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.gait.library import GaitLibrary, read_gaits

# Name: forward speed, step height, base height, stance length and width, period, liftoff, duty factor, as published.
PUBLISHED = {
    "curb_walk": (0.20, 0.03, 0.144, 0.126, 0.20, 0.3, (25, 75, 0, 50), 75),
    "table_2_walk": (0.10, 0.03, 0.12, 0.126, 0.12, 0.3, (25, 75, 0, 50), 75),
    "trot": (0.50, 0.03, 0.12, 0.126, 0.12, 0.3, (25, 75, 75, 25), 60),
    "wide_walk": (0.20, 0.03, 0.144, 0.126, 0.20, 0.6, (25, 75, 0, 50), 75),
    "low_pace": (0.50, 0.01, 0.12, 0.21, 0.11, 0.3, (25, 75, 25, 75), 60),
    "long_pace": (0.30, 0.02, 0.15, 0.30, 0.20, 0.3, (25, 75, 25, 75), 60),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_gaits_are_there_with_their_numbers(links_gaits: GaitLibrary, name: str) -> None:
    gait = links_gaits[name]
    speed, step, height, length, width, period, liftoff, duty = PUBLISHED[name]
    assert (gait.max_forward_speed, gait.step_height, gait.base_height) == (speed, step, height)
    assert (gait.stance_length, gait.stance_width, gait.period) == (length, width, period)
    assert [100 * phase for phase in gait.liftoff.values()] == list(liftoff)
    assert set(gait.duty_factor.values()) == {duty / 100}
    assert (gait.base_roll, gait.base_pitch) == (0.0, 0.0)


def test_the_transition_gaits_have_their_other_speeds_too(links_gaits: GaitLibrary) -> None:
    walk, trot = links_gaits["table_2_walk"], links_gaits["trot"]
    assert (walk.max_strafe_speed, walk.max_turn_rate) == (0.05, 0.5)
    assert (trot.max_strafe_speed, trot.max_turn_rate) == (0.10, 1.0)


def test_the_waypoint_trot_touches_down_when_it_should(links_gaits: GaitLibrary) -> None:
    gait = links_gaits["waypoint_trot"]
    assert list(gait.touchdown.values()) == [0.25, 0.75, 0.75, 0.25]
    assert (gait.period, gait.step_height, gait.max_forward_speed) == (0.3, 0.015, 0.2)


@pytest.mark.parametrize("gaits", ["hyq_gaits", "links_gaits"])
def test_each_gait_survives_a_round_trip_through_a_file(gaits: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    library: GaitLibrary = request.getfixturevalue(gaits)
    document = {"gaits": {name: library[name].model_dump(mode="json", exclude={"name"}) for name in library.names}}
    path = tmp_path / "again.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    again = read_gaits(path)
    assert again.names == library.names
    assert all(again[name] == library[name] for name in library.names)


def test_an_unknown_gait_is_answered_with_the_known_ones(links_gaits: GaitLibrary) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown gait 'trott'; did you mean 'trot'\?.*walk"):
        links_gaits["trott"]


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "gaits.yaml"
    path.write_text(text)
    return path


def test_a_bad_key_is_named_with_its_gait_and_file(tmp_path: Path, links_gaits: GaitLibrary) -> None:
    stand = links_gaits["stand"].model_dump(mode="json", exclude={"name", "period"}) | {"perod": 1.0}
    path = write(tmp_path, yaml.safe_dump({"gaits": {"stand": stand}}))
    with pytest.raises(ConfigurationError, match=r"gaits\.yaml, gait 'stand': .*period: missing; perod: unknown key"):
        read_gaits(path)


@pytest.mark.parametrize("text", ["[]", "gaits: []", "gaits: {}\ngait: {}", "common: {}"])
def test_a_file_of_another_shape_says_what_it_needs(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"needs the keys? 'gaits'"):
        read_gaits(write(tmp_path, text))


def test_a_set_without_stand_is_refused(tmp_path: Path, links_gaits: GaitLibrary) -> None:
    walk = links_gaits["walk"].model_dump(mode="json", exclude={"name"})
    for name in ("walk", "stand"):
        with pytest.raises(ConfigurationError, match="needs a gait 'stand' with duty factor 1"):
            read_gaits(write(tmp_path, yaml.safe_dump({"gaits": {name: walk}})))
