# SPDX-License-Identifier: Apache-2.0
"""Whatever sensors and guests say, by way of the gate, no state is published that no robot is in."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as few
from hypothesis import strategies as st
from numpy.typing import NDArray

from surefoot.estimation.absolute_gate import AbsoluteGate, RawField
from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.plausibility import SensorBounds
from surefoot.estimation.sensor_gate import RawFeet, RawImu, RawJoints, SensorGate
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState

Array = NDArray[np.float64]
PERIOD, QUANTUM = 0.004, 0.0015
CHANNELS = {"position": 12, "velocity": 12, "effort": 12, "rate": 3, "force": 3, "feet": 12}


class Heard:
    """An estimator behind its gates."""

    def __init__(self, hyq: RobotModel, settings: EstimatorSettings) -> None:
        self._model, self.gate = hyq, SensorGate(hyq, settings.gate)
        self.guests = AbsoluteGate("odom", hyq.description.sensors.imu_link, self.gate.refusals)
        self.estimator = StateEstimator(hyq.description, hyq, settings)

    def hear(self, time: float, sample: Any, without: tuple[str, ...] = (), **wrong: Array) -> RobotState:
        """One tick of a sample, with wrong values in some channels, and without some sensors."""
        effort = np.zeros(12) if np.isnan(sample.joint_effort).all() else sample.joint_effort
        right = {
            "position": sample.joint_position, "velocity": sample.joint_velocity, "effort": effort,
            "rate": sample.angular_velocity_imu, "force": sample.specific_force_imu, "feet": sample.foot_force,
        }  # fmt: skip
        said = {name: np.asarray(wrong.get(name, value), dtype=float) for name, value in right.items()}
        if "imu" not in without:
            self.estimator.hear(self.gate.admit_imu(time, RawImu(said["rate"], said["force"])))
        if "joints" not in without:
            joints = RawJoints(self._model.joint_names, said["position"], said["velocity"], said["effort"])
            self.estimator.hear(self.gate.admit_joints(time, joints))
        if "feet" not in without:
            self.estimator.hear(self.gate.admit_feet(time, RawFeet(self._model.description.foot_names, said["feet"].reshape(4, 3))))
        return self.estimator.state(time)


@pytest.fixture
def heard(hyq: RobotModel, settings: EstimatorSettings) -> Heard:
    return Heard(hyq, settings)


def beyond(state: RobotState, bounds: SensorBounds) -> list[str]:
    """What is published and cannot be."""
    joints = np.array((state.joint_position, state.joint_velocity, state.joint_effort))
    base = np.concatenate((state.base_position, state.base_linear_velocity, state.base_angular_velocity))
    wrong = {
        "joints": (joints < bounds.lower).any() or (joints > bounds.upper).any() or not np.isfinite(joints[:2]).all(),
        "feet": (np.linalg.norm(state.foot_force, axis=1) > np.sqrt(3.0) * bounds.foot_force * 1.001).any(),
        "base": not np.isfinite(base).all() or (state.valid and np.abs(base).max() > 120.0),
    }
    return [name for name, is_so in wrong.items() if is_so]


NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True), st.floats(-100.0, 100.0), st.sampled_from([1e300, -1e300, 1e6, -1e7, 1e5, 5.0, np.nan])
)
WRONG = st.lists(st.tuples(st.sampled_from(sorted(CHANNELS)), st.integers(0, 11), NUMBERS, st.booleans()), min_size=1, max_size=6)


@given(WRONG)
@few(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_is_published_that_no_robot_does(hyq: RobotModel, settings: EstimatorSettings, still: Any, wrong: Any) -> None:
    heard, bounds = Heard(hyq, settings), SensorBounds.of(hyq, settings.gate)
    sample = still(1)[0]
    for tick in range(60):
        heard.hear(PERIOD * tick, sample)
    names = {"position": sample.joint_position, "rate": sample.angular_velocity_imu, "force": sample.specific_force_imu}
    for tick, (channel, place, value, everywhere) in enumerate(wrong, 60):
        said = np.array(names.get(channel, np.zeros(CHANNELS[channel])), dtype=float)
        said[slice(None) if everywhere else place % len(said)] = value
        assert beyond(heard.hear(PERIOD * tick, sample, **{channel: said}), bounds) == []
    # Nothing more is heard: what is guessed stays inside as well.
    assert beyond(heard.estimator.state(PERIOD * 90), bounds) == []


@pytest.mark.parametrize(
    ("channel", "value"),
    [("position", 1e300), ("position", 1e6), ("position", 5.0), ("velocity", 1e6), ("velocity", 1e300), ("effort", 1e300), ("effort", 1e5),
     ("feet", 1e7), ("feet", -1e7), ("feet", 1e300)],
)  # fmt: skip
def test_one_absurd_sample_of_a_standing_robot_changes_nothing_and_is_counted(
    hyq: RobotModel, settings: EstimatorSettings, still: Any, channel: str, value: float
) -> None:
    heard, sample = Heard(hyq, settings), still(1)[0]
    for tick in range(60):
        before = heard.hear(PERIOD * tick, sample)
    counted = heard.estimator.refusals.counts.copy()
    wrong = np.zeros(CHANNELS[channel]) if channel != "position" else np.array(sample.joint_position)
    wrong[0] += value
    state = heard.hear(PERIOD * 60, sample, **{channel: wrong})
    assert heard.gate.refusals.counts == {"implausible": 1}
    assert heard.estimator.refusals.counts == counted
    assert state.valid
    assert np.abs(state.joint_position - before.joint_position).max() < 1e-6
    assert np.abs(state.joint_velocity).max() < 1e-6
    assert np.nanmax(np.abs(state.foot_force)) < hyq.total_mass * 9.81


@pytest.mark.parametrize("channel", ["rate", "force", "position"])
def test_a_vector_that_hangs_alone_ends_the_validity_of_a_walk(heard: Heard, trot: Any, noisy: Any, channel: str) -> None:
    samples = noisy(trot, 5)[:800]
    field = {"rate": "angular_velocity_imu", "force": "specific_force_imu", "position": "joint_position"}[channel]
    hung = getattr(samples[600], field)
    valid = [
        heard.hear(sample.time, sample, **({channel: hung} if tick >= 600 else {})).valid for tick, sample in enumerate(samples)
    ]
    assert all(valid[100:600])
    assert not any(valid[700:])
    assert set(heard.gate.refusals.counts) == {"frozen"}
    (age,) = (heard.estimator.age(sensor, samples[-1].time) for sensor in (("joints" if channel == "position" else "imu"),))
    assert age > 100 * PERIOD, "what was let through is taken back"


def test_a_gyroscope_that_says_zeros_from_the_start_is_found_out_as_the_robot_walks(heard: Heard, trot: Any, noisy: Any) -> None:
    states = [heard.hear(sample.time, sample, rate=np.zeros(3)) for sample in noisy(trot, 5)[:600]]
    assert not states[-1].valid
    assert heard.gate.refusals.counts["frozen"] > 0


def test_a_walk_with_losses_jitter_and_coarse_encoders_trips_nothing(heard: Heard, trot: Any, noisy: Any) -> None:
    generator = np.random.default_rng(3)
    for sample in noisy(trot, 6)[:1250]:
        coarse = QUANTUM * np.round(sample.joint_position / QUANTUM)
        lost = tuple(sensor for sensor in ("imu", "joints", "feet") if generator.random() < 0.1)
        state = heard.hear(sample.time + generator.uniform(0.0, 0.0005), sample, without=lost, position=coarse)
    assert not heard.gate.refusals.counts
    assert state.valid


@pytest.mark.parametrize("each", [4, 40])
def test_guests_cost_one_sample_a_period_and_push_nothing_out(
    heard: Heard, trot: Any, noisy: Any, hyq: RobotModel, each: int
) -> None:
    axes, link = hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation, hyq.description.sensors.imu_link
    samples, late = noisy(trot, 5)[:400], 5
    slots, refused = [], []
    for tick, sample in enumerate(samples):
        for k in range(each):
            raw = RawField(link, axes.T @ (1.0, 0.0, -1.0), (1e-2 * np.eye(3)).ravel())
            heard.estimator.hear(heard.guests.admit_field(sample.time + PERIOD * ((k + 0.5) / each - 1.0), raw))
        old = samples[max(0, tick - late)]
        refused.append(heard.estimator.hear(heard.gate.admit_imu(old.time, RawImu(old.angular_velocity_imu, old.specific_force_imu))))
        state = heard.hear(sample.time, sample, without=("imu",))
        slots.append(heard.estimator._window.end - heard.estimator._window.begin)
    counts = heard.estimator.refusals.counts
    assert refused[100:] == [None] * 300
    assert counts["too_often"] >= (each - 2) * 300
    assert max(slots[100:]) < 50
    assert state.valid
