# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.gait.library import GaitLibrary
from surefoot.gait.parameters import Gait, gait_record
from surefoot.settings import check_settings


@pytest.fixture
def values(links_gaits: GaitLibrary) -> dict[str, Any]:
    return links_gaits["trot"].model_dump()


def refusal(values: dict[str, Any]) -> str:
    with pytest.raises(ConfigurationError) as error:
        check_settings(Gait, values, "here")
    return str(error.value)


def test_unknown_and_missing_keys_are_named_together(values: dict[str, Any]) -> None:
    del values["period"], values["step_height"]
    message = refusal(values | {"stepheight": 0.03})
    assert "period: missing" in message
    assert "step_height: missing" in message
    assert "stepheight: unknown key" in message


@pytest.mark.parametrize("duty", [0.0, -0.1, 1.1, float("nan")])
def test_a_duty_factor_outside_of_its_range_is_refused(values: dict[str, Any], duty: float) -> None:  # case 166
    values["duty_factor"] = values["duty_factor"] | {"LF": duty}
    assert "duty_factor.LF" in refusal(values)


def test_duty_factor_one_is_a_foot_that_stays(values: dict[str, Any]) -> None:  # case 166
    values["duty_factor"] = dict.fromkeys(values["duty_factor"], 1.0)
    assert not check_settings(Gait, values, "here").moves


def test_a_slow_frequency_is_valid_and_a_too_slow_one_names_the_range(values: dict[str, Any]) -> None:  # case 172
    assert check_settings(Gait, values | {"period": 1.0 / 0.4}, "here").period == 2.5
    assert "period: Input should be less than or equal to 5, not 10.0" in refusal(values | {"period": 1.0 / 0.1})


def test_a_leg_that_is_missing_or_unknown_is_named(values: dict[str, Any]) -> None:
    liftoff = dict(values["liftoff"])
    liftoff["FL"] = liftoff.pop("LF")
    message = refusal(values | {"liftoff": liftoff})
    assert "liftoff: needs exactly LF, RF, LH, RH" in message
    assert "FL" in message


def test_one_liftoff_alone_makes_another_gait(values: dict[str, Any]) -> None:
    values["liftoff"] = values["liftoff"] | {"LF": 0.4}
    gait = check_settings(Gait, values, "here")
    assert gait.touchdown["LF"] == pytest.approx(0.8)
    assert gait.touchdown["RF"] == pytest.approx(0.15)


def test_the_record_says_the_same_in_the_order_of_the_legs(links_gaits: GaitLibrary) -> None:
    gait = links_gaits["table_2_walk"]
    record = gait_record(gait)[0]
    assert record["liftoff"].tolist() == [0.25, 0.75, 0.0, 0.5]
    assert record["duty_factor"].tolist() == [0.75] * 4
    assert record["max_speed"].tolist() == [0.1, 0.05, 0.5]
    assert (record["period"], record["step_height"], record["base_height"], record["moves"]) == (0.3, 0.03, 0.12, 1)


def test_stance_length_and_width_set_the_feet_at_rest(links_gaits: GaitLibrary) -> None:
    for name in links_gaits.names:
        gait = links_gaits[name]
        feet = gait_record(gait)["neutral_foot"][0]
        half = np.array([0.5 * gait.stance_length, 0.5 * gait.stance_width])
        assert feet == pytest.approx(np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) * half, abs=1e-15)
    moved = links_gaits["walk"].model_copy(update={"stance_offset": (0.01, -0.02)})
    assert gait_record(moved)["neutral_foot"][0].mean(axis=0) == pytest.approx([0.01, -0.02], abs=1e-15)


def test_a_gait_may_be_given_by_its_touchdowns(values: dict[str, Any]) -> None:
    del values["liftoff"]
    values["duty_factor"] = dict.fromkeys(values["duty_factor"], 0.6)
    gait = check_settings(Gait, values | {"touchdown": {"LF": 0.5, "RF": 0.0, "LH": 0.0, "RH": 0.5}}, "here")
    assert gait.liftoff == {"LF": 0.1, "RF": 0.6, "LH": 0.6, "RH": 0.1}
    again = check_settings(Gait, gait.model_dump() | {"touchdown": gait.touchdown}, "here")
    assert again == gait


def test_touchdown_and_liftoff_that_belong_to_different_gaits_are_refused(values: dict[str, Any]) -> None:
    touchdown = check_settings(Gait, values, "here").touchdown
    assert "liftoff.RF: must be (touchdown + duty factor) mod 1 = 0.85" in refusal(values | {"touchdown": touchdown | {"RF": 0.25}})


@pytest.mark.parametrize(
    "touchdown", [None, {"LF": 0.5}, {"LF": 1.5, "RF": 0.0, "LH": 0.0, "RH": 0.5}, dict.fromkeys(("LF", "RF", "LH", "RH"), "soon")]
)
def test_touchdowns_that_are_none_are_refused(values: dict[str, Any], touchdown: object) -> None:
    assert "touchdown: needs a part of the period for each of LF, RF, LH, RH" in refusal(values | {"touchdown": touchdown})
