# SPDX-License-Identifier: Apache-2.0
"""Robots of the optional robot data stand and trot."""

import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.bench.speeds import speeds_of
from surefoot.evaluation.bench.walk import run_trial
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel

ROBOTS = ("anymal_c", "solo12", "go2", "a1")


@pytest.fixture(params=ROBOTS)
def model(request: pytest.FixtureRequest) -> RobotModel:
    try:
        return load_robot(request.param)
    except ConfigurationError as error:
        if "optional robot data" not in str(error):
            raise
        pytest.skip(str(error))


def test_it_stands_where_it_was_put(model: RobotModel) -> None:
    loop = ClosedLoop(model, seed=1)
    loop.run(1.5)
    first, last = loop.course.truth[0], loop.course.truth[-1]
    height = model.description.stand_height
    assert not loop.fallen
    assert loop.failures == 0
    assert last.base_position[2] == pytest.approx(height, rel=0.02)
    assert abs(last.base_position[:2] - first.base_position[:2]).max() < 0.1 * height


def test_it_trots_at_a_speed_that_suits_it(model: RobotModel) -> None:
    speed = speeds_of(model)["trot"]
    trial = run_trial(model.description.name, "trot", speed, seed=1, seconds=1.5)
    assert not trial.fell
    assert trial.failures == 0
    assert trial.speed == pytest.approx(speed, rel=0.1)
    assert max(trial.roll, trial.pitch) < 0.15
