# SPDX-License-Identifier: Apache-2.0
"""What the node makes of topics that anybody may send."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from sensor_msgs.msg import MagneticField

from surefoot.estimation.absolute_gate import AbsoluteGate
from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.slot import MagneticMeasurement, PoseMeasurement
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.state_estimator import StateEstimatorNode


@pytest.fixture
def node() -> Any:
    """A node without its transport."""
    taken: list[Any] = []

    def hear(heard: Any) -> Refusal | None:
        return heard if isinstance(heard, Refusal) else taken.append(heard)

    estimator = SimpleNamespace(started=True, hear=hear)
    made = SimpleNamespace(_absolute_gate=AbsoluteGate("odom", "imu_link", Refusals()), _estimator=estimator, taken=taken, told=[])
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
