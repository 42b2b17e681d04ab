# SPDX-License-Identifier: Apache-2.0
"""What is to be reached at the end."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.robot.model import RobotModel
from surefoot.traces.requirements.feet_beyond import FeetBeyond, make_feet_beyond
from surefoot.traces.requirements.finished import FinishedTraces
from surefoot.traces.requirements.keeps_its_speed import KeepsItsSpeed, make_keeps_its_speed, speed_witness
from surefoot.traces.requirements.plugins import holds
from surefoot.traces.requirements.upright import Upright, make_upright


@pytest.fixture
def traces(hyq: RobotModel) -> FinishedTraces:
    """Three robots that stand, for 2 s."""
    pose = np.zeros((3, 19))
    pose[:, 2], pose[:, 3], pose[:, 7:] = hyq.description.stand_height, 1.0, hyq.stand_joint_position
    path = np.repeat(pose[:, np.newaxis, :7], 21, axis=1).astype(np.float32)
    return FinishedTraces(hyq, path, np.zeros((3, 21)), pose, np.zeros((3, 18)), 4, 0.1, np.zeros(3))


def test_it_goes_where_it_is_told_to(traces: FinishedTraces) -> None:
    velocity = np.array([[0.5, 0.0], [0.31, 0.0], [0.29, 0.0], [0.5, 0.19], [-0.5, 0.0], [np.nan, 0.0]])
    told = replace(traces, command=np.array((0.5, 0.0, 0.3)))
    assert holds(speed_witness(velocity, told, KeepsItsSpeed())).tolist() == [True, True, False, True, False, False]
    # Without a command to speak of, 0.1 m/s of drift is allowed.
    drift = np.array([[0.095, 0.0], [0.0, -0.105]])
    assert holds(speed_witness(drift, traces, KeepsItsSpeed())).tolist() == [True, False]
    assert speed_witness(drift, traces, KeepsItsSpeed(largest_error=0.2)) == pytest.approx([0.105, 0.095])


def test_only_the_second_half_of_the_new_gait_counts_in_the_heading_then(traces: FinishedTraces) -> None:
    path = traces.path.copy()
    # From tick 12 on, sideways by odom, forwards by a robot that looks to the left; before, anywhere.
    path[:, :12, 0] = np.linspace(0.0, 5.0, 12)
    path[0, 12:, 1] = 0.05 * np.arange(9)
    path[:, :, 3], path[:, :, 6] = np.cos(np.pi / 4), np.sin(np.pi / 4)
    condition = make_keeps_its_speed(traces.model, KeepsItsSpeed())
    assert holds(condition(replace(traces, path=path, command=np.array((0.5, 0.0, 0.0))))).tolist() == [True, False, False]


def test_upright(traces: FinishedTraces) -> None:
    qpos = traces.qpos.copy()
    for i, lean in enumerate(((0.3, 0.3, 2.0), (0.0, -0.6, 1.0), (np.pi, 0.0, 0.0))):
        qpos[i, 3:7] = Rotation.from_euler("xyz", lean).as_quat()[[3, 0, 1, 2]]
    witness = make_upright(traces.model, Upright())(replace(traces, qpos=qpos))
    assert holds(witness).tolist() == [True, False, False]
    assert witness[1:] == pytest.approx([-0.1, 0.5 - np.pi])


def test_all_feet_are_on_the_other_side(traces: FinishedTraces) -> None:
    hind = traces.model.feet_in_base(traces.model.stand_joint_position)[:, 0].min()
    qpos = traces.qpos.copy()
    qpos[:, 0] = np.array((0.9, 1.01, 0.99)) - hind
    # The third has turned around, so its front feet are the last ones.
    qpos[2, 3:7] = 0.0, 0.0, 0.0, 1.0
    front = traces.model.feet_in_base(traces.model.stand_joint_position)[:, 0].max()
    witness = make_feet_beyond(traces.model, FeetBeyond(x=1.0))(replace(traces, qpos=qpos))
    assert witness == pytest.approx([-0.1, 0.01, -0.01 - hind - front])


def test_what_it_is_told_counts_in_its_heading_wherever_its_base_looks(traces: FinishedTraces) -> None:
    path, twist = traces.path.copy(), traces.twist.copy()
    # All go along x of odom, while their bases look to its left; the first two mean to.
    path[:, :, 0] = 0.05 * np.arange(21)
    path[:, :, 3], path[:, :, 6] = np.cos(0.5), np.sin(0.5)
    twist[:2] = 1.0
    condition = make_keeps_its_speed(traces.model, KeepsItsSpeed())
    told = replace(traces, path=path, twist=twist, command=np.array((0.5, 0.0, 0.0)))
    assert holds(condition(told)).tolist() == [True, True, False]
