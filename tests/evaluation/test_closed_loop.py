# SPDX-License-Identifier: Apache-2.0
"""Both robots of the house walk and trot with noise, delay and the estimator."""

import pytest

from surefoot.evaluation.bench.walk import run_trial


@pytest.mark.parametrize(
    ("robot", "gait", "speed"),
    [("hyq", "walk", 0.3), ("hyq", "trot", 0.3), ("links", "walk", 0.1), ("links", "trot", 0.2)],
)
def test_it_holds_its_speed_and_stays_level(robot: str, gait: str, speed: float) -> None:
    trial = run_trial(robot, gait, speed, seed=1, seconds=3.0)
    assert not trial.fell
    assert trial.failures == 0
    assert trial.speed == pytest.approx(speed, rel=0.1)
    assert max(trial.roll, trial.pitch) < 0.15
