# SPDX-License-Identifier: Apache-2.0
"""The estimator on ground that is not the level plane it believes in at first: feet that stand elsewhere say nothing about the height."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.terrain.world import GroundStrip, World


@pytest.mark.parametrize("strip", [
    GroundStrip(start=0.8, end=30.8, friction=0.7, rise=30.0 * math.tan(math.radians(8.0))),
    GroundStrip(start=0.7, end=30.0, friction=0.7, height=0.05),
])  # fmt: skip
def test_the_estimate_climbs_with_the_robot(hyq: RobotModel, strip: GroundStrip) -> None:
    loop = ClosedLoop(hyq, 1, World(strips=(strip,)), perfect_sensors=False)
    loop.run(1.0)
    loop.change_gait("trot")
    loop.run(5.0, (0.4, 0.0, 0.0))
    assert not loop.fallen
    truth, estimate = loop.course.truth, loop.course.estimate
    assert truth[-1].base_position[2] > truth[250].base_position[2] + 0.04
    # A twentieth of a climb of 0.15 m, and what the level ground leaves, over what was walked; the tilt as on the level.
    heights = [state.base_position[2] - true.base_position[2] for state, true in zip(estimate[250:], truth[250:], strict=True)]
    assert np.abs(heights).max() < 0.02
    tilts = [
        (Rotation.from_quat(state.base_quaternion) * Rotation.from_quat(true.base_quaternion).inv()).magnitude()
        for state, true in zip(estimate[250::10], truth[250::10], strict=True)
    ]
    assert max(tilts) < math.radians(1.0)
    assert all(state.valid for state in estimate[250:])
    # Against the ground under the feet the height stays known, whatever is believed of the ground far away.
    above = [
        height_above_feet(hyq, state, state) - height_above_feet(hyq, true, state)
        for state, true in zip(estimate[250::5], truth[250::5], strict=True)
        if (state.contact_probability > 0.9).sum() >= 2
    ]
    assert len(above) > 100
    assert np.abs(above).max() < 0.01


def height_above_feet(model: RobotModel, pose: RobotState, feet: RobotState) -> float:
    """Of the base above the mean of the feet that certainly are in contact, by its own attitude and joints, m."""
    down = Rotation.from_quat(pose.base_quaternion).apply(model.feet_in_base(pose.joint_position))[:, 2]
    return -float(down[feet.contact_probability > 0.9].mean())
