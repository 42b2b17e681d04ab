# SPDX-License-Identifier: Apache-2.0
"""A robot that stands still and does not start: what keeps it from that is said, with the value, the limit and the way out."""

from collections.abc import Callable

import pytest

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import ImuMeasurement, JointMeasurement
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState

LIMIT = "at most 40 ms is asked"


@pytest.fixture
def heard(hyq: RobotModel, settings: EstimatorSettings, still: Callable) -> Callable[..., list[RobotState]]:
    """What is said in each of n ticks of 4 ms of which the IMU and the joints say every so manieth, the IMU by a clock that is ahead."""

    def hear(imu: int = 1, joints: int = 1, ahead: float = 0.0, count: int = 200) -> list[RobotState]:
        estimator, states = StateEstimator(hyq.description, hyq, settings), []
        for k, sample in enumerate(still(count, start=100.0)):
            if imu and k % imu == 0:
                estimator.take(ImuMeasurement(sample.time + ahead, sample.angular_velocity_imu, sample.specific_force_imu))
            if joints and k % joints == 0:
                estimator.take(JointMeasurement(sample.time, sample.joint_position, sample.joint_velocity, sample.joint_effort))
            states.append(estimator.state(sample.time))
        return states

    return hear


@pytest.mark.parametrize(("missing", "topic"), [("imu", "/imu"), ("joints", "/joint_states")])
def test_a_sensor_that_is_not_there_is_named(heard: Callable, missing: str, topic: str) -> None:
    said = heard(**{missing: 0})[-1].invalid_reason
    assert said.startswith(f"not started: nothing came from {missing} that can be used")
    for word in ("0.80 s", "0.04 s", topic):
        assert word in said
    assert "lie or stand" not in said


@pytest.mark.parametrize("rare", ["imu", "joints"])
def test_a_sensor_that_comes_too_rarely_is_named(heard: Callable, rare: str) -> None:
    said = heard(**{rare: 13})[-1].invalid_reason
    assert said.startswith(f"not started: samples of {rare} are 52 ms apart, and {LIMIT}: let its driver send more often")


@pytest.mark.parametrize(("ahead", "apart"), [(0.1, "0.100 s after"), (0.3, "0.300 s after"), (-0.5, "0.500 s before")])
def test_clocks_that_are_apart_are_named(heard: Callable, ahead: float, apart: str) -> None:
    said = heard(ahead=ahead)[-1].invalid_reason
    assert said.startswith(f"not started: stamps of imu are {apart} those of joints, and at most 0.04 s is asked: they have two clocks")


@pytest.mark.parametrize("ahead", [10.0, -10.0, 1e6])
def test_clocks_that_are_far_apart_are_two_clocks_and_not_a_clock_that_jumps(heard: Callable, ahead: float) -> None:
    said = [state.invalid_reason for state in heard(ahead=ahead)]
    # The first jump alone says no more than that something jumped.
    assert all("two clocks" in words for words in said[8:])
    assert not any("came for" in words or "went back" in words for words in said[8:])


def test_a_clock_that_is_set_is_no_second_clock(hyq: RobotModel, settings: EstimatorSettings, still: Callable) -> None:
    estimator, said = StateEstimator(hyq.description, hyq, settings), []
    for start in (100.0, 50.0, 200.0):
        said += [estimator.update(sample).invalid_reason for sample in still(100, start=start)]
    assert any("went back" in words for words in said)
    assert any("no sensor data came for" in words for words in said)
    assert not any("two clocks" in words for words in said)
    assert said[-1] == ""


def test_one_gap_is_waited_out(hyq: RobotModel, settings: EstimatorSettings, still: Callable) -> None:
    estimator = StateEstimator(hyq.description, hyq, settings)
    samples = still(100)
    said = [estimator.update(sample).invalid_reason for sample in samples[:20] + samples[30:]]
    assert "samples of imu are 44 ms apart" in said[20]
    assert said[21] == "not started: the robot has to lie or stand still first"
    assert said[-1] == ""
