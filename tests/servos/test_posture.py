# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from surefoot.servos.attitude import Attitude
from surefoot.servos.limits import JointLimits
from surefoot.servos.posture import PostureTrajectory, sit_down, stand_up, why_not_safe
from surefoot.servos.settings import BridgeSettings

LIE, STAND = np.tile([0.0, 1.2, -2.4], 4), np.tile([0.0, 0.6, -1.2], 4)
SETTINGS = BridgeSettings()


@settings(max_examples=30, deadline=None)
@given(arrays(float, 12, elements=st.floats(-2.0, 2.0)), st.floats(0.1, 5.0))
def test_speed_is_bounded_and_zero_at_the_ends(start: np.ndarray, speed: float) -> None:
    way = stand_up(3.0, start, LIE, STAND, speed=speed, lie_tolerance=0.2)
    times = np.linspace(3.0, way.end, 400)
    positions, velocities = (np.array(values) for values in zip(*map(way.at, times), strict=True))
    np.testing.assert_allclose(positions[0], start, atol=1e-12)
    np.testing.assert_allclose(positions[-1], STAND, atol=1e-9)
    np.testing.assert_allclose(velocities[[0, -1]], 0.0, atol=1e-9)
    assert np.abs(velocities).max() <= speed * (1.0 + 1e-9)
    step = times[1] - times[0]
    assert np.abs(np.diff(positions, axis=0)).max() <= speed * step * (1.0 + 1e-6)
    np.testing.assert_allclose(np.gradient(positions, step, axis=0)[1:-1], velocities[1:-1], atol=0.03 * speed)


def test_a_far_pose_is_folded_first_and_a_folded_one_is_not() -> None:  # case 122
    far = LIE.copy()
    far[1] -= 1.5
    way = stand_up(0.0, far, LIE, STAND, speed=1.0, lie_tolerance=0.2)
    assert way.end == pytest.approx(1.875 * (1.5 + 1.2))
    np.testing.assert_allclose(way.at(1.875 * 1.5)[0], LIE)
    assert stand_up(0.0, LIE + 0.1, LIE, STAND, speed=1.0, lie_tolerance=0.2).end == pytest.approx(1.875 * 1.1)


def test_a_pose_that_is_there_already_takes_no_time() -> None:
    way = sit_down(2.0, LIE, LIE, 1.0)
    assert way.end == 2.0
    np.testing.assert_array_equal(way.at(2.0)[0], LIE)
    assert way.reached(2.0, LIE, 0.1)


def test_all_joints_arrive_together() -> None:
    goal = LIE + np.linspace(0.1, 1.2, 12)
    way = PostureTrajectory(0.0, [LIE, goal], 1.0)
    position, _ = way.at(0.5 * way.end)
    np.testing.assert_allclose(position, 0.5 * (LIE + goal))


def test_reached_and_overdue(limits: JointLimits) -> None:
    way = sit_down(0.0, STAND, LIE, 1.0)
    late = LIE.copy()
    late[5] += 0.3
    assert not way.reached(way.end - 0.01, LIE, 0.25)
    assert way.reached(way.end, LIE, 0.25)
    assert not way.reached(way.end, late, 0.25)
    assert way.overdue(way.end + 2.9, late, limits, SETTINGS) == ""
    assert way.overdue(way.end + 3.1, LIE, limits, SETTINGS) == ""
    assert way.overdue(way.end + 3.1, late, limits, SETTINGS) == "RF_KFE is 0.300 rad off after 3.0 s, limit 0.250 rad"


def test_poses_that_cannot_stand_are_refused_with_the_reason(limits: JointLimits) -> None:
    still, level = np.zeros(12), Attitude(0.0, 0.0)
    assert why_not_safe(LIE, still, level, limits, SETTINGS) == ""
    outside, fast = LIE.copy(), still.copy()
    outside[5], fast[7] = -3.0, -0.8
    assert "RF_KFE at -3.000 rad" in why_not_safe(outside, still, level, limits, SETTINGS)
    assert "LH_HFE moves at -0.80 rad/s, limit 0.50" in why_not_safe(LIE, fast, level, limits, SETTINGS)
    assert "pitch -0.40 rad, limit 0.35 rad" in why_not_safe(LIE, still, Attitude(0.0, -0.4), limits, SETTINGS)
    assert "not known" in why_not_safe(LIE, still, None, limits, SETTINGS)
    assert why_not_safe(LIE, still + np.nan, level, limits, SETTINGS)
    assert why_not_safe(LIE + np.nan, still, level, limits, SETTINGS)
