# SPDX-License-Identifier: Apache-2.0
"""A base that looks elsewhere than where it goes, with noise, delay and the estimator in the loop."""

import math

import numpy as np
import pytest

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.gait.parameters import Gait
from surefoot.locomotion.policy import ScheduledChange
from surefoot.robot.load import load_robot
from surefoot.rotation import roll_pitch_yaw

SPEED, YAW, BLEND = 0.3, 0.3, 0.5
COMMAND = (SPEED, 0.0, 0.0)


def travelled(loop: ClosedLoop, seconds: float) -> tuple[float, float, float]:
    """Goes on for a time, s: mean speed, m/s, direction of travel and mean yaw of the base in the world, rad; it must not fall."""
    begin = len(loop.course.truth)
    loop.run(seconds, COMMAND)
    assert not loop.fallen
    truth = loop.course.truth[begin:]
    way = truth[-1].base_position[:2] - truth[0].base_position[:2]
    yaw = np.unwrap([roll_pitch_yaw(sample.base_quaternion)[2] for sample in truth])
    return float(np.hypot(*way) / (truth[-1].time - truth[0].time)), math.atan2(way[1], way[0]), float(yaw.mean())


def change(loop: ClosedLoop, gait: Gait) -> None:
    """Has another gait blended in."""
    loop.planning.schedule(ScheduledChange(gait, loop.robot.truth().time, loop.planning.phase, BLEND))


def test_a_trot_goes_straight_while_its_base_looks_aside_and_comes_there_and_back_while_it_walks() -> None:
    loop = ClosedLoop(load_robot("hyq"), seed=1)
    loop.run(0.4)
    loop.change_gait("trot")
    travelled(loop, 1.2)
    change(loop, loop.gaits["trot"].model_copy(update={"name": "aside", "base_yaw": YAW}))
    travelled(loop, 2.0)
    speed, direction, yaw = travelled(loop, 2.0)
    assert speed == pytest.approx(SPEED, rel=0.1)
    assert direction == pytest.approx(0.0, abs=0.06)
    assert yaw - direction == pytest.approx(YAW, abs=0.06)
    change(loop, loop.gaits["trot"])
    travelled(loop, 2.0)
    speed, direction, yaw = travelled(loop, 1.0)
    assert speed == pytest.approx(SPEED, rel=0.1)
    assert yaw - direction == pytest.approx(0.0, abs=0.06)
