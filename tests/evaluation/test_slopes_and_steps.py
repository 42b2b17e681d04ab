# SPDX-License-Identifier: Apache-2.0
"""hyq walks where the ground is not level, by nothing but its feet."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.robot.model import RobotModel
from surefoot.terrain.world import GroundStrip, World

SLOPE = math.tan(math.radians(15.0))


@pytest.mark.parametrize(("gait", "speed", "up"), [("trot", 0.4, 1.0), ("walk", 0.3, -1.0)])
def test_up_and_down_a_slope_of_fifteen_degrees(hyq: RobotModel, gait: str, speed: float, up: float) -> None:
    ramp = GroundStrip(start=0.8, end=30.8, friction=0.7, rise=up * 30.0 * SLOPE)
    world = World(strips=(ramp,))
    loop = ClosedLoop(hyq, 1, world, perfect_sensors=True)
    loop.run(0.5)
    loop.change_gait(gait)
    loop.run(6.5, (speed, 0.0, 0.0))
    assert not loop.fallen
    assert loop.failures == 0
    end = loop.course.truth[-1]
    assert end.base_position[0] > 1.5
    assert end.base_position[1] == pytest.approx(0.0, abs=0.05)
    # The body is as high over the ground as on the level, and lies along it.
    assert end.base_position[2] - world.height_at(end.base_position[0]) == pytest.approx(0.6, abs=0.03)
    forward = Rotation.from_quat(end.base_quaternion).apply((1.0, 0.0, 0.0))
    assert math.degrees(math.asin(forward[2])) == pytest.approx(15.0 * up, abs=2.0)


def test_up_a_step_and_down_again(hyq: RobotModel) -> None:
    step = GroundStrip(start=0.7, end=1.5, friction=0.7, height=0.05)
    loop = ClosedLoop(hyq, 1, World(strips=(step,)), perfect_sensors=True)
    loop.run(0.5)
    loop.change_gait("trot")
    loop.run(7.5, (0.4, 0.0, 0.0))
    assert not loop.fallen
    heights = np.array([truth.base_position[2] for truth in loop.course.truth])
    assert loop.course.truth[-1].base_position[0] > 2.2
    assert heights.max() > 0.63
    assert heights[-1] == pytest.approx(0.6, abs=0.02)
