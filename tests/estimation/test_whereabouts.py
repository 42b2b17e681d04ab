# SPDX-License-Identifier: Apache-2.0
"""A second of garbage of any kind, then good samples: the state is soon valid again, and says why it was not."""

from dataclasses import replace

import numpy as np
import pytest
from sensor_garbage import GARBAGE, force, rate

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import MagneticMeasurement, PoseMeasurement
from surefoot.robot.model import RobotModel

STEP = 0.004
SHORT = 2.2
"""s. Until rest shows (0.25) and has been contradicted for long enough (0.2), two windows of a start (0.4), doubt (0.1): 0.9 in all. After
a turn of tens of rad/s rest does not show for seconds, and only the uncertain height tells: 1.9."""


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


def test_a_robot_that_stood_on_a_step_starts_again_on_it(still, hyq: RobotModel, settings: EstimatorSettings) -> None:
    """The height of the ground stays, not that of the base: it may lie down meanwhile."""
    unknown, level = np.full(6, np.nan), np.array([0.0, 0.0, 0.0, 1.0])
    unknown[2] = 1e-8
    start = settings.start.model_copy(update={"height_standard_deviation": 0.3})
    estimator = StateEstimator(hyq.description, hyq, settings.model_copy(update={"start": start}))
    height = hyq.description.stand_height + 0.15
    for sample in still(500):
        estimator.update(sample)
        estimator.take(PoseMeasurement(sample.time, np.array([0.0, 0.0, height]), level, unknown))
    assert estimator.state(2.0).base_position[2] == pytest.approx(height, abs=0.005)
    crouched = hyq.stand_joint_position * np.tile([1.0, 1.1, 1.1], 4)
    lower = hyq.feet_in_base(hyq.stand_joint_position)[:, 2].min() - hyq.feet_in_base(crouched)[:, 2].min()
    assert lower < -0.02
    states = [estimator.update(sample) for sample in still(500, start=5.0, joint_position=crouched)]
    assert any("starting again" in state.invalid_reason for state in states)
    assert states[-1].valid
    assert states[-1].base_position[2] == pytest.approx(height + lower, abs=0.005)
