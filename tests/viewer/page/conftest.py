# SPDX-License-Identifier: Apache-2.0
"""A page whose robot is a model that stands there, without anything that simulates it."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from surefoot.gait.library import read_gaits
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.teleop.layout import read_layout
from surefoot.terrain.world import GroundStrip, World
from surefoot.traces.outcome import FAILED, SURVIVED
from surefoot.traces.snapshot import Candidate
from surefoot.viewer.page.access import Access, access
from surefoot.viewer.page.page import Page
from surefoot.viewer.page.rehearsal import MOST_POINTS, CandidateShown, RehearsalShown, TraceShown
from surefoot.viewer.page.state import CommandShown, ModeShown, PlanShown, RobotShown, StatusShown


@pytest.fixture
def standing(hyq: RobotModel) -> RobotShown:
    state = hyq.neutral()
    return RobotShown(
        time=10.0,
        base_position=state.base_position,
        base_quaternion=state.base_quaternion,
        joint_position=state.joint_position,
        joint_effort=np.linspace(0.0, 160.0, 12),
        position_covariance=np.diag((4e-4, 1e-4, 1e-4)),
        foot_position=hyq.feet_in_base(state.joint_position) + state.base_position,
        foot_force=np.tile((20.0, 0.0, 200.0), (4, 1)),
        contact_probability=np.array((1.0, 0.0, 1.0, 1.0)),
    )


@pytest.fixture
def planned(standing: RobotShown) -> PlanShown:
    return PlanShown(
        moving=True,
        gait="walk",
        phase=0.3,
        base_position=standing.base_position,
        base_quaternion=standing.base_quaternion,
        base_velocity=np.zeros(3),
        foot_mode=np.array((0, 1, 2, 3)),
        planned_contact=np.array((True, False, True, True)),
        foot_position=standing.foot_position,
        foot_velocity=np.zeros((4, 3)),
        time_to_next_event=np.ones(4),
        friction=np.full(4, 0.6),
        normal=np.tile((0.0, 0.0, 1.0), (4, 1)),
    )


@pytest.fixture
def rehearsed(standing: RobotShown) -> RehearsalShown:
    """Two candidates with 64 traces each, one of which half the traces survive, and of the other none."""
    random = np.random.default_rng(3)
    shown = RehearsalShown(7, "walk", "trot", standing.time)
    along = np.linspace(0.0, 1.0, MOST_POINTS)[:, None]
    for number in range(2):
        traces = []
        for trace in range(64):
            ends = np.array((0.8, random.normal(0.0, 0.2), random.normal(0.0, 0.05)))
            survives = number == 0 and trace % 2 == 0
            points = (standing.base_position + along[: MOST_POINTS if survives else 18] * ends).astype(np.float32)
            traces.append(TraceShown(points, SURVIVED if survives else FAILED, "" if survives else ("tilt", "joint range")[trace % 3 == 0]))
        shown.add(number, CandidateShown(Candidate(0.5 * number, 10.5, 0.0)), traces)
    return shown


@pytest.fixture
def make_page(hyq: RobotModel, standing: RobotShown, planned: PlanShown) -> Iterator[Callable[..., Page]]:
    pages = []

    def make(allowed: Access | None = None) -> Page:
        config = shared_directory() / "config"
        ground = World(friction=0.7, strips=(GroundStrip(start=1.0, end=2.0, friction=0.06),))
        page = Page(
            hyq, read_gaits(config / "gaits" / "hyq.yaml"), read_layout(config / "gamepads", "page"), allowed or access(), ground
        )
        state = page.state
        state.plan, state.command = planned, CommandShown(standing.joint_position, np.zeros(12))
        for time in np.arange(4.0, 10.0, 0.02):
            state.plan = replace(planned, planned_contact=np.array([(time * 1.25 + 0.25 * leg) % 1.0 < 0.75 for leg in range(4)]))
            felt = np.array([(time * 1.25 + 0.25 * leg + 0.03) % 1.0 < 0.75 for leg in range(4)], float)
            state.take_robot(replace(standing, time=float(time), contact_probability=felt))
        state.take_mode(ModeShown("WALKING", "WALK by the operator", 5.0))
        state.status, state.operator = StatusShown("walk", ground="dry", command=(0.3, 0.0, 0.0)), ""
        pages.append(page)
        return page

    yield make
    for page in pages:
        page.close()
