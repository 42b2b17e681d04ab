# SPDX-License-Identifier: Apache-2.0
"""A bag that was recorded once gives the same estimate every time, to the bit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.refusals import Refusal
from surefoot.estimation.sensor_gate import RawImu, RawJoints, SensorGate
from surefoot.estimation.settings import EstimatorSettings
from surefoot.recording.decoder import Decoder
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings
from surefoot.robot.model import RobotModel

STORE = get_typestore(Stores.ROS2_KILTED)
TOPICS = {"/imu": "sensor_msgs/msg/Imu", "/joint_states": "sensor_msgs/msg/JointState"}


@pytest.fixture
def bag(hyq: RobotModel, trot: Any, noisy: Callable, tmp_path: Path) -> Path:
    """The first steps of a walk; the IMU is recorded 12 ms after its samples."""
    types = STORE.types
    header, stamp, vector = types["std_msgs/msg/Header"], types["builtin_interfaces/msg/Time"], types["geometry_msgs/msg/Vector3"]
    writer, nothing = BagWriter(tmp_path / "bag", WriterSettings(keep_free=0)), np.zeros(9)
    messages = []
    for sample in noisy(trot, 4)[:500]:
        nanoseconds = 10 * SECOND + round(sample.time * SECOND)
        head = header(stamp(nanoseconds // SECOND, nanoseconds % SECOND), "")
        rate, force = vector(*sample.angular_velocity_imu), vector(*sample.specific_force_imu)
        quaternion = types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0)
        imu = types[TOPICS["/imu"]](head, quaternion, nothing, rate, nothing, force, nothing)
        effort = np.where(np.isfinite(sample.joint_effort), sample.joint_effort, 0.0)
        joints = types[TOPICS["/joint_states"]](
            head, list(hyq.description.joint_names), sample.joint_position, sample.joint_velocity, effort
        )
        messages += [(nanoseconds + 12_000_000, "/imu", imu), (nanoseconds, "/joint_states", joints)]
    for name, kind in TOPICS.items():
        writer.add_topic(Topic(name, kind))
    for k, (time, name, message) in enumerate(sorted(messages, key=lambda one: one[0])):
        writer.write(RawMessage(name, TOPICS[name], bytes(STORE.serialize_cdr(message, TOPICS[name])), time, time, k))
    writer.close()
    return tmp_path / "bag"


def replayed(path: Path, model: RobotModel, settings: EstimatorSettings) -> list[bytes]:
    """What the estimator says at each sample of the joints."""
    gate, estimator = SensorGate(model, settings.gate), StateEstimator(model.description, model, settings)
    bag, decoder, said = Bag(path), Decoder(), []
    for raw in bag.messages(tuple(TOPICS)):
        message = decoder.decode(bag.topics[raw.topic], raw.data)
        time = message.header.stamp.sec + message.header.stamp.nanosec / SECOND
        if raw.topic == "/imu":
            rate, force = message.angular_velocity, message.linear_acceleration
            measurement = gate.admit_imu(time, RawImu((rate.x, rate.y, rate.z), (force.x, force.y, force.z)))
        else:
            measurement = gate.admit_joints(time, RawJoints(message.name, message.position, message.velocity, message.effort))
        assert not isinstance(measurement, Refusal)
        assert estimator.take(measurement) is None
        if raw.topic == "/joint_states":
            state = estimator.state(time)
            parts = (state.base_position, state.base_quaternion, state.base_linear_velocity, state.pose_covariance, state.twist_covariance)
            said.append(b"".join(part.tobytes() for part in parts) + state.invalid_reason.encode())
    assert estimator.started
    return said


def test_a_bag_replayed_twice_gives_the_same_bits(bag: Path, hyq: RobotModel, settings: EstimatorSettings) -> None:
    first, second = replayed(bag, hyq, settings), replayed(bag, hyq, settings)
    assert first == second
    assert len(first) == 500
    assert len(set(first[100:])) == 400
