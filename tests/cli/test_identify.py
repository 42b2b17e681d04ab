# SPDX-License-Identifier: Apache-2.0
"""`surefoot identify delay` on a bag that is written here."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore
from scipy.spatial.transform import Rotation

from surefoot.cli.app import main
from surefoot.recording.errors import BagError
from surefoot.recording.sensor_arrays import read_sensors
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings
from surefoot.robot.model import RobotModel

STORE = get_typestore(Stores.ROS2_KILTED)
SECOND = 1_000_000_000


Spoil = Callable[[int, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


@pytest.fixture
def bag(hyq: RobotModel, tmp_path: Path) -> Path:
    """A robot that sways on its feet: the joints turn the base to and fro, their stamps 10 ms too late, their names shuffled."""
    return written(hyq, tmp_path)


def written(hyq: RobotModel, tmp_path: Path, spoil: Spoil = lambda k, velocity, effort: (velocity, effort), outside: bool = False) -> Path:
    """That bag, with other velocities and efforts in its k-th message, and with poses, 20 ms too late, and fields from outside."""
    types = STORE.types
    header, stamp, vector = types["std_msgs/msg/Header"], types["builtin_interfaces/msg/Time"], types["geometry_msgs/msg/Vector3"]
    names = list(hyq.description.joint_names)
    order = np.random.default_rng(0).permutation(12)
    writer = BagWriter(tmp_path / "bag", WriterSettings(keep_free=0))
    topics = {"/imu": "sensor_msgs/msg/Imu", "/joint_states": "sensor_msgs/msg/JointState"}
    if outside:
        topics |= {"/pose": "geometry_msgs/msg/PoseWithCovarianceStamped", "/magnetic_field": "sensor_msgs/msg/MagneticField"}
    covariance = np.diag([-1.0, -1.0, -1.0, 1e-6, 1e-6, 1e-6]).ravel()
    base = np.eye(3)
    for name, kind in topics.items():
        writer.add_topic(Topic(name, kind))
    jacobians = hyq.foot_jacobians_in_base(hyq.stand_joint_position)
    feet = hyq.feet_in_base(hyq.stand_joint_position)
    load = -np.concatenate([jacobian.T @ np.array([0.0, 0.0, 200.0]) for jacobian in jacobians])
    imu_axes = hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation
    for k in range(800):
        time = 10.0 + 0.004 * k
        turning = np.array([0.1 * np.sin(7.0 * time), 0.1 * np.cos(11.0 * time), 0.1 * np.sin(5.0 * time + 1.0)])
        legs = zip(jacobians, feet, strict=True)
        velocity = np.concatenate([np.linalg.solve(jacobian, -np.cross(turning, foot)) for jacobian, foot in legs])
        quaternion, rate = types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0), vector(*(imu_axes.T @ turning))
        nothing = np.zeros(9)

        def stamped(seconds: float) -> object:
            return header(stamp(int(seconds), round(seconds % 1.0 * 1e9)), "")

        imu = types[topics["/imu"]](stamped(time), quaternion, nothing, rate, nothing, vector(0.0, 0.0, 9.81), nothing)
        speed, effort = spoil(k, velocity[order].copy(), load[order].copy())
        joints = types[topics["/joint_states"]](
            stamped(time + 0.01), [names[place] for place in order], hyq.stand_joint_position[order], speed, effort
        )
        said = [("/imu", imu), ("/joint_states", joints)]
        if outside:
            base = base @ Rotation.from_rotvec(0.004 * turning).as_matrix()
            turn = types["geometry_msgs/msg/Quaternion"](*Rotation.from_matrix(base).as_quat().tolist())
            where = types["geometry_msgs/msg/Pose"](types["geometry_msgs/msg/Point"](0.0, 0.0, 0.0), turn)
            there = types["geometry_msgs/msg/PoseWithCovariance"](where, covariance)
            said += [
                ("/pose", types[topics["/pose"]](stamped(time + 0.022), there)),
                ("/magnetic_field", types[topics["/magnetic_field"]](stamped(time), vector(2e-5, 0.0, 0.0), nothing)),
            ]
        for name, message in said:
            data = bytes(STORE.serialize_cdr(message, topics[name]))
            writer.write(RawMessage(name, topics[name], data, round(time * SECOND), round(time * SECOND), k))
    writer.close()
    return tmp_path / "bag"


def test_the_bag_is_read_in_the_order_of_the_robot(bag: Path, hyq: RobotModel) -> None:
    recording = read_sensors(bag, hyq.description)
    assert len(recording.imu.time) == len(recording.joint_position.time) == 800
    np.testing.assert_allclose(recording.joint_position.value[7], hyq.stand_joint_position)
    assert recording.foot_force is None


def test_the_delay_of_the_joints_is_said(bag: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["identify", "delay", str(bag), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["joints"]["seconds"] == pytest.approx(0.01, abs=1e-3)
    assert main(["identify", "delay", str(bag)]) == 0
    assert "10.0" in capsys.readouterr().out


def test_a_pose_from_outside_is_compared_and_a_field_is_said_not_to_be(
    hyq: RobotModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["identify", "delay", str(written(hyq, tmp_path, outside=True)), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    # The base has turned by the sample's rate at the end of the step.
    assert said["pose"]["seconds"] == pytest.approx(0.02, abs=1e-3)
    assert "nothing is worked out from the 800 fields" in said["magnetic_field"]["unknown"]


def test_a_message_counts_as_a_whole(hyq: RobotModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def spoil(k: int, velocity: np.ndarray, effort: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if k == 200:
            effort[3] = np.nan
        if k == 300:
            velocity[5] = np.nan
        return velocity, effort

    path = written(hyq, tmp_path, spoil)
    recording = read_sensors(path, hyq.description)
    assert recording.joint_effort is not None
    for signal in (recording.joint_position, recording.joint_velocity, recording.joint_effort):
        assert len(signal.time) == len(signal.value) == 798
        assert signal.time.tolist() == recording.joint_position.time.tolist()
    assert main(["identify", "delay", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["joints"]["seconds"] == pytest.approx(0.01, abs=1e-3)


@pytest.mark.parametrize("nothing", [np.zeros(0), np.zeros(12), np.full(12, np.nan)])
def test_efforts_that_nobody_measures_are_none(hyq: RobotModel, tmp_path: Path, nothing: np.ndarray) -> None:
    recording = read_sensors(written(hyq, tmp_path, lambda k, velocity, effort: (velocity, nothing)), hyq.description)
    assert recording.joint_effort is None
    assert len(recording.joint_velocity.time) == 800


def test_other_joints_and_no_bag_are_said_in_words(bag: Path, tmp_path: Path, hyq: RobotModel, capsys: pytest.CaptureFixture[str]) -> None:
    legs = {name: leg.model_copy(update={"joints": ("a", "b", name)}) for name, leg in hyq.description.legs.items()}
    with pytest.raises(BagError, match="no /joint_states with the joints of hyq"):
        read_sensors(bag, hyq.description.model_copy(update={"legs": legs}))
    assert main(["identify", "delay", str(tmp_path / "none")]) == 2
    assert "no such bag" in " ".join(capsys.readouterr().err.split())
