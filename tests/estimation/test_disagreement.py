# SPDX-License-Identifier: Apache-2.0
"""A fault while the robot walks throws the estimate off: the state is not valid and wrong, and a walk without one is always valid."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sensor_garbage import GARBAGE, Garble, force

from surefoot.estimation.contact import FORCE, TORQUE, bears_load, feel_force, miss
from surefoot.estimation.disagreement import note_disagreement
from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.filter_state import FILTER_PARAMETERS, FILTER_STATE
from surefoot.robot.state import RobotState, SensorSample

Array = NDArray[np.float64]
STEP = 0.004
BEGIN, END = 750, 1000
"""Samples of the walk between which sensors say nonsense: 3 s to 4 s, at full speed."""
WRONG = 0.3
"""Error of the velocity along the base that nobody may walk on, m/s."""
SENSORS = ("force", "effort", "both")


def heard(sample: SensorSample, sensors: str) -> SensorSample:
    """What a robot says that has only some sensors of contact."""
    if sensors == "force":
        return replace(sample, joint_effort=np.full(12, np.nan))
    return replace(sample, foot_force=np.full((4, 3), np.nan)) if sensors == "effort" else sample


def wrong(walk: Any, k: int, state: RobotState) -> bool:
    """Whether a state is valid and its velocity, along the base, is far from the truth."""
    x, y, z, w = state.base_quaternion
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation = np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross
    away = rotation.T @ state.base_linear_velocity - walk.rotation[k].T @ walk.linear_velocity[k]
    return state.valid and float(np.linalg.norm(away)) > WRONG


def walked(estimator: StateEstimator, samples: list[SensorSample], sensors: str, garble: Garble) -> list[RobotState]:
    """States of a walk with a second of garbage."""
    generator = np.random.default_rng(1)
    garbled = [garble(sample, generator) if BEGIN <= k < END else sample for k, sample in enumerate(samples)]
    return [estimator.update(heard(sample, sensors)) for sample in garbled]


@pytest.mark.parametrize("sensors", SENSORS)
@pytest.mark.parametrize("kind", GARBAGE)
def test_after_garbage_in_a_walk_it_is_not_valid_and_wrong(
    estimator: StateEstimator, trot: Any, with_torques: list[SensorSample], kind: str, sensors: str
) -> None:
    states = walked(estimator, with_torques, sensors, GARBAGE[kind])
    after = [wrong(trot, k, state) for k, state in enumerate(states)][END:]
    assert np.mean(after) < 0.07
    assert not any(after[round(0.4 / STEP) :])


def test_a_gyroscope_that_is_stuck_for_good_is_not_believed(estimator: StateEstimator, trot: Any, with_torques: list[SensorSample]) -> None:
    stuck = with_torques[BEGIN].angular_velocity_imu
    samples = [replace(sample, angular_velocity_imu=stuck) if k >= BEGIN else sample for k, sample in enumerate(with_torques)]
    states = [estimator.update(heard(sample, "force")) for sample in samples]
    bad = [wrong(trot, k, state) for k, state in enumerate(states)]
    assert np.mean(bad[BEGIN:]) < 0.1
    assert "legs and IMU have disagreed" in states[-1].invalid_reason


def spoilt(sample: SensorSample, wrong_feet: NDArray[np.bool_], stuck: float) -> SensorSample:
    """Feet that say the opposite, and one that says the same force all the time, N; NaN: none does."""
    says = sample.foot_force.copy()
    usual = np.array([0.0, 0.0, 400.0])
    for leg in range(4):
        if wrong_feet[leg]:
            says[leg] = np.zeros(3) if says[leg, 2] > 100.0 else usual
    if np.isfinite(stuck):
        says[1] = (0.0, 0.0, stuck)
    return replace(sample, foot_force=says)


@pytest.mark.parametrize("stuck", [np.nan, 0.0, 400.0])
@pytest.mark.parametrize("sensors", ["force", "both"])
def test_feet_that_say_what_is_not_true_make_no_walk_invalid(
    estimator: StateEstimator, trot: Any, with_torques: list[SensorSample], sensors: str, stuck: float
) -> None:
    generator, now = np.random.default_rng(3), np.zeros(4, dtype=np.bool_)
    states = []
    for sample in with_torques:
        # 5 % of the time, for 30 ms at a time.
        now = np.where(now, generator.random(4) > STEP / 0.03, generator.random(4) < STEP / 0.03 * 0.05 / 0.95)
        states.append(estimator.update(heard(spoilt(sample, now, stuck), sensors)))
    started = next(k for k, state in enumerate(states) if state.valid)
    assert all(state.valid for state in states[started:])
    assert not any(wrong(trot, k, state) for k, state in enumerate(states))


def test_a_robot_that_lost_its_way_and_stops_starts_again(
    estimator: StateEstimator, trot: Any, with_torques: list[SensorSample], still
) -> None:
    states = walked(estimator, with_torques[: END + 250], "force", force(15.0, True))
    assert not states[-1].valid
    after = [estimator.update(sample) for sample in still(500, start=states[-1].time + STEP)]
    assert after[-1].valid
    assert estimator.refusals.counts == {"lost": 1}


def state_and_parameters() -> tuple[Any, Any]:
    state, parameters = np.zeros(1, FILTER_STATE), np.zeros(1, FILTER_PARAMETERS)
    state["contact_evidence"] = np.nan
    parameters["rejection_time"] = 0.2
    parameters["contact_begin"], parameters["contact_end"], parameters["contact_scale"] = 40.0, 30.0, 4.0
    parameters["contact_evidence"], parameters["contact_certainty"] = 2.5, 3.0
    return state, parameters


def test_a_foot_bears_load_wherever_the_estimate_believes_the_ground_to_be() -> None:
    state, parameters = state_and_parameters()
    # By an estimate that has turned over, the ground pulls.
    feel_force(state[0], parameters[0], 2, FORCE, np.array([0.0, 0.0, 300.0]), np.array([0.0, 0.0, -1.0]))
    assert state["in_contact"][0, 2] == 0.0
    assert bears_load(state[0], 2)
    miss(state[0], parameters[0], 2, FORCE)
    assert not bears_load(state[0], 2)


def test_a_source_that_is_contradicted_does_not_say_that_a_foot_bears_load() -> None:
    state, parameters = state_and_parameters()
    feel_force(state[0], parameters[0], 0, TORQUE, np.array([0.0, 0.0, 300.0]), np.array([0.0, 0.0, 1.0]))
    state["contact_invented"][0, 0, TORQUE] = 0.9
    assert not bears_load(state[0], 0)


def test_one_foot_that_fits_for_a_moment_does_not_make_all_good() -> None:
    state, parameters = state_and_parameters()
    for k in range(100):
        note_disagreement(state[0], parameters[0], k % 4 != 0, k % 4 == 0, STEP)
    assert state["disagreed_for"][0] > 0.0
    for k in range(100):
        note_disagreement(state[0], parameters[0], k % 2 == 0, k % 2 != 0, STEP)
    assert state["disagreed_for"][0] < 0.02


def test_after_a_long_disagreement_legs_and_imu_have_to_agree_for_a_while() -> None:
    state, parameters = state_and_parameters()

    def after(count: int, disagree: bool, agree: bool) -> float:
        for _ in range(count):
            note_disagreement(state[0], parameters[0], disagree, agree, STEP)
        return float(state["disagreed_for"][0])

    assert after(25, True, False) == pytest.approx(0.1)
    assert after(5, False, False) == pytest.approx(0.08)
    assert after(5, False, True) == pytest.approx(0.04)
    assert after(10, False, True) == 0.0
    assert after(500, True, False) == pytest.approx(2.0)
    assert after(48, False, True) > 0.2
    assert after(4, False, True) < 0.2
