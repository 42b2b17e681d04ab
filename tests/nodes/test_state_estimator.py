# SPDX-License-Identifier: Apache-2.0
"""What the node makes of topics that anybody may send."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from sensor_msgs.msg import Imu, MagneticField

from surefoot.estimation.absolute_gate import AbsoluteGate
from surefoot.estimation.choice import estimator_of
from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.imu_words import FrameDoubts
from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.sensor_gate import SensorGate
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import ImuMeasurement, JointMeasurement, MagneticMeasurement, PoseMeasurement
from surefoot.nodes.conversions.command import CommandReader, message_of_command
from surefoot.nodes.conversions.common import seconds_of, stamp_of
from surefoot.nodes.state_estimator import SILENCE_LOOK, StateEstimatorNode
from surefoot.robot.command import JointCommand
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree
from surefoot.servos.settings import BridgeSettings
from surefoot.settings import read_settings

SETTINGS = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml")


@pytest.fixture
def node() -> Any:
    """A node without its transport."""
    taken: list[Any] = []

    def hear(heard: Any) -> Refusal | None:
        return heard if isinstance(heard, Refusal) else taken.append(heard)

    estimator = SimpleNamespace(started=True, hear=hear)
    made = SimpleNamespace(_absolute_gate=AbsoluteGate("odom", "imu_link", Refusals()), _estimator=estimator, taken=taken, told=[])
    made._gate, made._imu_frames = SensorGate(load_robot("hyq"), SETTINGS.gate), FrameDoubts("imu_link")
    made.fault = lambda kind, text: made.told.append(f"{kind}: {text}")
    return made


def pose(frame: str) -> PoseWithCovarianceStamped:
    message = PoseWithCovarianceStamped()
    message.header.frame_id, message.header.stamp = frame, stamp_of(2.5)
    place, turn = message.pose.pose.position, message.pose.pose.orientation
    place.x, place.y, place.z, turn.z, turn.w = 1.0, 2.0, 3.0, 0.6, 0.8
    message.pose.covariance = np.diag([0.01, 0.02, 0.03, 0.04, 0.05, -1.0]).ravel()
    return message


def test_a_pose_is_taken_at_its_own_time(node: Any) -> None:
    StateEstimatorNode._hear(node, pose("odom"))
    (taken,) = node.taken
    assert isinstance(taken, PoseMeasurement)
    assert taken.time == pytest.approx(2.5)
    assert taken.position.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_allclose(taken.quaternion, (0.0, 0.0, 0.6, 0.8))
    np.testing.assert_allclose(taken.variance, (0.01, 0.02, 0.03, 0.04, 0.05, np.nan))


def test_a_magnetic_field_is_taken_in_the_axes_of_the_imu(node: Any) -> None:
    message = MagneticField(magnetic_field_covariance=np.diag([1e-14] * 3).ravel())
    message.header.frame_id, message.header.stamp = "imu_link", stamp_of(2.5)
    message.magnetic_field.x, message.magnetic_field.z = 2e-5, -4e-5
    StateEstimatorNode._hear(node, message)
    (taken,) = node.taken
    assert isinstance(taken, MagneticMeasurement)
    assert taken.field_imu.tolist() == [2e-5, 0.0, -4e-5]


def test_a_pose_of_another_frame_is_refused_and_said(node: Any) -> None:
    StateEstimatorNode._hear(node, pose("map"))
    assert node.taken == []
    assert node.told[0].startswith("refused_wrong_frame: the pose is given in 'map'")


def test_joints_that_never_came_are_a_fault_once_the_imu_is_heard() -> None:
    told: list[str] = []
    node: Any = SimpleNamespace(_last_stamp=-np.inf, _last_heard=np.nan, _timeout=0.04)
    node.fault = lambda kind, text: told.append(f"{kind}: {text}")
    for wall, age in ((10.0, np.inf), (11.0, -3.0), (11.02, -3.1), (11.06, -3.2)):
        node.wall, node._estimator = lambda at=wall: at, SimpleNamespace(age=lambda sensor, time, old=age: old)
        StateEstimatorNode._speak_without_joints(node)
    assert len(told) == 1
    assert told[0].startswith("no_joints: the IMU has been heard for 0.060 s, but nothing on /joint_states")


def test_a_pose_that_nobody_knows_is_neither_odometry_nor_transform(hyq: RobotModel) -> None:
    """Before the start, and again after a clock has jumped; in between both are of the instant that they are stamped with."""
    settings = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml")
    estimator, said = StateEstimator(hyq.description, hyq, settings), {name: list[Any]() for name in ("states", "odometry", "transforms")}
    made: Any = SimpleNamespace(_estimator=estimator, model=hyq, lockstep=True, _count=0, _lead=settings.window.lead)
    made._trees, made._publish_attitude = np.array([leg_tree(hyq)]), lambda message: None
    for name, messages in said.items():
        setattr(made, f"_{name}", SimpleNamespace(publish=messages.append))
    axes = hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation
    counts, gravity = [], axes.T @ np.array([0.0, 0.0, 9.81])
    for start, ticks in ((10.0, 40), (10.16, 60), (30.0, 20)):
        for time in start + 0.004 * np.arange(ticks):
            joints = JointMeasurement(time, hyq.stand_joint_position, np.zeros(12), np.full(12, np.nan))
            estimator.take(ImuMeasurement(time, np.zeros(3), gravity), joints)
            StateEstimatorNode._publish(made, time)
        counts.append((len(said["odometry"]), len(said["transforms"]), len(said["states"])))
    assert counts[0] == (0, 0, 40)
    assert counts[1][0] == counts[1][1] > 5
    assert counts[2] == (*counts[1][:2], 120)
    last = said["odometry"][-1]
    assert seconds_of(last.header.stamp) == pytest.approx(10.16 + 0.004 * 59 + settings.window.lead, abs=0.0161)
    assert seconds_of(last.header.stamp) % 0.004 == pytest.approx(settings.window.lead, abs=1e-6)
    assert said["transforms"][-1].transforms[0].header == last.header


def imu(frame: str, stamp: float) -> Imu:
    message = Imu()
    message.header.frame_id, message.header.stamp = frame, stamp_of(stamp)
    message.linear_acceleration.z = 9.81
    return message


def test_an_imu_with_another_frame_is_believed_and_said_once(node: Any) -> None:
    for tick in range(3):
        StateEstimatorNode._hear(node, imu("trunk", 0.004 * tick))
    assert len(node.taken) == 3
    assert len(node.told) == 1
    assert node.told[0].startswith("imu_frame: the IMU speaks in 'trunk'")
    for frame in ("", "imu_link"):
        StateEstimatorNode._hear(node, imu(frame, 1.0))
    assert len(node.told) == 1


@pytest.mark.parametrize("field", ["angular_velocity_covariance", "linear_acceleration_covariance"])
def test_zeros_of_what_the_imu_does_not_measure_are_no_measurement(node: Any, field: str) -> None:
    message = imu("imu_link", 1.0)
    getattr(message, field)[0] = -1.0
    StateEstimatorNode._hear(node, message)
    assert node.taken == []
    assert node.told[0].startswith("refused_not_measured: ")
    # An orientation that is not measured is not asked for.
    message = imu("imu_link", 1.004)
    message.orientation_covariance[0] = -1.0
    StateEstimatorNode._hear(node, message)
    assert isinstance(node.taken[0], ImuMeasurement)


def test_joints_that_stop_make_the_state_invalid_before_the_bridge_calls_them_stale() -> None:
    timeout = SETTINGS.validity.sensor_timeout
    assert timeout + SILENCE_LOOK * timeout <= BridgeSettings().stale_after + 1e-9


def test_what_the_motors_are_asked_for_reaches_the_planar_process_and_damping_does_not() -> None:
    model = load_robot("a1")
    told: list[str] = []
    estimator = estimator_of(model, SETTINGS.model_copy(update={"process": "planar"}))
    asked: list[tuple[float, Any]] = []
    estimator.command = lambda time, position: asked.append((time, position))  # type: ignore[method-assign, union-attr]
    node = SimpleNamespace(_estimator=estimator, _commands=CommandReader(model.description), fault=lambda kind, text: told.append(text))
    wanted = model.stand_joint_position
    command = JointCommand(2.5, wanted, np.zeros(12), np.zeros(12), np.full(12, 40.0), np.ones(12))
    StateEstimatorNode._hear_command(node, message_of_command(command, model.description, "bridge"))  # type: ignore[arg-type]
    damped = JointCommand.damped(2.6, wanted, 1.0)
    StateEstimatorNode._hear_command(node, message_of_command(damped, model.description, "bridge"))  # type: ignore[arg-type]
    wrong = message_of_command(command, model.description, "bridge")
    wrong.joint_names = ["a"] * 12
    StateEstimatorNode._hear_command(node, wrong)  # type: ignore[arg-type]
    ((time, position),) = asked
    assert time == pytest.approx(2.5)
    np.testing.assert_allclose(position, wanted)
    assert len(told) == 1
