# SPDX-License-Identifier: Apache-2.0

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from surefoot.errors import SensorError
from surefoot.estimation.delay_identification import Delay, SensorRecording, TimedSignal, find_delay, identify_delays
from surefoot.robot.leg_kinematics import foot_jacobian_in_base
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree


@pytest.mark.parametrize("delay", [-0.0123, 0.0, 0.0037, 0.03])
def test_a_shifted_wave_is_found_to_a_fraction_of_its_samples(delay: float) -> None:
    generator = np.random.default_rng(0)
    time, other = np.arange(0.0, 8.0, 0.004), np.arange(0.001, 8.0, 0.005)

    def wave(at: np.ndarray) -> np.ndarray:
        return np.array([np.sin(9.0 * at) + 0.5 * np.sin(23.0 * at), np.cos(11.0 * at)]).T

    # What happened at `other` carries stamps that are too late.
    late = TimedSignal(other + delay, wave(other) + 0.1 * generator.normal(size=(len(other), 2)))
    found = find_delay(TimedSignal(time, wave(time) + 0.1 * generator.normal(size=(len(time), 2))), late)
    assert found.seconds == pytest.approx(delay, abs=max(5e-4, 4.0 * found.standard_deviation))
    assert found.standard_deviation < 1e-3
    assert found.agreement > 0.9


def test_what_has_nothing_to_do_with_each_other_has_no_delay() -> None:
    generator, time = np.random.default_rng(1), np.arange(0.0, 5.0, 0.004)
    one, other = (TimedSignal(time, generator.normal(size=(len(time), 2))) for _ in range(2))
    with pytest.raises(SensorError, match="do not see the same thing"):
        find_delay(one, other)
    with pytest.raises(SensorError, match="does not change"):
        find_delay(one, TimedSignal(time, np.ones((len(time), 2))))
    with pytest.raises(SensorError, match="at least 1 s"):
        find_delay(one, TimedSignal(time + 4.5, one.value))


def recorded(model: RobotModel, walk: Any, samples: list, joints_late: float, feet_late: float, pose_late: float) -> SensorRecording:
    """A walk whose sensors stamp too late; joint torques hold the feet's forces."""
    tree, begin = leg_tree(model), 400
    samples, time, rotations = samples[begin:], walk.time[begin : len(samples)], walk.rotation[begin : len(samples)]
    effort = np.array(
        [
            -foot_jacobian_in_base(tree, leg, s.joint_position[3 * leg : 3 * leg + 3]).T @ walk.samples[begin + k].foot_force[leg]
            for k, s in enumerate(samples)
            for leg in range(4)
        ]
    ).reshape(-1, 12)
    quaternions = []
    for rotation in rotations[::5]:
        w = 0.5 * np.sqrt(1.0 + np.trace(rotation))
        vector = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]) / (4.0 * w)
        quaternions.append([*vector, w])
    return SensorRecording(
        TimedSignal(time, np.array([s.angular_velocity_imu for s in samples])),
        TimedSignal(time + joints_late, np.array([s.joint_position for s in samples])),
        TimedSignal(time + joints_late, np.array([s.joint_velocity for s in samples])),
        TimedSignal(time + joints_late, effort),
        TimedSignal(time + feet_late, np.array([s.foot_force.reshape(12) for s in samples])),
        TimedSignal(time[::5] + pose_late, np.array(quaternions)),
    )


def test_each_sensor_of_a_walk_is_found(hyq: RobotModel, trot: Any, noisy: Callable) -> None:
    recording = recorded(hyq, trot, noisy(trot, 2)[:1600], 0.008, 0.013, 0.031)
    found = identify_delays(hyq, recording, 40.0)
    for sensor, right in {"joints": 0.008, "foot_forces": 0.013, "pose": 0.031}.items():
        delay = found[sensor]
        assert isinstance(delay, Delay), delay
        assert delay.seconds == pytest.approx(right, abs=1e-3), sensor


def test_a_robot_that_stood_says_nothing_about_its_sensors(hyq: RobotModel, still: Callable) -> None:
    samples = still(600)
    time = np.array([s.time for s in samples])
    signals = [np.array([getattr(s, name) for s in samples]) for name in ("angular_velocity_imu", "joint_position", "joint_velocity")]
    effort = np.zeros((len(time), 12))
    found = identify_delays(hyq, SensorRecording(*(TimedSignal(time, value) for value in (*signals, effort))), 40.0)
    assert isinstance(found["joints"], str)
    assert "while it walks" in found["joints"]


@pytest.mark.parametrize(("delay", "said"), [(0.08, "60 ms later or more"), (-0.12, "60 ms earlier or more")])
def test_a_delay_beyond_the_range_is_not_said_to_be_its_end(delay: float, said: str) -> None:
    time = np.arange(0.0, 8.0, 0.004)
    there, late = (TimedSignal(time + by, np.array([np.sin(6.0 * time), np.cos(4.0 * time)]).T) for by in (0.0, delay))
    with pytest.raises(SensorError, match=said):
        find_delay(there, late)


def test_nothing_at_all_is_no_traceback() -> None:
    nothing = TimedSignal(np.zeros(0), np.zeros((0, 2)))
    with pytest.raises(SensorError, match="empty"):
        find_delay(nothing, nothing)


def test_without_efforts_force_sensors_tell_which_feet_stand(hyq: RobotModel, trot: Any, noisy: Callable) -> None:
    recording = replace(recorded(hyq, trot, noisy(trot, 2)[:1600], 0.008, 0.013, 0.031), joint_effort=None)
    found = identify_delays(hyq, recording, 40.0)
    joints = found["joints"]
    assert isinstance(joints, Delay), joints
    assert joints.seconds == pytest.approx(0.008, abs=1e-3)
    assert "no joint efforts" in str(found["foot_forces"])
    assert "neither joint efforts nor foot forces" in str(identify_delays(hyq, replace(recording, foot_force=None), 40.0)["joints"])


def test_efforts_that_were_lost_do_not_shift_the_others(hyq: RobotModel, trot: Any, noisy: Callable) -> None:
    recording = recorded(hyq, trot, noisy(trot, 2)[:1600], 0.008, 0.013, 0.031)
    assert recording.joint_effort is not None
    time, value = (np.delete(array, [300, 301, 302], axis=0) for array in (recording.joint_effort.time, recording.joint_effort.value))
    joints = identify_delays(hyq, replace(recording, joint_effort=TimedSignal(time, value)), 40.0)["joints"]
    assert isinstance(joints, Delay), joints
    assert joints.seconds == pytest.approx(0.008, abs=1e-3)
