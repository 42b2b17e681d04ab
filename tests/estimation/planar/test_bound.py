# SPDX-License-Identifier: Apache-2.0
"""Robots that no planar model moves: a made-up HyQ whose front and hind legs step in turn, and one that trots."""

import numpy as np

from surefoot.estimation.planar.estimator import PlanarEstimator
from surefoot.estimation.planar.process import PINNED_BACK, PINNED_FRONT
from surefoot.estimation.slot import ImuMeasurement, JointMeasurement


def heard(estimator, samples):
    """The state after each sample, and the mode in force."""
    for sample in samples:
        estimator.take(ImuMeasurement(sample.time, sample.angular_velocity_imu, sample.specific_force_imu))
        estimator.take(JointMeasurement(sample.time, sample.joint_position, sample.joint_velocity))
        yield estimator.state(sample.time), estimator._contact.mode


def test_front_and_hind_legs_step_in_turn(hyq, planar_settings, bound) -> None:
    planar = planar_settings.planar.model_copy(update={"input": "joints"})
    estimator = PlanarEstimator(hyq.description, hyq, planar_settings.model_copy(update={"planar": planar}))
    error, right, single = [], 0, 0
    for n, (state, mode) in enumerate(heard(estimator, bound.samples)):
        if bound.time[n] < 0.5:
            continue
        assert state.valid, state.invalid_reason
        front, back = bool(bound.contact[n, 0]), bool(bound.contact[n, 2])
        if front != back:
            single += 1
            right += mode == (PINNED_FRONT if front else PINNED_BACK)
        pitch = 2.0 * np.arctan2(state.base_quaternion[1], state.base_quaternion[3])
        truth = -np.arcsin(bound.rotation[n][2, 0])
        error.append((*(state.base_position - bound.position[n])[[0, 2]], pitch - truth))
    off = np.sqrt(np.mean(np.square(error), axis=0))
    assert single > 500
    assert right > 0.7 * single
    assert off[1] < 0.005
    assert off[2] < 0.015
    # Feet are points to these models: that they roll is missing from the way, a tenth of it.
    way = bound.position[-1, 0] - bound.position[0, 0]
    assert abs(error[-1][0]) < 0.12 * way


def test_a_trot_is_said_not_to_be_planar(hyq, planar_settings, trot) -> None:
    estimator = PlanarEstimator(hyq.description, hyq, planar_settings)
    reasons = [state.invalid_reason for state, _ in heard(estimator, trot.samples[:900])]
    begun = next(n for n, reason in enumerate(reasons) if n > 100 and reason)
    assert 1.0 < trot.time[begun] < 2.5
    assert any("not planar: the legs of a pair are" in reason for reason in reasons[begun:])
