# SPDX-License-Identifier: Apache-2.0
"""PLAN records there and back."""

import numpy as np
import pytest
from surefoot_msgs.msg import MotionPlan

from surefoot.errors import SensorError
from surefoot.gait.records import PLAN
from surefoot.nodes.conversions.plan import PlanReader, inactive_plan, message_of_plan
from surefoot.robot.model import RobotModel


def plan() -> np.ndarray:
    generator = np.random.default_rng(2)
    result = np.zeros(1, PLAN)
    for name in PLAN.names or ():
        shape = result[name].shape
        result[name] = generator.integers(0, 2, shape) if result[name].dtype.kind == "i" else generator.uniform(-1.0, 1.0, shape)
    result["moving"] = 1
    return result


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)], ids=["as_sent", "shuffled"])
def test_comes_back_by_name(hyq: RobotModel, order: tuple[int, ...]) -> None:
    sent = plan()
    message = message_of_plan(1.5, sent[0], "walk", 0, hyq.description)
    for key in (name for name in message.get_fields_and_field_types() if name.startswith("foot_")):
        values = getattr(message, key)
        width = len(values) // 4
        setattr(message, key, [values[width * place + i] for place in order for i in range(width)])
    read = PlanReader(hyq.description).read(message)
    for name in PLAN.names or ():
        np.testing.assert_allclose(read[name], sent[name], rtol=1e-12, atol=1e-12, err_msg=name)


def test_says_what_it_is(hyq: RobotModel) -> None:
    sent = plan()
    message = message_of_plan(1.5, sent[0], "walk", 0, hyq.description)
    assert (message.activity, message.gait, message.fault, message.header.frame_id) == (MotionPlan.MOVING, "walk", "", "odom")
    sent["moving"] = 0
    message = message_of_plan(1.5, sent[0], "stand", 1, hyq.description)
    assert (message.activity, message.gait) == (MotionPlan.STANDING, "stand")
    assert message.fault
    assert inactive_plan(1.5).activity == MotionPlan.INACTIVE


def test_wrong_feet_are_refused(hyq: RobotModel) -> None:
    message = message_of_plan(1.5, plan()[0], "walk", 0, hyq.description)
    message.foot_names[2] = "tail"
    with pytest.raises(SensorError, match=r"foot names are .*tail"):
        PlanReader(hyq.description).read(message)
    with pytest.raises(SensorError, match="foot names are none"):
        PlanReader(hyq.description).read(inactive_plan(1.5))


def test_a_plan_that_asks_for_nothing_says_whether_the_robot_is_held() -> None:
    assert (inactive_plan(1.0).activity, inactive_plan(1.0, held=True).activity) == (MotionPlan.INACTIVE, MotionPlan.HELD)
