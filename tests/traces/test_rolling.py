# SPDX-License-Identifier: Apache-2.0
"""A change that is asked for while the robot rolls: case 170."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.traces.cloud.uncertainty import Uncertainty
from surefoot.traces.decision.scoring import score
from surefoot.traces.outcome import FAILED, SURVIVED, Outcomes
from surefoot.traces.tracer import Tracer


def rehearsed(tracer: Tracer, uncertainty: Uncertainty, walk, rate: float) -> Outcomes:
    """A change to the trot, at once, by a robot that rolls at a rate, rad/s."""
    asked = walk.asked("trot")
    asked = replace(asked, state=replace(asked.state, base_angular_velocity=np.array((rate, 0.0, 0.0))))
    return tracer.trace(walk.rehearsal(asked, uncertainty, horizon=1.0), walk.candidate(after=0.0), np.arange(16))


def roll_rate(outcomes: Outcomes) -> float:
    """Of the middle one of the robots over the first tick, rad/s."""
    quaternions = outcomes.base_path[:, :2, 3:][:, :, [1, 2, 3, 0]].reshape(-1, 4)
    roll = Rotation.from_quat(quaternions).as_euler("xyz")[:, 0].reshape(-1, 2)
    return float(np.median(np.diff(roll, axis=1)) / outcomes.period)


@pytest.mark.parametrize("rate", [0.3, -0.3])
def test_it_is_rehearsed_by_robots_that_roll_as_it_does(tracer: Tracer, uncertainty: Uncertainty, walk, rate: float) -> None:
    outcomes = rehearsed(tracer, uncertainty, walk, rate)
    assert roll_rate(outcomes) == pytest.approx(rate, abs=0.05)
    # So slow a roll a trot takes away, though some are late with their speed.
    assert (outcomes.verdict == FAILED).sum() == 0
    assert (outcomes.verdict == SURVIVED).sum() >= 10


def test_one_that_tips_over_is_not_let_change(tracer: Tracer, uncertainty: Uncertainty, walk) -> None:
    outcomes = rehearsed(tracer, uncertainty, walk, 15.0)
    result = score(walk.candidate(after=0.0), outcomes, 0.95)
    assert result.lower < 0.1, result
    assert "roll" in outcomes.violated
