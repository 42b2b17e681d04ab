# SPDX-License-Identifier: Apache-2.0
"""An IMU that repeats its last sample while the robot walks: what was let through before that showed is taken back."""

from typing import Any

import numpy as np

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.sensor_gate import RawFeet, RawImu, RawJoints, SensorGate
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState

STUCK, TICKS = 700, 20


class Hearing:
    """An estimator behind its gate, which hears a walk whose IMU says the same from one tick on, or falls silent after a time."""

    def __init__(self, hyq: RobotModel, settings: EstimatorSettings, samples: list[Any], silent_after: float = np.inf) -> None:
        self.gate = SensorGate(hyq, settings.gate)
        self.estimator = StateEstimator(hyq.description, hyq, settings)
        self.taken_back_at, self.states = np.inf, list[RobotState]()
        names, feet = hyq.description.joint_names, hyq.description.foot_names
        for tick, sample in enumerate(samples):
            said = samples[min(tick, STUCK)]
            time = sample.time
            if time <= silent_after:
                heard = self.estimator.hear(self.gate.admit_imu(time, RawImu(said.angular_velocity_imu, said.specific_force_imu)))
                if heard is not None:
                    self.taken_back_at = min(self.taken_back_at, heard.since)
            joints = RawJoints(names, sample.joint_position, sample.joint_velocity, sample.joint_effort)
            self.estimator.hear(self.gate.admit_joints(time, joints))
            self.estimator.hear(self.gate.admit_feet(time, RawFeet(feet, sample.foot_force)))
            self.states.append(self.estimator.state(time))


def test_the_estimate_is_that_of_one_who_never_heard_it(
    hyq: RobotModel, settings: EstimatorSettings, trot: Any, noisy: Any
) -> None:
    samples = noisy(trot, 5)[: STUCK + TICKS]
    stuck = Hearing(hyq, settings, samples)
    assert stuck.gate.refusals.counts["frozen"] > 0
    assert samples[STUCK].time < stuck.taken_back_at < samples[-1].time
    never = Hearing(hyq, settings, samples, silent_after=stuck.taken_back_at)
    assert stuck.states[-1].base_position.tobytes() == never.states[-1].base_position.tobytes()
    assert stuck.states[-1].pose_covariance.tobytes() == never.states[-1].pose_covariance.tobytes()
    assert stuck.states[-1].invalid_reason == never.states[-1].invalid_reason


def test_it_is_silent_since_it_was_no_longer_true(hyq: RobotModel, settings: EstimatorSettings, trot: Any, noisy: Any) -> None:
    stuck = Hearing(hyq, settings, noisy(trot, 5)[: STUCK + TICKS])
    valid = [state.valid for state in stuck.states]
    first = valid.index(False, STUCK)
    age = stuck.states[first].time - stuck.taken_back_at
    assert settings.validity.sensor_timeout < age <= settings.validity.sensor_timeout + 0.008
    assert not any(valid[first:])
    assert "imu" in stuck.states[first].invalid_reason
