# SPDX-License-Identifier: Apache-2.0
"""The estimator whose sensors are late, lost, doubled and out of order: every measurement counts where it belongs, and only there."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.refusals import Refusal
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import (
    FootForceMeasurement,
    ImuMeasurement,
    JointMeasurement,
    MagneticMeasurement,
    Measurement,
    PoseMeasurement,
)
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState, SensorSample

FIELDS = ("base_position", "base_quaternion", "base_linear_velocity", "base_angular_velocity", "joint_position", "contact_probability",
          "pose_covariance", "twist_covariance", "joint_position_variance")  # fmt: skip


def parts(sample: SensorSample) -> list[Measurement]:
    return [
        ImuMeasurement(sample.time, sample.angular_velocity_imu, sample.specific_force_imu),
        JointMeasurement(sample.time, sample.joint_position, sample.joint_velocity, sample.joint_effort),
        FootForceMeasurement(sample.time, sample.foot_force),
    ]


def bits(state: RobotState) -> bytes:
    return b"".join(getattr(state, field).tobytes() for field in FIELDS) + state.invalid_reason.encode()


@pytest.fixture(scope="module")
def make(hyq: RobotModel, settings: EstimatorSettings) -> Callable[..., StateEstimator]:
    def fresh(duration: float = 0.06, place: float = 1e-4) -> StateEstimator:
        window = settings.window.model_copy(update={"duration": duration})
        start = settings.start.model_copy(update={"place_standard_deviation": place})
        return StateEstimator(hyq.description, hyq, settings.model_copy(update={"window": window, "start": start}))

    return fresh


@pytest.fixture(scope="module")
def samples(trot: Any, noisy: Callable) -> list[SensorSample]:
    """The robot trots from about sample 300 on."""
    return noisy(trot, 3)[:700]


def begun(make: Callable[..., StateEstimator], samples: list[SensorSample], until: int = 600, place: float = 1e-4) -> StateEstimator:
    estimator = make(place=place)
    for sample in samples[:until]:
        estimator.update(sample)
    return estimator


@hypothesis_settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_interleaving_of_the_same_measurements_gives_the_same_bits(
    make: Callable[..., StateEstimator], samples: list[SensorSample], data: st.DataObject
) -> None:
    following = [part for sample in samples[600:612] for part in parts(sample)]
    kept = [part for part in following if data.draw(st.integers(0, 9)) > 2]
    # Anything of a window's length may be overtaken by anything else of it.
    order = data.draw(st.permutations(kept))
    asked = data.draw(st.lists(st.booleans(), min_size=len(kept), max_size=len(kept)))
    plain, shuffled = begun(make, samples), begun(make, samples)
    for measurement in kept:
        assert plain.take(measurement) is None
    for measurement, ask in zip(order, asked, strict=True):
        assert shuffled.take(measurement) is None
        if ask:
            shuffled.state(samples[611].time)
    assert bits(shuffled.state(samples[611].time)) == bits(plain.state(samples[611].time))


def test_a_long_walk_with_late_sensors_ends_with_the_same_bits(make: Callable[..., StateEstimator], samples: list[SensorSample]) -> None:
    """What was late by up to 40 ms, each sensor by its own and changing delay, is in the end as if it had never been late."""
    generator = np.random.default_rng(1)
    late, prompt = begun(make, samples, 100), begun(make, samples, 100)
    arrivals = [(part.time + delay, part) for sample in samples[100:] for part in parts(sample) for delay in [generator.uniform(0.0, 0.04)]]
    for count, (_, measurement) in enumerate(sorted(arrivals, key=lambda arrival: arrival[0])):
        assert late.take(measurement) is None
        if count % 3 == 0:
            late.state(measurement.time)
    for sample in samples[100:]:
        prompt.update(sample)
    assert bits(late.state(0.0)) == bits(prompt.state(0.0))
    assert late.refusals.total == 0


def test_a_longer_window_changes_nothing(make: Callable[..., StateEstimator], samples: list[SensorSample]) -> None:
    short, long = make(0.02), make(0.5)
    for sample in samples:
        one, other = short.update(sample), long.update(sample)
    assert bits(one) == bits(other)


def test_late_measurements_count_where_they_belong(make: Callable[..., StateEstimator], trot: Any, samples: list[SensorSample]) -> None:
    """With the IMU 20 ms late, the velocity by stamps is far better than the one that takes each sample for new."""
    late = 5
    aware, unaware = begun(make, samples, 100), begun(make, samples, 100)
    errors: dict[str, list[float]] = {"aware": [], "unaware": []}
    for k in range(100, 700):
        imu, joints, feet = parts(samples[k])
        old = parts(samples[max(99, k - late)])[0]
        aware.take(joints, feet)
        if k - late >= 100:
            aware.take(old)
        unaware.take(replace(old, time=imu.time), joints, feet)
        for name, estimator in (("aware", aware), ("unaware", unaware)):
            state = estimator.state(imu.time)
            if k > 400:
                errors[name].append(float(np.linalg.norm(state.base_linear_velocity - trot.linear_velocity[k])))
    rms = {name: float(np.sqrt(np.mean(np.square(values)))) for name, values in errors.items()}
    assert rms["aware"] < 0.6 * rms["unaware"]


def test_what_is_older_than_the_window_is_dropped_and_counted(make: Callable[..., StateEstimator], samples: list[SensorSample]) -> None:
    estimator = begun(make, samples)
    before = bits(estimator.state(0.0))
    refusal = estimator.take(parts(replace(samples[500], time=samples[500].time + 0.001))[0])
    assert isinstance(refusal, Refusal)
    assert refusal.kind == "stamp_too_old"
    assert "imu" in refusal.words
    assert bits(estimator.state(0.0)) == before


@pytest.mark.parametrize("sensor", [0, 1])
def test_a_sensor_that_stops_makes_it_invalid_within_50_ms(
    make: Callable[..., StateEstimator], samples: list[SensorSample], sensor: int
) -> None:
    estimator = begun(make, samples)
    word, stopped = ("imu", "joints")[sensor], samples[599].time
    rest = iter(samples[600:])
    for sample in rest:
        estimator.take(*(part for k, part in enumerate(parts(sample)) if k != sensor))
        state = estimator.state(sample.time)
        assert np.isfinite(state.base_position).all()
        if not state.valid:
            break
    assert word in state.invalid_reason
    assert sample.time - stopped <= 0.05
    # It speaks again: the estimate is doubted for a while, and then believed.
    for again in rest:
        state = estimator.update(again)
    assert again.time > sample.time + 0.35
    assert state.valid


def test_a_single_stamp_from_far_away_does_no_harm(make: Callable[..., StateEstimator], samples: list[SensorSample]) -> None:
    for jump in (1e6, 5.0, 0.5, 0.07, -5.0):
        estimator, plain = begun(make, samples, 610), begun(make, samples, 610)
        for sample in samples[610:640]:
            if sample is samples[620]:
                refusal = estimator.take(parts(replace(sample, time=sample.time + jump))[0])
                assert isinstance(refusal, Refusal)
                assert refusal.kind == "stamp_jumped"
            assert bits(estimator.update(sample)) == bits(plain.update(sample))


def test_a_clock_that_goes_back_starts_it_again_where_it_was(make: Callable[..., StateEstimator], still: Callable[..., Any]) -> None:
    estimator = make()
    for sample in still(100, start=100.0):
        estimator.update(sample)
    states = [estimator.update(sample) for sample in still(100, start=90.0)]
    assert "the clock went back" in states[1].invalid_reason
    assert states[-1].valid
    assert states[-1].time == pytest.approx(90.396)


def test_stamps_that_stand_still_are_named(make: Callable[..., StateEstimator], still: Callable[..., Any]) -> None:
    estimator = make()
    for sample in still(10):
        state = estimator.update(replace(sample, time=0.0))
    assert "no clock" in state.invalid_reason


def test_the_state_ahead_is_nearer_to_what_will_be(hyq: RobotModel, settings: EstimatorSettings, trot: Any, samples: list) -> None:
    """One step ahead is published: there, the prediction beats the state of now."""
    ahead = settings.window.model_copy(update={"lead": 0.004})
    leading = StateEstimator(hyq.description, hyq, settings.model_copy(update={"window": ahead}))
    plain = StateEstimator(hyq.description, hyq, settings)
    errors: dict[str, list[float]] = {"leading": [], "plain": []}
    for k, sample in enumerate(samples[:-1]):
        for name, estimator in (("leading", leading), ("plain", plain)):
            state = estimator.update(sample)
            if k > 300:
                errors[name].append(float(np.linalg.norm(state.base_position - trot.position[k + 1])))
                errors[name].append(float(np.abs(state.joint_position - trot.samples[k + 1].joint_position).max()))
    assert np.mean(errors["leading"]) < 0.8 * np.mean(errors["plain"])


def test_an_absolute_pose_that_is_late_ends_the_drift(make: Callable[..., StateEstimator], samples: list[SensorSample]) -> None:
    variance = np.array([1e-6, 1e-6, np.nan, np.nan, np.nan, 1e-6])
    yaw, shift = 0.03, np.array([0.02, -0.01, 0.0])
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    plain, posed = begun(make, samples, 100), begun(make, samples, 100, place=0.1)
    seen: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for k in range(100, 700):
        where = plain.update(samples[k])
        posed.take(*parts(samples[k]))
        if k > 110 and k % 4 == 0:
            # Somebody outside sees it moved and turned a little, 40 ms ago.
            turned = np.array([0.0, 0.0, np.sin(0.5 * yaw), np.cos(0.5 * yaw)])
            place, orientation = turn @ seen[k - 10][0] + shift, product(turned, seen[k - 10][1])
            posed.take(PoseMeasurement(samples[k - 10].time + 0.0005, place, orientation, variance))
        seen[k] = where.base_position, where.base_quaternion
    there = posed.state(0.0)
    assert there.base_position[:2] == pytest.approx((turn @ where.base_position + shift)[:2], abs=4e-3)
    difference = product(there.base_quaternion, where.base_quaternion * np.array([-1.0, -1.0, -1.0, 1.0]))
    assert 2.0 * difference[2] == pytest.approx(yaw, abs=3e-3)
    assert there.pose_covariance[5, 5] < where.pose_covariance[5, 5]


def test_a_magnetic_field_holds_the_heading(
    make: Callable[..., StateEstimator], hyq: RobotModel, still: Callable[..., list[SensorSample]]
) -> None:
    imu_axes = hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation
    field, blind, seeing = imu_axes.T @ np.array([20.0, 5.0, -2.0]), make(), make()
    drifting = np.array([0.0, 0.0, 0.002])
    for sample in still(1500):
        # Feet that step in place keep it from rest, in which it would learn the bias.
        moved = replace(
            sample, angular_velocity_imu=imu_axes.T @ drifting, joint_position=sample.joint_position + 0.01 * np.sin(20.0 * sample.time),
            foot_force=np.zeros((4, 3)) if sample.time > 0.5 else sample.foot_force,
        )  # fmt: skip
        blind.update(moved)
        seeing.take(MagneticMeasurement(sample.time, field, 0.005))
        seeing.update(moved)
    states = [estimator.state(0.0) for estimator in (seeing, blind)]
    yaws = [abs(2.0 * state.base_quaternion[2]) for state in states]
    assert yaws[0] < 3.0 * np.sqrt(states[0].pose_covariance[5, 5])
    assert yaws[1] > 0.005
    assert yaws[0] < 0.3 * yaws[1]


@pytest.mark.parametrize("offset", [-5.0, -0.3, 0.0, 0.02, 0.3, 0.8, 5.0, 1e6])
def test_however_a_pose_from_outside_is_stamped_the_robot_stays_known(
    make: Callable[..., StateEstimator], samples: list[SensorSample], offset: float
) -> None:
    variance = np.full(6, 1e-4)
    estimator, plain = begun(make, samples, 100), begun(make, samples, 100)
    for k in range(100, 300):
        where = plain.update(samples[k])
        estimator.take(*parts(samples[k]))
        if k % 5 == 0:
            estimator.take(PoseMeasurement(samples[k].time + offset, where.base_position, where.base_quaternion, variance))
        state = estimator.state(samples[k].time)
        assert state.valid, state.invalid_reason
    assert np.abs(state.base_position - where.base_position).max() < 0.005
    assert (estimator.refusals.counts["stamp_out_of_time"] > 0) == (offset > 0.0)


def test_a_pose_of_another_clock_does_not_place_the_robot(make: Callable[..., StateEstimator], samples: list[SensorSample]) -> None:
    estimator = make(place=1.0)
    estimator.take(PoseMeasurement(1e6, np.array([0.5, 0.0, 0.0]), np.zeros(4), np.array([0.01, 0.01, *[np.nan] * 4])))
    for sample in samples[:200]:
        state = estimator.update(sample)
    assert state.valid, state.invalid_reason
    assert abs(state.base_position[0]) < 0.01


@pytest.mark.parametrize("quaternion", [np.zeros(4), np.full(4, np.nan)])
def test_a_pose_whose_orientation_is_none_is_refused(
    make: Callable[..., StateEstimator], samples: list[SensorSample], quaternion: np.ndarray
) -> None:
    estimator = begun(make, samples)
    refusal = estimator.take(PoseMeasurement(samples[600].time, np.zeros(3), quaternion, np.ones(6)))
    assert isinstance(refusal, Refusal)
    assert refusal.kind == "not_finite"
    place_only = np.array([1.0, 1.0, 1.0, np.nan, np.nan, np.nan])
    assert estimator.take(PoseMeasurement(samples[600].time, np.zeros(3), quaternion, place_only)) is None


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Of quaternions x y z w."""
    vector = p[3] * q[:3] + q[3] * p[:3] + np.cross(p[:3], q[:3])
    return np.array([*vector, p[3] * q[3] - p[:3] @ q[:3]])
