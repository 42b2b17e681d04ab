# SPDX-License-Identifier: Apache-2.0
"""A nominal trace and the robot that it was traced from."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.agreement import trace_agreement
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.evaluation.run import Run
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.cloud.uncertainty import read_uncertainty
from surefoot.traces.decision.pace import Unhurried
from surefoot.traces.decision.record import RecordedDecision
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.snapshot import Candidate, Snapshot
from surefoot.traces.tracer import Rehearsal

FORWARD = (0.2, 0.0, 0.0)
DRY = TerrainBelief(name="dry", friction_mean=0.7, friction_standard_deviation=0.1)
CHANGE_AFTER = 0.2
"""s"""


@pytest.fixture(scope="module")
def walked(hyq: RobotModel) -> tuple[RecordedDecision, Run]:
    """A walk that becomes a trot 0.2 s after the snapshot, beside the record of the decision to do so."""
    loop = ClosedLoop(hyq, seed=3, friction=DRY.cautious_friction, perfect_sensors=True)
    loop.run(0.5)
    loop.change_gait("walk")
    loop.run(1.0, FORWARD)
    state = loop.state()
    snapshot = Snapshot(state, loop.planning.planner.copy(), loop.planning.gait, loop.gaits["trot"], np.array(FORWARD), DRY, DRY)
    uncertainty = read_uncertainty(shared_directory() / "config" / "uncertainty" / "default.yaml")
    candidate = Candidate(0.25, state.time + CHANGE_AFTER)
    loop.run(CHANGE_AFTER - 0.5 * loop.robot.period, FORWARD)
    loop.change_gait("trot", 0.25)
    loop.run(0.6, FORWARD)
    truth = loop.course.truth
    names = (
        "time", "base_position", "base_quaternion", "base_linear_velocity", "base_angular_velocity", "joint_position", "joint_velocity",
        "joint_effort", "foot_load", "body_contact",
    )  # fmt: skip
    columns = {name: np.array([getattr(tick, name) for tick in truth]) for name in names}
    run = Run("hyq", "flat", 3, loop.robot.period, "", 0, **columns, command_latency=np.full(len(truth), np.nan))
    rehearsal = Rehearsal(snapshot, 2.0, 7, uncertainty)
    settings = DecisionSettings()
    admission = Unhurried().admit((candidate,), settings)
    return RecordedDecision("hyq", rehearsal, (candidate,), settings, admission, 1, False, {"chosen": 0}), run


def test_the_rehearsed_robot_is_the_robot(walked: tuple[RecordedDecision, Run], hyq: RobotModel) -> None:
    record, run = walked
    agreement = trace_agreement(record, run, seconds=0.7, model=hyq)
    assert agreement.ended_by == ""
    assert agreement.position_m < 0.01
    assert agreement.angle_rad < 0.02
    assert agreement.same_events
    assert agreement.events >= 4


def test_an_offset_of_the_estimate_does_not_count(walked: tuple[RecordedDecision, Run], hyq: RobotModel) -> None:
    record, run = walked
    turned = np.column_stack((5.0 - run.base_position[:, 1], run.base_position[:, 0] - 3.0, run.base_position[:, 2]))
    half = np.sqrt(0.5)
    x, y, z, w = run.base_quaternion.T
    quaternion = half * np.column_stack((x - y, x + y, z + w, w - z))
    plain = trace_agreement(record, run, seconds=0.3, model=hyq)
    moved = trace_agreement(record, replace(run, base_position=turned, base_quaternion=quaternion), seconds=0.3, model=hyq)
    assert moved.position_m == pytest.approx(plain.position_m, abs=1e-6)
    assert moved.angle_rad == pytest.approx(plain.angle_rad, abs=1e-6)


def test_another_walk_is_seen_to_be_another(walked: tuple[RecordedDecision, Run], hyq: RobotModel) -> None:
    record, run = walked
    drifting = run.base_position + np.outer(run.time - run.time[0], (0.2, 0.0, 0.0))
    other = replace(run, base_position=drifting, foot_load=run.foot_load[:, [1, 0, 3, 2]])
    agreement = trace_agreement(record, other, seconds=0.5, model=hyq)
    assert agreement.position_m == pytest.approx(0.1, abs=0.02)
    assert not agreement.same_events


def test_without_a_change_the_gait_is_kept(walked: tuple[RecordedDecision, Run], hyq: RobotModel) -> None:
    record, run = walked
    vetoed = replace(record, answer={"chosen": None})
    before_the_change = trace_agreement(vetoed, run, seconds=CHANGE_AFTER, model=hyq)
    assert before_the_change.position_m < 0.01
    accepted, kept = (trace_agreement(one, run, seconds=0.7, model=hyq) for one in (record, vetoed))
    assert kept.final_position_m > accepted.final_position_m


def test_a_snapshot_outside_of_the_run_is_refused(walked: tuple[RecordedDecision, Run], hyq: RobotModel) -> None:
    record, run = walked
    with pytest.raises(ConfigurationError, match="lie outside of the run"):
        trace_agreement(record, run, seconds=10.0, model=hyq)
