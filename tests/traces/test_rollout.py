# SPDX-License-Identifier: Apache-2.0
"""A walk over a curb, in closed loop: low enough it is stepped over, too high a foot runs into it; and what a track keeps."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from surefoot.gait.settings import PlannerSettings
from surefoot.robot.model import RobotModel
from surefoot.terrain.world import GroundStrip, World
from surefoot.traces.cloud.uncertainty import Uncertainty
from surefoot.traces.findings.events import STRIKES
from surefoot.traces.outcome import FAILED, SURVIVED, Outcomes
from surefoot.traces.requirements.settings import find_requirements, read_requirements
from surefoot.traces.tracer import Tracer


@pytest.fixture
def over_a_curb(hyq: RobotModel, uncertainty: Uncertainty, walk) -> Callable[[float], Outcomes]:
    """The traces of a walk towards a curb of some height, m, 0.6 m ahead of the base."""
    curb = read_requirements(find_requirements("curb"))
    start = float(walk.snapshot.state.base_position[0]) + 0.6

    def traces(height: float) -> Outcomes:
        strip = GroundStrip(start=start, end=start + 0.1, friction=0.7, height=height)
        tracer = Tracer(hyq, PlannerSettings(), 4, world=World(strips=(strip,)))
        rehearsal = replace(walk.rehearsal(walk.snapshot, uncertainty, horizon=1.2), requirements=curb)
        return tracer.trace(rehearsal, walk.candidate(0.2), np.arange(4))

    return traces


def test_a_low_curb_is_stepped_over_and_a_high_one_is_run_into(over_a_curb: Callable[[float], Outcomes]) -> None:
    low, high = over_a_curb(0.005), over_a_curb(0.12)
    assert (low.verdict == SURVIVED).all()
    assert STRIKES not in low.events["kind"]
    assert (high.verdict == FAILED).all()
    assert set(high.violated) == {"stub"}
    for particle, time in zip(high.indices, high.failure_time, strict=True):
        last = high.events_of(int(particle))[-1]
        assert (last.kind, last.surface, last.time) == (STRIKES, 1, pytest.approx(time))
        assert str(last).endswith("F foot runs into ground 2")


def test_only_who_asks_gets_the_planner_of_each_tick(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    rehearsal = walk.rehearsal(walk.asked("trot"), uncertainty, horizon=0.1)
    way = tracer._project(rehearsal, 10)
    assert way.planner.shape == way.contact.shape[:2]
    assert (np.diff(way.planner["time"][0]) > 0.0).all()
