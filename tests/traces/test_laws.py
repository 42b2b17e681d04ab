# SPDX-License-Identifier: Apache-2.0
"""Traces run the law that drives the robot, from what it remembers on."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.gait.of_robot import gaits_of
from surefoot.inverse_dynamics.joint_pid import JointPid
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.locomotion.laws import COMPILED, COMPILED_JOINT_PID, FollowedLaw, LawState
from surefoot.locomotion.policy import state_record
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.traces.cloud.uncertainty import NO_UNCERTAINTY, read_uncertainty
from surefoot.traces.outcome import SURVIVED
from surefoot.traces.snapshot import Candidate, Snapshot
from surefoot.traces.tracer import Rehearsal, Tracer

TICKS = 150


@pytest.fixture(scope="module")
def trotting(hyq: RobotModel, grounds) -> tuple[Snapshot, np.ndarray]:
    """A robot that trots by the PID of each joint, and where its base is from then on, (TICKS + 1, 3), m."""
    pid = ReferenceController(hyq, controller=JointPid(hyq, hyq.description.control))
    loop = ClosedLoop(hyq, 1, friction=grounds.usual.cautious_friction, perfect_sensors=True, controller=pid)
    followed = FollowedLaw(hyq)
    followed.put(COMPILED_JOINT_PID)

    def go(ticks: int) -> None:
        for _ in range(ticks):
            loop.run(loop.robot.period)
            followed.follow(loop.planning.plan_record, state_record(loop.course.estimate[-1]))

    go(100)
    loop.change_gait("trot")
    go(200)
    planner = loop.planning.planner.copy()
    trot = loop.gaits["trot"]
    snapshot = Snapshot(loop.state(), planner, trot, trot, np.zeros(3), grounds.usual, grounds.usual, followed.now())
    first = len(loop.course.truth)
    start = loop.robot.truth().base_position
    go(TICKS)
    assert not loop.fallen
    return snapshot, np.array([start, *(truth.base_position for truth in loop.course.truth[first:])])


def nominal(tracer: Tracer, snapshot: Snapshot) -> np.ndarray:
    """Where the base of the believed robot goes in its gait, (TICKS + 1, 3), m."""
    seconds = TICKS * tracer.period
    candidate = Candidate(0.0, snapshot.state.time + seconds + 1.0)
    outcomes = tracer.trace(Rehearsal(snapshot, 0.1, 0, NO_UNCERTAINTY), candidate, np.zeros(1, np.int64))
    assert outcomes.verdict[0] == SURVIVED
    return outcomes.base_path[0, : TICKS + 1, :3]


def test_the_nominal_trace_is_what_the_robot_does_and_other_laws_do_something_else(tracer: Tracer, trotting) -> None:
    snapshot, truth = trotting
    off = np.linalg.norm(nominal(tracer, snapshot) - truth, axis=1).max()
    forgetful = replace(snapshot, law=LawState(COMPILED_JOINT_PID))
    without = np.linalg.norm(nominal(tracer, forgetful) - truth, axis=1).max()
    other = np.linalg.norm(nominal(tracer, replace(snapshot, law=LawState())) - truth, axis=1).max()
    assert off < 0.002
    assert without > 2.0 * off
    assert other > 2.0 * off


def test_a_gait_that_one_law_walks_and_the_other_does_not_is_told_apart(tracer: Tracer, trotting, hyq: RobotModel) -> None:
    snapshot = replace(trotting[0], gait_to=gaits_of(hyq)["gallop"])
    cloud = read_uncertainty(shared_directory() / "config" / "uncertainty" / "default.yaml")
    survivors = {}
    for law in (LawState(), snapshot.law):
        rehearsal = Rehearsal(replace(snapshot, law=law), 2.0, 0, cloud)
        outcomes = tracer.trace(rehearsal, Candidate(0.0, snapshot.state.time + 0.1), np.arange(8))
        survivors[law.name] = int((outcomes.verdict == SURVIVED).sum())
    assert survivors[COMPILED] >= 6
    assert survivors[COMPILED_JOINT_PID] <= 4
