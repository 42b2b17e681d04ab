# SPDX-License-Identifier: Apache-2.0
"""A foot that comes down, bounces and lands again: its place counts once it has lain there for a while, and not since it first touched."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.model import RobotModel

FOOT, TOUCHES, FLIES = 1, 2, 5


def ticks_until_its_place_counts(hyq: RobotModel, settings: EstimatorSettings, trot: Any, samples: list[Any], down: int) -> int:
    """Ticks from a touchdown on; the foot is in the filter's state from then on."""
    estimator = StateEstimator(hyq.description, hyq, settings)
    for sample in samples[:down]:
        estimator.update(sample)
    assert not estimator._memory["foot_held"][0, FOOT]
    for tick, sample in enumerate(samples[down:]):
        estimator.update(sample)
        if estimator._memory["foot_held"][0, FOOT]:
            return tick
    raise AssertionError("never")


@pytest.mark.parametrize("flies", [1, FLIES])
def test_a_bounce_begins_the_time_for_which_it_has_lain_anew(
    hyq: RobotModel, settings: EstimatorSettings, trot: Any, flies: int
) -> None:
    contact = trot.contact[:, FOOT]
    down = int(np.flatnonzero(~contact[750:-1] & contact[751:])[0]) + 751
    smooth = ticks_until_its_place_counts(hyq, settings, trot, trot.samples, down)
    assert smooth == pytest.approx(settings.filter.settling_time / 0.004, abs=1.0)
    bounced = list(trot.samples)
    for tick in range(down + TOUCHES, down + TOUCHES + flies):
        force = bounced[tick].foot_force.copy()
        force[FOOT] = 0.0
        bounced[tick] = replace(bounced[tick], foot_force=force)
    assert ticks_until_its_place_counts(hyq, settings, trot, bounced, down) == smooth + TOUCHES + flies


def test_a_foot_that_stands_stays_where_it_is_when_its_sensor_fails_for_a_moment(
    hyq: RobotModel, settings: EstimatorSettings, trot: Any
) -> None:
    contact = trot.contact[:, FOOT]
    down = int(np.flatnonzero(~contact[750:-1] & contact[751:])[0]) + 751
    estimator = StateEstimator(hyq.description, hyq, settings)
    for tick, sample in enumerate(trot.samples[: down + 30]):
        force = sample.foot_force.copy()
        if tick == down + 20:
            force[FOOT] = 0.0
        estimator.update(replace(sample, foot_force=force))
        assert tick < down + 15 or estimator._memory["foot_held"][0, FOOT]
