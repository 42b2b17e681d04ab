# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from surefoot.inverse_dynamics.joint_range import HORIZON, keep_swing_in_range

LOWER, UPPER = np.full((4, 3), -1.0), np.full((4, 3), 0.5)
SWINGING, LOADED = np.zeros(4), np.ones(4)


def kept(load, position, velocity, constant):
    constant, by_base = constant.copy(), np.ones((12, 6))
    keep_swing_in_range(load, position, velocity, LOWER, UPPER, constant, by_base)
    return constant, by_base


@given(st.floats(-0.9, 0.45), st.floats(-8.0, 8.0), st.floats(-500.0, 500.0))
def test_a_swing_joint_is_inside_its_range_after_the_horizon(position, velocity, wanted) -> None:
    start, rate = np.full((4, 3), position), np.full((4, 3), velocity)
    constant, by_base = kept(SWINGING, start, rate, np.full((4, 3), wanted))
    after = start + HORIZON * rate + 0.5 * HORIZON**2 * constant
    assert (after >= LOWER - 1e-12).all()
    assert (after <= UPPER + 1e-12).all()
    # Who is bounded no longer follows the base, who is not is left as it was.
    bounded = constant != wanted
    np.testing.assert_array_equal(by_base, np.where(bounded.ravel()[:, None], 0.0, 1.0) * np.ones((12, 6)))


def test_a_joint_driven_at_its_stop_comes_to_rest_there_and_passes_it_by_little() -> None:
    position, velocity, dt = np.zeros((4, 3)), np.zeros((4, 3)), 0.004
    highest = -np.inf
    for _ in range(500):
        acceleration, _ = kept(SWINGING, position, velocity, np.full((4, 3), 80.0))
        velocity = velocity + dt * acceleration
        position = position + dt * velocity
        highest = max(highest, position.max())
    # The bound is a spring with seven tenths of critical damping; what a trace forgives is 0.05 rad.
    assert 0.49 < position.min() <= highest < 0.515
    assert np.abs(velocity).max() < 1e-3


def test_legs_under_load_and_joints_with_room_are_left_alone() -> None:
    at_the_stop, far = np.full((4, 3), 0.5), np.zeros((4, 3))
    wanted = np.full((4, 3), 100.0)
    for load, position in ((LOADED, at_the_stop), (SWINGING, far)):
        constant, by_base = kept(load, position, np.zeros((4, 3)), wanted)
        np.testing.assert_array_equal(constant, wanted)
        assert (by_base == 1.0).all()


def test_what_is_not_a_number_stays_so() -> None:
    # The check of the whole answer has to see it.
    constant, _ = kept(SWINGING, np.zeros((4, 3)), np.zeros((4, 3)), np.full((4, 3), np.nan))
    assert np.isnan(constant).all()
