# SPDX-License-Identifier: Apache-2.0
"""A second of garbage of any kind, then good samples: the state is soon valid again, and says why it was not."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.slot import MagneticMeasurement, PoseMeasurement
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample

STEP = 0.004
Garble = Callable[[SensorSample, np.random.Generator], SensorSample]

SHORT = 2.2
"""s. Until rest shows (0.25) and has been contradicted for long enough (0.2), two windows of a start (0.4), doubt (0.1): 0.9 in all. After
a turn of tens of rad/s rest does not show for seconds, and only the uncertain height tells: 1.9."""


def rate(size: float, constant: bool) -> Garble:
    """A gyroscope that says a plausible turn that is none."""

    def garble(sample: SensorSample, generator: np.random.Generator) -> SensorSample:
        wrong = np.array([1.0, 0.5, -0.3]) if constant else generator.uniform(-1.0, 1.0, 3)
        return replace(sample, angular_velocity_imu=size * wrong)

    return garble


def force(size: float, constant: bool) -> Garble:
    """The same of an accelerometer."""

    def garble(sample: SensorSample, generator: np.random.Generator) -> SensorSample:
        wrong = np.array([1.0, 1.0, 1.0]) if constant else generator.uniform(-1.0, 1.0, 3)
        return replace(sample, specific_force_imu=sample.specific_force_imu + size * wrong)

    return garble


def joints(size: float) -> Garble:
    def garble(sample: SensorSample, generator: np.random.Generator) -> SensorSample:
        position, velocity = (size * generator.uniform(-1.0, 1.0, 12) for _ in range(2))
        return replace(sample, joint_position=sample.joint_position + position, joint_velocity=velocity)

    return garble


def feet(size: float) -> Garble:
    return lambda sample, generator: replace(sample, foot_force=generator.uniform(-size, size, (4, 3)))


def efforts(size: float) -> Garble:
    return lambda sample, generator: replace(sample, joint_effort=generator.uniform(-size, size, 12))


def stamps(size: float) -> Garble:
    return lambda sample, generator: replace(sample, time=sample.time + size * generator.normal())


def everything(sample: SensorSample, generator: np.random.Generator) -> SensorSample:
    size = 10.0 ** generator.uniform(-3.0, 3.0)
    for garble in (rate(min(size, 60.0), False), force(min(size, 500.0), False), joints(size), feet(size), efforts(size)):
        sample = garble(sample, generator)
    return sample


GARBAGE: dict[str, Garble] = {
    "a rate that jumps a little": rate(3.0, False),
    "a rate that jumps": rate(59.0, False),
    "a slow turn": rate(0.5, True),
    "a turn": rate(3.0, True),
    "a fast turn": rate(59.0, True),
    "a force that jumps": force(490.0, False),
    "a push": force(15.0, True),
    "a long blow": force(245.0, True),
    "joints that tremble": joints(0.1),
    "joints anywhere": joints(1000.0),
    "feet": feet(1e4),
    "feet beyond all measure": feet(1e300),
    "efforts": efforts(1e300),
    "stamps of a bad clock": stamps(0.1),
    "stamps of none": stamps(1e6),
    "everything": everything,
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_after_garbage_it_is_soon_valid_again(estimator: StateEstimator, still, hyq: RobotModel, kind: str) -> None:
    generator = np.random.default_rng(1)
    for sample in still(500):
        estimator.update(sample)
    for sample in still(250, start=2.0):
        estimator.update(GARBAGE[kind](sample, generator))
    after = [estimator.update(sample) for sample in still(500, start=3.0)]
    invalid = [state for state in after if not state.valid]
    assert all(state.valid for state in after[round(SHORT / STEP) :]), invalid[-1].invalid_reason
    # Not valid and elsewhere: it stands on the ground, upright, and does not move.
    assert after[-1].base_position[2] == pytest.approx(hyq.description.stand_height, abs=0.05)
    assert np.abs(after[-1].base_quaternion[:2]).max() < 0.02
    assert np.abs(after[-1].base_linear_velocity).max() < 0.05


def test_a_filter_that_lost_its_way_starts_where_it_was_and_says_so(estimator: StateEstimator, still) -> None:
    before = [estimator.update(sample) for sample in still(500)][-1]
    for sample in still(250, start=2.0):
        estimator.update(rate(3.0, True)(sample, np.random.default_rng(0)))
    after = [estimator.update(sample) for sample in still(500, start=3.0)]
    assert estimator.refusals.counts == {"lost": 1}
    assert any("started again where the robot was known to be last" in state.invalid_reason for state in after)
    # Where it was is not said to be known better than it is.
    deviation = np.sqrt(after[-1].pose_covariance.diagonal()[:2])
    assert (np.abs(after[-1].base_position - before.base_position)[:2] < 3.0 * deviation).all()


def test_a_robot_that_moves_is_not_started_again(estimator: StateEstimator, still) -> None:
    for sample in still(500):
        estimator.update(sample)
    for sample in still(250, start=2.0):
        estimator.update(force(15.0, True)(sample, np.random.default_rng(0)))
    for sample in still(500, start=3.0):
        swinging = sample.joint_position + 0.2 * np.sin(12.0 * sample.time)
        state = estimator.update(replace(sample, joint_position=swinging))
    assert not state.valid
    assert "lost" not in estimator.refusals.counts


def test_poses_that_did_not_fit_count_for_as_long_as_somebody_sends_them(estimator: StateEstimator, still) -> None:
    for sample in still(250):
        estimator.update(sample)
    far, sure = np.array([30.0, 0.0, 0.0]), np.full(6, 1e-4)
    for sample in still(250, start=1.0):
        state = estimator.update(sample)
        estimator.take(PoseMeasurement(sample.time, far, np.array([0.0, 0.0, 0.0, 1.0]), sure))
    assert "absolute poses" in state.invalid_reason
    assert [estimator.update(sample) for sample in still(300, start=2.0)][-1].valid
    estimator.take(PoseMeasurement(3.196, far, np.array([0.0, 0.0, 0.0, 1.0]), sure))
    assert "absolute poses" in estimator.state(3.196).invalid_reason


def test_a_magnetic_field_of_garbage_does_no_harm(estimator: StateEstimator, still) -> None:
    generator = np.random.default_rng(2)
    for sample in still(250):
        estimator.update(sample)
    for sample in still(250, start=1.0):
        estimator.take(MagneticMeasurement(sample.time, generator.uniform(-50.0, 50.0, 3), 0.01))
        assert estimator.update(sample).valid
