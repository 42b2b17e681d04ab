# SPDX-License-Identifier: Apache-2.0
"""Waypoints in, velocities out, for a robot that is only told of."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Path
from surefoot_msgs.msg import MotionPlan, RobotState

from surefoot.nodes import quality
from surefoot.nodes.conversions.state import message_of_state
from surefoot.nodes.faults.tape import path_through
from surefoot.robot.model import RobotModel

pytestmark = pytest.mark.timeout(240)


def test_it_walks_once_along_a_path_and_refuses_what_is_none(
    graph: Any, ear: Any, hyq: RobotModel, wait_until: Callable[..., Any]
) -> None:
    node = graph.node("path_follower", near=0.2)
    commands = ear.hear(TwistStamped, "/cmd_vel")
    health = ear.hear(DiagnosticArray, "/diagnostics")
    plans = ear.speak(MotionPlan, "/motion_plan", quality.command(False))
    states, paths = ear.speak(RobotState, "/robot_state", quality.command(False)), ear.speak(Path, "/path", quality.EVENT)
    neutral, ticks = hyq.neutral(), [0]

    def tell(x: float, y: float) -> bool:
        ticks[0] += 1
        state = replace(neutral, time=0.004 * ticks[0], base_position=np.array((x, y, 0.6)))
        states.publish(message_of_state(state, hyq.description, np.zeros((4, 3)), np.zeros((4, 3))))
        return True

    def commanded(x: float, y: float) -> TwistStamped:
        """The command at a place, once the node has heard of it."""
        heard = len(commands)
        wait_until(lambda: tell(x, y) and len(commands) > heard + 1, lambda: node.output)
        return commands[-1]

    wait_until(lambda: health)
    elsewhere, broken = path_through((1.0, 0.0), frame="map"), path_through((math.nan, 0.0))
    for bad, words in ((elsewhere, "a path in the frame 'map'"), (broken, "lead nowhere")):
        paths.publish(bad)
        node.says(words)
    assert commands == []
    paths.publish(path_through((1.0, 0.0), (1.0, 1.0)))
    node.says("a path of 2 waypoints")
    ahead = commanded(0.0, 0.0)
    assert (ahead.header.frame_id, ahead.twist.linear.x, ahead.twist.angular.z) == ("base_link", 0.3, 0.0)
    # A base that looks 0.1 rad to the left of where it goes has to turn by that.
    for twist, turn in ((0.1, 0.2), (0.0, 0.0)):
        plan = MotionPlan(base_twist=twist)
        wait_until(lambda plan=plan, turn=turn: (plans.publish(plan), tell(0.0, 0.0), abs(commands[-1].twist.angular.z - turn) < 1e-9)[-1])
    assert commanded(1.0, 0.1).twist.angular.z == pytest.approx(0.4)
    wait_until(lambda: tell(1.0, 0.9) and "the path is walked" in node.output)
    # What is logged may be heard before what was published.
    wait_until(lambda: commands[-1].twist.linear.x == commands[-1].twist.angular.z == 0.0, lambda: str(commands[-1]))
    paths.publish(path_through())
    node.says("an empty path")
