# SPDX-License-Identifier: Apache-2.0
import pytest
from pydantic import ValidationError

from surefoot.robot.locate import shared_directory
from surefoot.settings import check_settings
from surefoot.traces.cloud import parameter_count
from surefoot.traces.uncertainty import Uncertainty, read_uncertainty

DIRECTORY = shared_directory() / "config" / "uncertainty"


@pytest.mark.parametrize("path", sorted(DIRECTORY.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_file_can_be_read(path) -> None:
    assert read_uncertainty(path).truncation > 0.0


def test_scaling_multiplies_every_spread_and_leaves_the_truncation(uncertainty: Uncertainty) -> None:
    twice, none = uncertainty.scaled(2.0), uncertainty.scaled(0.0)
    assert twice.truncation == none.truncation == uncertainty.truncation
    for group in ("persistent", "transient"):
        for key, value in getattr(uncertainty, group):
            assert getattr(getattr(twice, group), key) == 2.0 * value
            assert getattr(getattr(none, group), key) == 0.0
    for key in ("initial_state", "ground", "joint_sensors"):
        assert getattr(twice, key) == 2.0 * getattr(uncertainty, key)
        assert getattr(none, key) == 0.0


@pytest.mark.parametrize(
    ("group", "key"),
    [
        ("persistent", "base_mass"), ("persistent", "link_mass"), ("persistent", "link_length"), ("persistent", "servo_stiffness"),
        ("persistent", "servo_damping"), ("persistent", "effort"), ("transient", "effort"),
    ],
)  # fmt: skip
def test_a_spread_that_draws_impossible_robots_is_refused(uncertainty: Uncertainty, group: str, key: str) -> None:
    values = uncertainty.model_dump() | {"truncation": 4.0}
    values[group] = values[group] | {key: 0.25}
    with pytest.raises(ValidationError, match=rf"{group}.{key}: 0.25 with a truncation of 4 .* keep it under 0.25"):
        Uncertainty.model_validate(values)
    values[group][key] = 0.249
    Uncertainty.model_validate(values)


@pytest.mark.parametrize("value", [-0.1, 0.31, float("nan"), float("inf")])
def test_a_relative_spread_out_of_range_is_refused_by_name(uncertainty: Uncertainty, value: float) -> None:
    values = uncertainty.model_dump()
    values["persistent"]["base_mass"] = value
    with pytest.raises(Exception, match=r"here: persistent.base_mass: .*not"):
        check_settings(Uncertainty, values, "here")


def test_parameters_are_counted() -> None:
    assert parameter_count() == (110, 45)
