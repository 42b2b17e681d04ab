# SPDX-License-Identifier: Apache-2.0
import math

import pytest

from surefoot.gait.of_robot import gaits_of
from surefoot.robot.model import RobotModel
from surefoot.servos.rate import RateMeter, rate_problem, slowest_rate


def test_the_rate_is_that_of_the_stamps_and_a_pause_is_no_slower_rate() -> None:
    meter = RateMeter()
    for tick in range(9):
        meter.note(tick / 60.0)
    assert math.isnan(meter.rate)
    for tick in range(9, 40):
        meter.note(tick / 60.0 + (0.5 if tick > 20 else 0.0))
        meter.note(tick / 60.0 + (0.5 if tick > 20 else 0.0))
    assert meter.rate == pytest.approx(60.0)
    meter.reset()
    assert math.isnan(meter.rate)


def test_what_the_servos_of_the_source_can_be_asked_for(hyq: RobotModel) -> None:
    gaits = gaits_of(hyq)
    assert slowest_rate(gaits["stand"]) == 0.0
    assert rate_problem(gaits["stand"], 1.0) == ""
    for name in ("walk", "trot"):
        least = slowest_rate(gaits[name])
        assert rate_problem(gaits[name], least) == ""
        assert rate_problem(gaits[name], math.nan) == ""
        problem = rate_problem(gaits[name], 0.5 * least)
        assert problem.startswith(f"gait '{name}' swings a foot in ")
        assert f"needs 8: at least {least:.0f} Hz" in problem
