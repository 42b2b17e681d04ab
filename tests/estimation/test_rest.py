# SPDX-License-Identifier: Apache-2.0

from collections.abc import Callable

import numpy as np
import pytest

from surefoot.estimation.filter_state import FILTER_STATE, filter_parameters
from surefoot.estimation.rest import update_rest
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.model import RobotModel

STEP = 0.004
Detector = Callable[[np.ndarray, np.ndarray], bool]


@pytest.fixture
def detector(hyq: RobotModel, settings: EstimatorSettings) -> Detector:
    state, parameters = np.zeros(1, FILTER_STATE), filter_parameters(hyq.description, np.zeros(3), settings)
    return lambda rate, joints: update_rest(state[0], parameters[0], rate, joints, STEP)


def noise(detector: Detector, hyq: RobotModel, count: int, speed: float = 0.0, rate: float = 0.0, seed: int = 0) -> list[bool]:
    generator, sensors = np.random.default_rng(seed), hyq.description.sensors
    return [
        detector(
            generator.normal(rate, sensors.gyroscope.standard_deviation, 3),
            generator.normal(speed * STEP * k, sensors.joint_position.standard_deviation, 12),
        )
        for k in range(count)
    ]


def test_rest_needs_time_and_then_lasts(detector: Detector, hyq: RobotModel, settings: EstimatorSettings) -> None:
    calls = noise(detector, hyq, 1000)
    first = calls.index(True)
    assert first * STEP == pytest.approx(settings.rest.time, abs=2 * STEP)
    assert all(calls[first:])


@pytest.mark.parametrize(("speed", "rate"), [(0.05, 0.0), (0.0, 0.05)])
def test_motion_ends_it_within_a_tenth_of_a_second(detector: Detector, hyq: RobotModel, speed: float, rate: float) -> None:
    assert noise(detector, hyq, 200)[-1]
    calls = noise(detector, hyq, 50, speed, rate, seed=1)
    assert calls.index(False) * STEP < 0.1
    assert not calls[-1]


def test_shaking_is_not_rest_though_its_average_is_zero(detector: Detector) -> None:
    calls = [detector(np.full(3, 0.1 * (-1) ** k), np.zeros(12)) for k in range(500)]
    assert not any(calls[5:])
