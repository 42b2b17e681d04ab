# SPDX-License-Identifier: Apache-2.0
"""What the node makes of topics that anybody may send."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from sensor_msgs.msg import Imu, MagneticField

from surefoot.estimation.absolute_gate import AbsoluteGate
from surefoot.estimation.imu_words import FrameDoubts
from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.sensor_gate import SensorGate
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import ImuMeasurement, MagneticMeasurement, PoseMeasurement
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.state_estimator import SILENCE_LOOK, StateEstimatorNode
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
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
