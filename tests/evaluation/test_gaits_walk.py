# SPDX-License-Identifier: Apache-2.0
"""Every gait of the two robots of the house walks with noise, delay and the estimator, at the speed that is written here for it.

The published gaits of links were written for another robot: where they do not walk here at their own speed, what does is here, and what
was seen at their own speed is in docs/gaits.md.
"""

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.gait.library import STAND
from surefoot.gait.of_robot import gaits_of
from surefoot.robot.load import load_robot
from surefoot.rotation import roll_pitch_yaw

HYQ = {
    "walk": 0.3, "trot": 0.3, "pace": 0.3, "walking_trot": 0.5, "amble": 0.7, "running_trot": 1.0, "bound": 0.8, "gallop": 0.8,
    "pronk": 0.4,
}  # fmt: skip
LINKS = {
    "walk": 0.1, "slow_walk": 0.1, "pace": 0.1, "trot": 0.2, "walking_trot": 0.2, "waypoint_trot": 0.2, "table_2_walk": 0.05,
    "curb_walk": 0.1, "wide_walk": 0.1, "low_pace": 0.1,
}  # fmt: skip
OUT_OF_REACH = {"long_pace"}
"""Of links; solo12 walks it."""

TOLERANCE = 0.15


def test_no_gait_goes_untested() -> None:
    for robot, speeds in (("hyq", HYQ), ("links", LINKS)):
        names = set(gaits_of(load_robot(robot)).names)
        assert names - {STAND} - OUT_OF_REACH == set(speeds)


@pytest.mark.parametrize(("robot", "gait"), [("hyq", gait) for gait in HYQ] + [("links", gait) for gait in LINKS])
def test_it_walks_at_its_speed(robot: str, gait: str) -> None:
    speed = (HYQ if robot == "hyq" else LINKS)[gait]
    assert speed_walked(robot, gait, speed) == pytest.approx(speed, rel=TOLERANCE)


def test_the_gait_of_the_large_reconfigurable_robot_walks_on_solo12() -> None:
    try:
        load_robot("solo12")
    except ConfigurationError as error:
        if "optional robot data" not in str(error):
            raise
        pytest.skip(str(error))
    assert speed_walked("solo12", "long_pace", 0.3) == pytest.approx(0.3, rel=TOLERANCE)


@pytest.mark.parametrize(("axis", "speed"), [(1, 0.15), (2, 0.3)], ids=["aside", "round"])
def test_it_goes_aside_and_turns_as_fast_as_it_is_told(axis: int, speed: float) -> None:
    command = tuple(speed if i == axis else 0.0 for i in range(3))
    loop = ClosedLoop(load_robot("hyq"), seed=1)
    loop.run(0.4)
    loop.change_gait("trot")
    loop.run(1.6, command)
    begin = len(loop.course.truth)
    loop.run(4.0 * loop.gaits["trot"].period, command)
    truth = loop.course.truth[begin:]
    heading = np.unwrap([roll_pitch_yaw(sample.base_quaternion)[2] for sample in truth])
    velocity = np.array([sample.base_linear_velocity for sample in truth])
    forward = (np.cos(heading) * velocity[:, 0] + np.sin(heading) * velocity[:, 1]).mean()
    left = (np.cos(heading) * velocity[:, 1] - np.sin(heading) * velocity[:, 0]).mean()
    turn = (heading[-1] - heading[0]) / (truth[-1].time - truth[0].time)
    assert (forward, left, turn) == pytest.approx(command, abs=0.05 * speed)


def speed_walked(robot: str, gait: str, speed: float) -> float:
    """Mean forward speed of a robot that is told to walk at one, m/s; it must not fall."""
    loop = ClosedLoop(load_robot(robot), seed=1)
    loop.run(0.4)
    loop.change_gait(gait)
    # The planner takes 2 s to 1 m/s; a few steps more, and the gait is what it is going to be.
    loop.run(0.6 + 2.0 * speed, (speed, 0.0, 0.0))
    begin = len(loop.course.truth)
    loop.run(max(0.9, loop.gaits[gait].period), (speed, 0.0, 0.0))
    assert not loop.fallen
    truth = loop.course.truth[begin:]
    heading = [roll_pitch_yaw(sample.base_quaternion)[2] for sample in truth]
    velocity = np.array([sample.base_linear_velocity for sample in truth])
    forward = np.cos(heading) * velocity[:, 0] + np.sin(heading) * velocity[:, 1]
    return float(forward.mean())
