# SPDX-License-Identifier: Apache-2.0
"""Gaits there and back."""

import pytest

from surefoot.errors import ConfigurationError, SensorError
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.parameters import Gait
from surefoot.nodes.conversions.gait import gait_of, message_of_gait
from surefoot.robot.model import RobotModel


def trot(model: RobotModel) -> Gait:
    return gaits_of(model)["trot"]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 3, 1, 0)], ids=["as_sent", "shuffled"])
def test_a_gait_comes_back_by_foot_name(hyq: RobotModel, order: tuple[int, ...]) -> None:
    sent = trot(hyq)
    message = message_of_gait(sent, hyq.description)
    for name in ("foot_names", "liftoff", "duty_factor"):
        setattr(message, name, [getattr(message, name)[place] for place in order])
    assert gait_of(message, hyq.description) == sent


def test_a_gait_of_other_feet_or_out_of_range_is_refused(hyq: RobotModel) -> None:
    message = message_of_gait(trot(hyq), hyq.description)
    message.duty_factor[0] = 1.5
    with pytest.raises(ConfigurationError, match="duty_factor"):
        gait_of(message, hyq.description)
    message = message_of_gait(trot(hyq), hyq.description)
    message.foot_names[0] = "tail"
    with pytest.raises(SensorError, match="foot names are tail"):
        gait_of(message, hyq.description)


def test_a_gait_without_an_entry_for_each_foot_is_refused(hyq: RobotModel) -> None:
    message = message_of_gait(trot(hyq), hyq.description)
    message.liftoff = [0.0, 0.5]
    with pytest.raises(SensorError, match="gait 'trot' has 2 liftoff"):
        gait_of(message, hyq.description)
