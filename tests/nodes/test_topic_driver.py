# SPDX-License-Identifier: Apache-2.0
"""What carries the topics of somebody else."""

from typing import Any
from unittest.mock import MagicMock

from surefoot.nodes.tick_clock import TickClock
from surefoot.nodes.topic_driver import TopicDriver
from surefoot.robot.model import RobotModel


def test_silence_is_told_often_enough_to_grow_old_in_time(hyq: RobotModel) -> None:
    given, now = list[Any](), [10.0]
    node = MagicMock(model=hyq, slow_motion=1.0, wall=lambda: now[0])
    driver = TopicDriver(node, "hyq_gazebo", given.append)
    (every, watch), _ = node.create_timer.call_args
    period = 1.0 / hyq.description.control.rate
    clock = TickClock(2.0 * period)  # that of the bridge
    clock.look(100.0, now[0])
    while now[0] < 10.06:
        now[0] += every
        watch()
        if given:
            age = clock.look(None, now[0]) - 100.0
    assert set(given) == {None}
    # By the clock of the bridge the silence is as old as it is, but for the first two looks.
    assert age > now[0] - 10.0 - 3.0 * every
    assert driver.health().problem.startswith("nothing on /joint_states for 0.0")
