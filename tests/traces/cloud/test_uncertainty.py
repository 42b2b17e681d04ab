# SPDX-License-Identifier: Apache-2.0
import json
import re

import pytest
from pydantic import ValidationError

from surefoot.errors import ConfigurationError
from surefoot.robot.locate import shared_directory
from surefoot.settings import check_settings
from surefoot.traces.cloud.catalogue import PERSISTENT, TRANSIENT, Law
from surefoot.traces.cloud.ranges import Spread
from surefoot.traces.cloud.uncertainty import NO_UNCERTAINTY, Uncertainty, read_uncertainty

DIRECTORY = shared_directory() / "config" / "uncertainty"
FACTORS = [
    (group, parameter.name) for group, table in (("persistent", PERSISTENT), ("transient", TRANSIENT)) for parameter in table
    if parameter.law is Law.FACTOR
]  # fmt: skip


@pytest.mark.parametrize("path", sorted(DIRECTORY.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_file_can_be_read(path) -> None:
    assert read_uncertainty(path).truncation > 0.0


def test_wide_is_wider_than_the_default(uncertainty: Uncertainty) -> None:
    wide = read_uncertainty(DIRECTORY / "wide.yaml")
    for group in ("persistent", "transient"):
        for key, value in getattr(uncertainty, group):
            if isinstance(value, Spread) and key != "push_time":
                assert getattr(getattr(wide, group), key).reach(wide.truncation) > value.reach(uncertainty.truncation) * 0.99, key


def test_scaling_multiplies_every_spread_and_leaves_the_truncation(uncertainty: Uncertainty) -> None:
    twice, none = uncertainty.scaled(2.0), uncertainty.scaled(0.0)
    assert twice.truncation == none.truncation == uncertainty.truncation
    assert twice.sampling == uncertainty.sampling
    for group in ("persistent", "transient"):
        for key, value in getattr(uncertainty, group):
            if isinstance(value, Spread):
                assert getattr(getattr(twice, group), key).width == 2.0 * value.width
                assert getattr(getattr(none, group), key).width == 0.0
    assert none.persistent.contact_model == uncertainty.persistent.contact_model.scaled(0.0)
    for key in ("initial_state", "ground", "joint_sensors", "foot_sensors"):
        assert getattr(twice, key) == 2.0 * getattr(uncertainty, key)
        assert getattr(none, key) == 0.0


def test_no_uncertainty_is_none(uncertainty: Uncertainty) -> None:
    values = [value for group in (NO_UNCERTAINTY.persistent, NO_UNCERTAINTY.transient) for _, value in group]
    assert all(value.width == 0.0 for value in values if isinstance(value, Spread))
    assert NO_UNCERTAINTY.persistent.contact_model.choices == uncertainty.scaled(0.0).persistent.contact_model.choices


def test_what_was_written_down_is_read_again(uncertainty: Uncertainty) -> None:
    assert Uncertainty.model_validate(json.loads(json.dumps(uncertainty.model_dump()))) == uncertainty


@pytest.mark.parametrize(("group", "key"), FACTORS)
def test_a_spread_that_draws_impossible_robots_is_refused(uncertainty: Uncertainty, group: str, key: str) -> None:
    values = uncertainty.model_dump() | {"truncation": 4.0}
    values[group][key] = {"sigma": 0.25, "origin": "test"}
    with pytest.raises(ValidationError, match=rf"{group}.{key}: 0.25 with a truncation of 4 draws factors of 0 or.*keep it under 0.25"):
        Uncertainty.model_validate(values)
    values[group][key] = {"sigma": 0.249, "origin": "test"}
    Uncertainty.model_validate(values)
    values[group][key] = {"distribution": "uniform", "half_width": 1.0, "origin": "test"}
    with pytest.raises(ValidationError, match=rf"{group}.{key}: 1 draws factors of 0 or less.*keep it under 1"):
        Uncertainty.model_validate(values)
    # Its own truncation counts, where it has one.
    values[group][key] = {"sigma": 0.3, "truncation": 3.0, "origin": "test"}
    Uncertainty.model_validate(values)


def test_a_spread_beyond_its_limit_is_refused_with_the_limit_and_its_unit(uncertainty: Uncertainty) -> None:
    values = uncertainty.model_dump()
    values["persistent"]["slope"] = {"sigma": 0.2, "origin": "test"}
    expected = "persistent.slope: 0.2 with a truncation of 3 draws up to 0.6 rad, and at most 0.4 is allowed; keep it at most 0.13 rad"
    with pytest.raises(ConfigurationError, match=re.escape(expected)):
        check_settings(Uncertainty, values, "here")


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf")])
def test_a_spread_out_of_range_is_refused_by_name(uncertainty: Uncertainty, value: float) -> None:
    values = uncertainty.model_dump()
    values["persistent"]["base_mass"]["sigma"] = value
    with pytest.raises(ConfigurationError, match=r"here: persistent.base_mass.sigma: .*not"):
        check_settings(Uncertainty, values, "here")


def test_a_missing_and_an_unknown_key_are_named(uncertainty: Uncertainty) -> None:
    values = uncertainty.model_dump()
    values["persistent"]["base_mas"] = values["persistent"].pop("base_mass")
    with pytest.raises(ConfigurationError, match=r"persistent.base_mass: missing; persistent.base_mas: unknown key"):
        check_settings(Uncertainty, values, "here")


@pytest.mark.parametrize("name", ["default", "links"])
def test_a_cloud_of_twice_the_spread_can_be_drawn_as_well(name: str) -> None:
    assert read_uncertainty(DIRECTORY / f"{name}.yaml").scaled(2.0).persistent.base_mass.width > 0.0
