# SPDX-License-Identifier: Apache-2.0
"""Traces start on the slope that the planner walks on."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.gait.settings import PlannerSettings
from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import Grounds
from surefoot.terrain.world import GroundStrip, World
from surefoot.traces.cloud.uncertainty import NO_UNCERTAINTY
from surefoot.traces.outcome import SURVIVED
from surefoot.traces.snapshot import Candidate, Snapshot
from surefoot.traces.tracer import Rehearsal, Tracer


def test_a_trace_without_spread_goes_the_way_of_the_robot(hyq: RobotModel, grounds: Grounds) -> None:
    ramp = GroundStrip(start=0.6, end=10.6, friction=0.7, rise=10.0 * math.tan(math.radians(12.0)))
    loop = ClosedLoop(hyq, 1, World(strips=(ramp,)), perfect_sensors=True)
    loop.run(0.5)
    loop.change_gait("trot")
    loop.run(4.5, (0.4, 0.0, 0.0))
    dry, trot = grounds["dry"], loop.gaits["trot"]
    state, planner = loop.state(), loop.planning.planner.copy()
    assert planner["ground_slope"][0] == pytest.approx((math.tan(math.radians(12.0)), 0.0), abs=0.02)
    snapshot = Snapshot(state, planner, trot, trot, planner["command"][0].copy(), dry, dry)
    before = len(loop.course.truth)
    loop.run(1.0, (0.4, 0.0, 0.0))
    truth = loop.course.truth[before:]
    tracer = Tracer(hyq, PlannerSettings(), 1)
    never = Candidate(0.0, state.time + 1.0 + tracer.period)
    outcomes = tracer.trace(Rehearsal(snapshot, 2 * tracer.period, 1, NO_UNCERTAINTY), never, np.arange(1))
    assert outcomes.verdict[0] == SURVIVED
    path = outcomes.base_path[0, 1 : len(truth) + 1].astype(float)
    assert np.linalg.norm(path[:, :3] - [one.base_position for one in truth], axis=1).max() < 0.01
    attitude = Rotation.from_quat([one.base_quaternion for one in truth])
    assert (Rotation.from_quat(path[:, [4, 5, 6, 3]]).inv() * attitude).magnitude().max() < 0.02
    assert truth[-1].base_position[2] - truth[0].base_position[2] > 0.06
