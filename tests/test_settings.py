# SPDX-License-Identifier: Apache-2.0
"""Values on the command line in place of those in a file."""

import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.closed_loop import planner_settings
from surefoot.gait.settings import PlannerSettings
from surefoot.robot.locate import shared_directory
from surefoot.settings import key_values, read_yaml


def test_values_are_understood_as_in_yaml() -> None:
    assert key_values(["slope_limit=0", "posture_limit=[0.1, 0.2, 0.2, 0.2]", "name=a=b"]) == {
        "slope_limit": 0, "posture_limit": [0.1, 0.2, 0.2, 0.2], "name": "a=b",
    }  # fmt: skip


@pytest.mark.parametrize(("word", "says"), [("slope_limit", "not KEY=VALUE"), ("=1", "not KEY=VALUE"), ("a=[1", "not YAML")])
def test_what_is_no_value_is_named(word: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says) as caught:
        key_values([word])
    assert word in str(caught.value)


def test_other_values_of_the_planner_are_checked_as_those_of_the_file() -> None:
    assert planner_settings({"slope_limit": 0}).slope_limit == 0.0
    assert planner_settings({"slope_limit": 0}).reach_lag == planner_settings().reach_lag
    with pytest.raises(ConfigurationError, match=r"slope_limit.*2") as caught:
        planner_settings({"slope_limit": 2.0, "slop_limit": 0.1})
    assert "slop_limit: unknown key" in str(caught.value)


def test_the_file_of_the_planner_says_every_value_that_is_in_force() -> None:
    named = read_yaml(shared_directory() / "config" / "gait_planner.yaml")
    assert set(named) == set(PlannerSettings.model_fields)
    assert planner_settings() == PlannerSettings()
