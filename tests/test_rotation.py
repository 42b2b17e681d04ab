# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from surefoot.rotation import quaternion_from_roll_pitch_yaw, roll_pitch_yaw, rotation_matrix

angles = st.floats(-3.1, 3.1)
part = st.floats(-1.0, 1.0)


@given(part, part, part, st.floats(0.1, 1.0), st.floats(0.1, 10.0))
def test_a_matrix_is_that_of_the_quaternion_whatever_its_length(x: float, y: float, z: float, w: float, length: float) -> None:
    quaternion = np.array((x, y, z, w))
    assert rotation_matrix(length * quaternion) == pytest.approx(Rotation.from_quat(quaternion).as_matrix(), abs=1e-12)


@given(angles, st.floats(-1.5, 1.5), angles)
def test_angles_are_those_of_yaw_pitch_roll_in_this_order(roll: float, pitch: float, yaw: float) -> None:
    quaternion = quaternion_from_roll_pitch_yaw(roll, pitch, yaw)
    expected = Rotation.from_euler("ZYX", (yaw, pitch, roll))
    assert (Rotation.from_quat(quaternion).inv() * expected).magnitude() < 1e-9
    assert roll_pitch_yaw(quaternion) == pytest.approx((roll, pitch, yaw), abs=1e-6)


@pytest.mark.parametrize("pitch", [-np.pi / 2, np.pi / 2])
def test_straight_up_is_still_an_attitude(pitch: float) -> None:
    quaternion = quaternion_from_roll_pitch_yaw(0.3, pitch, 0.4)
    again = quaternion_from_roll_pitch_yaw(*roll_pitch_yaw(quaternion))
    assert (Rotation.from_quat(quaternion).inv() * Rotation.from_quat(again)).magnitude() < 1e-6


def test_no_quaternion_turns_nothing() -> None:
    assert rotation_matrix(np.zeros(4)) == pytest.approx(np.eye(3))
