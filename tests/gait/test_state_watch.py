# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np
import pytest

from surefoot.gait import odometry_reset, suspended
from surefoot.gait.state_watch import StateWatch
from surefoot.robot.frozen import SAMPLE_HOLD
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState

TICK = 0.004
NOTHING, ALL = np.zeros(4), np.ones(4)


@pytest.fixture
def state(hyq: RobotModel) -> RobotState:
    return hyq.neutral()


def after(state: RobotState, moved: float) -> RobotState:
    """The same state with the base somewhere else by so much, m."""
    return replace(state, base_position=np.asarray(state.base_position) + moved)


def test_a_state_that_is_news_may_be_planned_on(state: RobotState) -> None:
    watch = StateWatch()
    for tick in range(100):
        given = after(state, 1e-9 * tick)
        assert watch.look(TICK * tick, ALL, given, standing=False, moving=True) is given
        assert (watch.suspended, watch.odometry_reset, watch.frozen_since) == (False, False, None)


def test_a_state_that_stays_the_same_is_none_to_walk_on_until_it_says_something_else(state: RobotState) -> None:
    watch = StateWatch()
    begin = 5.0
    said = [watch.look(begin + TICK * tick, ALL, state, standing=False, moving=True) for tick in range(30)]
    first = next(tick for tick, one in enumerate(said) if one is None)
    assert SAMPLE_HOLD <= TICK * first <= SAMPLE_HOLD + 2.0 * TICK
    assert all(one is state for one in said[:first])
    assert not any(said[first:])
    assert watch.frozen_since == begin
    assert watch.look(begin + 1e-3 + 29 * TICK, ALL, after(state, 1e-9), standing=False, moving=True) is not None
    assert watch.frozen_since is None


def test_who_stands_may_say_the_same(state: RobotState) -> None:
    watch = StateWatch()
    assert all(watch.look(TICK * tick, ALL, state, standing=True, moving=False) is state for tick in range(100))


def test_what_cannot_be_read_is_no_state_and_says_nothing_of_whether_it_is_frozen(state: RobotState) -> None:
    watch = StateWatch()
    for tick in range(100):
        assert watch.look(TICK * tick, ALL, None, standing=False, moving=True) is None
        assert watch.frozen_since is None
    assert watch.look(TICK * 100, ALL, state, standing=False, moving=True) is state


def test_feet_and_time_count_whether_or_not_the_state_can_be_read() -> None:
    watch, ticks = StateWatch(), round(suspended.AFTER / TICK)
    for tick in range(ticks):
        watch.look(TICK * tick, NOTHING, None, standing=True, moving=False)
        assert not watch.suspended
    watch.look(TICK * (ticks + 1), NOTHING, None, standing=True, moving=False)
    assert watch.suspended
    time = TICK * (ticks + 1) + 2.0 * odometry_reset.AFTER
    watch.look(time, NOTHING, None, standing=True, moving=False)
    assert watch.odometry_reset
    watch.look(time + TICK, NOTHING, None, standing=True, moving=False)
    assert not watch.odometry_reset, "once"


def test_a_robot_that_walks_without_load_falls_and_is_not_suspended() -> None:
    watch = StateWatch()
    for tick in range(2 * round(suspended.AFTER / TICK)):
        watch.look(TICK * tick, NOTHING, None, standing=False, moving=True)
        assert not watch.suspended
    watch.look(TICK * (tick + 1), NOTHING, None, standing=True, moving=False)
    assert watch.suspended, "it is known as soon as it is asked to stand"
