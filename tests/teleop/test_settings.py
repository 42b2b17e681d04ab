# SPDX-License-Identifier: Apache-2.0
from typing import Any

import pytest

from surefoot.errors import ConfigurationError
from surefoot.robot.model import RobotModel
from surefoot.settings import check_settings
from surefoot.teleop.settings import OperatorSettings


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"pad_fades_after": 0.6}, "must be shorter than pad_timeout"),
        ({"pad_lost_after": 0.4}, "must not be longer than pad_lost_after"),
        ({"grounds": ["ice", "ice"]}, "a name twice"),
        ({"driving": {"mode": "tank"}}, "driving.mode"),
        ({"driving": {"max_forward_speed": -1}, "pad_timeot": 1}, r"driving.max_forward_speed.*pad_timeot: unknown key"),
    ],
)
def test_settings_that_cannot_be(values: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        check_settings(OperatorSettings, values, "teleop")


def test_a_robot_may_have_full_speeds_of_its_own(hyq: RobotModel, links: RobotModel) -> None:
    settings = OperatorSettings()
    assert settings.for_robot(hyq.description) == settings
    small = settings.for_robot(links.description)
    driving = small.driving
    assert (driving.max_forward_speed, driving.max_strafe_speed, driving.max_turn_rate) == links.description.full_stick
    assert small.gaits == settings.gaits
