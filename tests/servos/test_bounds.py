# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.servos.bounds import POSITION, TORQUE, bring_inside

LOWER, UPPER, SPEED, PERIOD = -2.7, -0.3, 12.0, 0.004
LIMITS = np.array([[LOWER], [UPPER], [SPEED], [150.0], [15000.0], [125.0]])
ROUNDING = 1e-9


def target(wanted: float, measured: float, before: float) -> float:
    """What becomes of the position target of one joint."""
    command, out = np.array([[wanted], [0.0], [0.0], [50.0], [5.0]]), np.full((6, 1), np.nan)
    bring_inside(command, np.array([[measured], [0.0]]), np.array([[before], [0.0]]), LIMITS, PERIOD, 0.05, False, np.inf, out)
    assert np.isfinite(out).all()
    assert abs(out[TORQUE, 0]) <= 150.0
    return float(out[POSITION, 0])


angles = st.one_of(st.floats(-4.0, 1.0), st.sampled_from([LOWER, UPPER, LOWER - 0.19, UPPER + 0.19]))
anything = st.one_of(angles, st.floats(-1e6, 1e6))


@settings(max_examples=500, deadline=None)
@given(anything, angles, angles)
def test_a_target_beyond_a_limit_only_comes_inwards(wanted: float, measured: float, before: float) -> None:
    made = target(wanted, measured, before)
    assert min(LOWER, before) <= made <= max(UPPER, before)
    assert abs(made - before) <= SPEED * PERIOD + ROUNDING
    # Further out than the joint itself only where it came back faster than a target may.
    if made < LOWER:
        assert made >= min(measured, before + SPEED * PERIOD) - ROUNDING
    if made > UPPER:
        assert made <= max(measured, before - SPEED * PERIOD) + ROUNDING


@settings(max_examples=500, deadline=None)
@given(anything, angles, st.floats(LOWER, UPPER))
def test_from_inside_it_makes_no_difference_where_the_joint_is(wanted: float, measured: float, before: float) -> None:
    reach = SPEED * PERIOD
    assert target(wanted, measured, before) == np.clip(wanted, max(LOWER, before - reach), min(UPPER, before + reach))


def test_a_target_that_comes_in_at_less_than_the_velocity_limit_passes_untouched() -> None:
    outside = LOWER - 0.19
    assert target(outside, outside, outside) == outside
    assert target(outside + 0.01, outside, outside) == outside + 0.01
    assert target(outside - 0.01, outside, outside) == outside
    assert target(outside - 0.01, outside - 0.01, outside) == outside
    assert target(outside, outside + 0.02, outside) == outside + 0.02
