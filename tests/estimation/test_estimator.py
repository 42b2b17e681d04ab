# SPDX-License-Identifier: Apache-2.0
"""The estimator on a walk whose truth is known, and cases 52, 54, 58, 60, 62, 68, 70, 72."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import FootForceMeasurement, ImuMeasurement, JointMeasurement, PoseMeasurement
from surefoot.robot.description import RobotDescription
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState, SensorSample


def run(estimator: StateEstimator, samples: list[SensorSample]) -> list[RobotState]:
    return [estimator.update(sample) for sample in samples]


def fingerprint(states: list[RobotState]) -> bytes:
    fields = ("base_position", "base_quaternion", "base_linear_velocity", "pose_covariance", "twist_covariance", "contact_probability")
    return b"".join(getattr(state, field).tobytes() for state in states for field in fields)


def test_perfect_sensors_give_the_truth(estimator: StateEstimator, trot, errors) -> None:
    result = errors(trot, run(estimator, trot.samples))
    assert len(result.states) > 4900
    way = np.linalg.norm(np.diff(trot.position[:, :2], axis=0), axis=1).sum()
    assert np.abs(result.error[:, :2]).max() < 0.01 * way
    assert np.abs(result.error[:, 2]).max() < 1e-3
    assert np.abs(result.error[:, 5]).max() < np.radians(0.5)
    assert np.sqrt(np.mean(result.error[:, 6:9] ** 2)) < 3e-3


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_errors_stay_within_three_sigma(hyq: RobotModel, settings: EstimatorSettings, trot, noisy, errors, seed: int) -> None:
    result = errors(trot, run(StateEstimator(hyq.description, hyq, settings), noisy(trot, seed)))
    assert len(result.states) > 4900
    assert (np.abs(result.error) < 3.0 * result.deviation).mean() >= 0.99
    # An honest filter is not shy either: its spread is of the size of the errors, not of the room.
    assert (result.deviation.max(axis=0) < [0.1, 0.1, 0.035, 0.02, 0.02, 0.03, 0.05, 0.05, 0.05, 0.01, 0.01, 0.01]).all()
    assert np.sqrt(np.mean(result.error[:, 6:9] ** 2)) < 0.03
    assert abs(result.error[-1, 5]) < np.radians(1.0)
    for state in result.states[::500]:
        assert np.linalg.eigvalsh(state.pose_covariance).min() > 0.0
        assert np.linalg.eigvalsh(state.twist_covariance).min() > 0.0


def test_a_step_begins_when_a_foot_is_lifted_off(estimator: StateEstimator, trot) -> None:
    begun, lifted, before = [], [], np.zeros(4)
    for sample in trot.samples[:1500]:
        estimator.update(sample)
        if estimator.started:
            memory = estimator._memory
            if (memory["in_contact"][0] < before).any():
                lifted.append(sample.time)
            before = memory["in_contact"][0].copy()
            if np.isfinite(memory["step_begun"][0]) and (not begun or memory["step_begun"][0] > begun[-1]):
                begun.append(float(memory["step_begun"][0]))
    assert len(lifted) > 5
    assert begun == lifted


def test_the_same_samples_give_the_same_states_to_the_bit(hyq: RobotModel, settings: EstimatorSettings, trot, noisy) -> None:
    samples = noisy(trot, 5)[:1500]
    one, other = (fingerprint(run(StateEstimator(hyq.description, hyq, settings), samples)) for _ in range(2))
    assert one == other


def test_lost_samples_are_bridged_by_their_stamps(estimator: StateEstimator, trot, noisy, errors) -> None:
    generator = np.random.default_rng(0)
    kept = np.flatnonzero(generator.uniform(size=len(trot.samples)) > 0.1)
    samples = noisy(trot, 6)
    states = run(estimator, [samples[k] for k in kept])
    walk = replace(trot, **{name: getattr(trot, name)[kept] for name in ("position", "rotation", "linear_velocity", "angular_velocity")})
    result = errors(walk, states)
    assert (np.abs(result.error) < 3.0 * result.deviation).mean() >= 0.99


def test_a_body_over_fixed_feet_that_moves_forward_has_a_positive_velocity(estimator: StateEstimator, trot) -> None:
    states = run(estimator, trot.samples)
    for k in (600, 2000, 4000):
        forward = trot.rotation[k][:, 0]
        assert states[k].base_linear_velocity @ forward == pytest.approx(trot.linear_velocity[k] @ forward, abs=0.01)
        assert states[k].base_linear_velocity @ forward > 0.2


def test_without_foot_velocities_it_follows_as_well(hyq: RobotModel, settings: EstimatorSettings, trot, noisy, errors) -> None:
    plain = settings.model_copy(update={"filter": settings.filter.model_copy(update={"use_foot_velocity": False})})
    result = errors(trot, run(StateEstimator(hyq.description, hyq, plain), noisy(trot, 8)[:2500]))
    assert (np.abs(result.error) < 3.0 * result.deviation).mean() >= 0.99
    assert np.abs(result.error[:, 2]).max() < 0.01


def test_noise_of_joint_speeds_does_not_tilt_a_robot_that_stands(hyq: RobotModel, settings: EstimatorSettings, still) -> None:
    """Its product with itself has a mean: it must not be in an innovation and in the derivative of that innovation both."""
    noise = replace_noise(hyq, 0.1)
    tilts = []
    for seed in range(4):
        speeds = 0.1 * np.random.default_rng(seed).normal(size=(500, 12))
        estimator = StateEstimator(noise, hyq, settings)
        samples = [replace(sample, joint_velocity=speed) for sample, speed in zip(still(500), speeds, strict=True)]
        quaternion = run(estimator, samples)[-1].base_quaternion
        tilts.append(2.0 * quaternion[:2])
    assert np.abs(np.mean(tilts, axis=0)).max() < 0.00015


def replace_noise(model: RobotModel, joint_speed: float) -> RobotDescription:
    """The robot with another noise of its joints' speeds, rad/s."""
    sensors = model.description.sensors
    speed = sensors.joint_velocity.model_copy(update={"standard_deviation": joint_speed})
    return model.description.model_copy(update={"sensors": sensors.model_copy(update={"joint_velocity": speed})})


def test_contact_flags_that_are_40_ms_wrong_leave_the_height_bounded(estimator: StateEstimator, trot, noisy, errors) -> None:
    samples, late = noisy(trot, 7), 10
    wrong = []
    for k, sample in enumerate(samples):
        around = trot.contact[max(0, k - late) : k + late + 1].any(axis=0)
        load = np.where(around, 200.0, 0.0)
        wrong.append(replace(sample, foot_force=load[:, None] * (trot.rotation[k].T @ [0.0, 0.0, 1.0])))
    result = errors(trot, run(estimator, wrong))
    assert len(result.states) > 4900
    assert np.abs(result.error[:, 2]).max() < 0.05 / 3.0
    assert np.abs(result.error[:, 3:5]).max() < 0.03


def test_without_contact_the_height_is_kept_and_doubt_grows(estimator: StateEstimator, still, settings: EstimatorSettings) -> None:
    run(estimator, still(250))
    before = estimator.update(still(1, start=1.0)[0])
    # Legs that swing in the air: the robot hangs, no foot bears load.
    moving = [
        replace(sample, joint_position=sample.joint_position + 0.1 * np.sin(6.0 * sample.time), foot_force=np.zeros((4, 3)))
        for sample in still(250, start=1.004)
    ]
    states = run(estimator, moving)
    assert (states[-1].contact_probability < 0.05).all()
    assert states[-1].base_position[2] == pytest.approx(before.base_position[2], abs=0.02)
    heights = [state.pose_covariance[2, 2] for state in states[100:]]
    assert (np.diff(heights) > 0.0).all()
    for sample in still(1500, start=2.1):
        swinging = replace(sample, joint_position=sample.joint_position + 0.1 * np.sin(6.0 * sample.time), foot_force=np.zeros((4, 3)))
        state = estimator.update(swinging)
    assert not state.valid
    assert "uncertain" in state.invalid_reason


def test_the_start_is_level_on_the_ground_at_the_origin(hyq: RobotModel, estimator: StateEstimator, still) -> None:
    state = run(estimator, still(100))[-1]
    np.testing.assert_allclose(state.base_position, [0.0, 0.0, hyq.description.stand_height], atol=1e-3)
    np.testing.assert_allclose(state.base_quaternion, [0.0, 0.0, 0.0, 1.0], atol=1e-9)
    assert state.valid
    assert not estimator.resting
    run(estimator, still(100, start=0.4))
    assert estimator.resting


def test_a_lying_robot_learns_its_gyroscope_bias(hyq: RobotModel, estimator: StateEstimator, still) -> None:
    imu = hyq.attached_frame(hyq.description.sensors.imu_link)
    bias = np.array([0.001, -0.0015, 0.002])
    lying = still(
        1000,
        joint_position=hyq.lie_joint_position,
        angular_velocity_imu=imu.body_from_frame_rotation.T @ bias,
        foot_force=np.zeros((4, 3)),
    )
    state = run(estimator, lying)[-1]
    assert state.valid
    assert estimator.resting
    np.testing.assert_allclose(estimator.gyroscope_bias, bias, rtol=0.2)
    lowest = hyq.feet_in_base(hyq.lie_joint_position)[:, 2].min()
    assert state.base_position[2] == pytest.approx(hyq.description.foot_radius - lowest, abs=5e-3)
    assert np.abs(state.base_position[:2]).max() < 1e-3


def test_the_first_stamp_may_be_any(estimator: StateEstimator, still) -> None:
    states = run(estimator, still(100, start=1e9))
    assert not states[0].valid
    assert "not started" in states[0].invalid_reason
    assert states[-1].valid


def test_a_stamp_that_repeats_or_goes_back_is_ignored_and_counted(estimator: StateEstimator, still) -> None:
    states = run(estimator, still(100))
    for stamp in (states[-1].time, states[-1].time - 0.3, states[-1].time - 2.0):
        again = estimator.update(replace(still(1)[0], time=stamp))
        assert again.time == states[-1].time
        assert fingerprint([again]) == fingerprint([states[-1]])
    assert estimator.refusals.counts == {"stamp_repeated": 1, "stamp_too_old": 1, "stamp_jumped": 1}


@pytest.mark.parametrize("field", ["joint_position", "joint_velocity", "angular_velocity_imu", "specific_force_imu"])
def test_a_nan_is_refused_and_the_next_sample_is_fine(estimator: StateEstimator, still, field: str) -> None:
    samples = still(102)
    poisoned = getattr(samples[100], field).copy()
    poisoned[1] = np.nan
    states = run(estimator, [*samples[:100], replace(samples[100], **{field: poisoned}), samples[101]])
    assert fingerprint([states[100]]) == fingerprint([states[99]])
    assert states[101].valid
    assert estimator.refusals.counts == {"not_finite": 1}


def test_a_nan_before_the_start_does_not_come_out(estimator: StateEstimator, still) -> None:
    state = estimator.update(still(1, joint_position=np.full(12, np.nan))[0])
    assert not state.valid
    assert np.isfinite(state.joint_position).all()
    assert run(estimator, still(100))[-1].valid


def test_silence_is_said_and_remembered_for_a_while(estimator: StateEstimator, still) -> None:
    last = run(estimator, still(251))[-1]
    assert estimator.state(last.time + 0.02).valid
    assert "no sensor data" in estimator.state(last.time + 0.05).invalid_reason
    again = run(estimator, still(100, start=1.2))
    # The first stamp after a silence is not believed, the second one is.
    assert "0.204 s" in again[1].invalid_reason
    assert again[-1].valid
    assert again[-1].base_position[2] == pytest.approx(last.base_position[2], abs=0.01)


def test_after_a_long_silence_it_starts_again_where_it_was(estimator: StateEstimator, trot) -> None:
    before = run(estimator, trot.samples)[-1]
    sample = trot.samples[0]
    states = run(estimator, [replace(sample, time=30.0 + 0.004 * k) for k in range(100)])
    # One stamp far away is not believed, two are.
    assert "starting again" in states[1].invalid_reason
    assert estimator.refusals.counts == {"stamp_jumped": 1}
    assert states[-1].valid
    np.testing.assert_allclose(states[-1].base_position[:2], before.base_position[:2], atol=0.01)
    yaw = 2.0 * np.arctan2(states[-1].base_quaternion[2], states[-1].base_quaternion[3])
    assert yaw == pytest.approx(2.0 * np.arctan2(before.base_quaternion[2], before.base_quaternion[3]), abs=0.05)


def test_a_state_that_leaves_the_finite_is_put_back(estimator: StateEstimator, still) -> None:
    good = run(estimator, still(250))[-1]
    state = estimator.update(still(1, start=1.0, specific_force_imu=np.full(3, 1e308))[0])
    assert np.isfinite(state.base_position).all()
    assert np.isfinite(state.pose_covariance).all()
    assert not state.valid
    assert estimator.refusals.counts == {"diverged": 1}
    np.testing.assert_allclose(state.base_position, good.base_position, atol=1e-6)
    assert run(estimator, still(50, start=1.004))[-1].valid


@hypothesis_settings(max_examples=20, deadline=None)
@given(st.data())
def test_no_finite_input_makes_it_raise_or_give_a_nan(hyq: RobotModel, settings: EstimatorSettings, still: Callable, data: Any) -> None:
    estimator = StateEstimator(hyq.description, hyq, settings)
    run(estimator, still(100))
    numbers = st.floats(-1e6, 1e6)
    for k in range(5):
        fields = {
            "angular_velocity_imu": np.array(data.draw(st.lists(numbers, min_size=3, max_size=3))),
            "specific_force_imu": np.array(data.draw(st.lists(numbers, min_size=3, max_size=3))),
            "joint_position": np.array(data.draw(st.lists(numbers, min_size=12, max_size=12))),
            "foot_force": np.array(data.draw(st.lists(numbers, min_size=12, max_size=12))).reshape(4, 3),
        }
        state = estimator.update(still(1, start=1.0 + 0.004 * k, **fields)[0])
        for field in ("base_position", "base_quaternion", "base_linear_velocity", "pose_covariance", "twist_covariance"):
            assert np.isfinite(getattr(state, field)).all()
        assert np.linalg.norm(state.base_quaternion) == pytest.approx(1.0)


def test_without_effort_and_foot_forces_it_runs_all_the_same(estimator: StateEstimator, still) -> None:
    """Nothing tells of contact: no foot bears load, as far as is known, and a robot at rest is valid."""
    states = run(estimator, still(200, foot_force=np.full((4, 3), np.nan)))
    assert states[-1].valid
    assert not states[-1].contact_probability.any()
    assert not estimator.refusals.counts


@pytest.mark.parametrize("force", [[1.0, np.nan, 100.0], [np.nan, 0.0, np.inf]])
def test_a_force_of_which_a_part_is_not_known_is_not_known(estimator: StateEstimator, still, force: list[float]) -> None:
    states = run(estimator, still(200, foot_force=np.tile(force, (4, 1))))
    assert states[-1].valid
    assert not estimator.refusals.counts


def test_joints_whose_effort_goes_missing_do_no_harm(estimator: StateEstimator, still) -> None:
    """Contact by torques, and then a sample without."""
    effort, none = np.full(12, 20.0), np.full((4, 3), np.nan)
    run(estimator, still(200, joint_effort=effort, foot_force=none))
    assert run(estimator, still(1, start=0.8, foot_force=none))[-1].valid
    assert run(estimator, still(10, start=0.804, joint_effort=effort, foot_force=none))[-1].valid
    assert not estimator.refusals.counts


def test_the_force_of_a_foot_whose_sensor_is_silent_is_not_shown_for_ever(estimator: StateEstimator, still) -> None:
    assert np.isfinite(run(estimator, still(100))[-1].foot_force).all()
    assert np.isnan(run(estimator, still(20, start=0.4, foot_force=np.full((4, 3), np.nan)))[-1].foot_force).all()


def test_the_joints_and_the_imu_start_it_by_what_they_say_last(hyq: RobotModel, estimator: StateEstimator, still) -> None:
    """It was carried, tilted, while the IMU alone spoke."""
    axes = hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation
    tilted = axes.T @ (9.81 * np.array([np.sin(0.35), 0.0, np.cos(0.35)]))
    for sample in still(500, specific_force_imu=tilted) + still(125, start=2.0):
        estimator.take(ImuMeasurement(sample.time, sample.angular_velocity_imu, sample.specific_force_imu))
    state = run(estimator, still(200, start=2.5))[-1]
    assert state.valid
    assert np.abs(state.base_quaternion[:3]).max() < 1e-3


def test_what_came_before_a_start_does_not_come_again_at_the_next(hyq: RobotModel, settings: EstimatorSettings, still) -> None:
    start = settings.start.model_copy(update={"place_standard_deviation": 1.0})
    estimator = StateEstimator(hyq.description, hyq, settings.model_copy(update={"start": start}))
    rough, better = (np.array([variance, variance, *[np.nan] * 4]) for variance in (0.04, 0.01))
    estimator.take(PoseMeasurement(0.0, np.array([0.5, 0.0, 0.0]), np.zeros(4), rough))
    first = run(estimator, still(100))[-1]
    assert first.base_position[0] == pytest.approx(0.48, abs=0.01)
    estimator.take(PoseMeasurement(0.4, np.array([0.7, 0.0, 0.0]), np.zeros(4), better))
    moved = run(estimator, still(10, start=0.404))[-1]
    assert moved.base_position[0] == pytest.approx(0.66, abs=0.02)
    again = run(estimator, still(100, start=30.0))[-1]
    assert again.valid
    assert again.base_position[0] == pytest.approx(moved.base_position[0], abs=0.01)


def test_a_new_start_has_none_of_the_old_doubts(estimator: StateEstimator, still) -> None:
    run(estimator, still(250, start=100.0))
    estimator.update(still(1, start=101.0, specific_force_imu=np.full(3, 1e308))[0])
    assert not estimator.state(101.0).valid
    # The clock goes back: by the old clock the doubt would last for another hundred seconds.
    assert run(estimator, still(150))[-1].valid


def test_innovations_are_those_of_the_feet(estimator: StateEstimator, still) -> None:
    """A robot that hangs at rest has no feet on the ground, whatever rest says about its velocity."""
    run(estimator, still(300, foot_force=np.zeros((4, 3))))
    assert estimator.resting
    assert not estimator.innovations.any()


@pytest.mark.parametrize("back", [0.15, 0.3, 0.9])
def test_a_clock_that_goes_back_a_little_does_not_leave_it_valid_and_frozen(estimator: StateEstimator, still, back: float) -> None:
    run(estimator, still(250, start=10.0))
    later = run(estimator, still(100, start=11.0 - back))
    # By then nothing was used for longer than a sensor may be silent.
    assert not later[10].valid
    assert "the clock went back" in later[11].invalid_reason
    assert later[-1].valid
    assert later[-1].time == pytest.approx(11.0 - back + 0.396)


def test_stamps_that_stand_still_after_the_start_make_it_invalid(estimator: StateEstimator, still) -> None:
    last = run(estimator, still(100))[-1]
    states = run(estimator, [replace(still(1)[0], time=last.time)] * 10)
    assert "came twice" in states[-1].invalid_reason
    assert run(estimator, still(30, start=0.4))[-1].valid


def test_poses_outside_of_the_gate_are_counted_and_at_last_believed_less_than_nothing(estimator: StateEstimator, still) -> None:
    run(estimator, still(100))
    place = np.array([1e-6, 1e-6, np.nan, np.nan, np.nan, np.nan])
    for k, sample in enumerate(still(30, start=0.4)):
        estimator.take(PoseMeasurement(sample.time, np.array([3.0, 0.0, 0.0]), np.zeros(4), place))
        state = estimator.update(sample)
        assert state.valid == (k < 9)
    assert "the last 30 absolute poses" in state.invalid_reason
    assert estimator.refusals.counts == {"pose_outside": 30}
    estimator.take(PoseMeasurement(0.52, state.base_position, np.zeros(4), place))
    assert run(estimator, still(1, start=0.52))[-1].valid


def test_velocities_that_were_differentiated_tell_no_foot_velocity(hyq: RobotModel, settings: EstimatorSettings, trot, noisy) -> None:
    plain = settings.model_copy(update={"filter": settings.filter.model_copy(update={"use_foot_velocity": False})})
    differentiated, without, measured = (StateEstimator(hyq.description, hyq, one) for one in (settings, plain, settings))
    for sample in noisy(trot, 9)[:500]:
        imu = ImuMeasurement(sample.time, sample.angular_velocity_imu, sample.specific_force_imu)
        joints = JointMeasurement(sample.time, sample.joint_position, sample.joint_velocity)
        feet = FootForceMeasurement(sample.time, sample.foot_force)
        differentiated.take(imu, replace(joints, velocity_measured=False), feet)
        without.take(imu, joints, feet)
        measured.take(imu, joints, feet)
    one, other, third = (fingerprint([each.state(0.0)]) for each in (differentiated, without, measured))
    assert one == other
    assert one != third


def test_old_torques_are_forgotten_when_the_feet_have_force_sensors_again(hyq: RobotModel, settings: EstimatorSettings, still) -> None:
    none = np.full((4, 3), np.nan)
    loaded = -np.tile([0.0, 0.0, 60.0], 4)
    probability = []
    for before in (loaded, -loaded):
        estimator = StateEstimator(hyq.description, hyq, settings)
        run(estimator, still(200, joint_effort=before, foot_force=none))
        run(estimator, still(100, start=0.8))
        states = run(estimator, still(12, start=1.2, joint_effort=np.zeros(12), foot_force=none))
        probability.append(states[-1].contact_probability)
    np.testing.assert_allclose(probability[0], probability[1], atol=1e-6)
