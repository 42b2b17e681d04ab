# SPDX-License-Identifier: Apache-2.0
"""Rotations at the boundary: Euler angles and quaternions, in the order x y z w that ROS uses.

`tf_transformations` is the package for this where ROS 2 is installed. PyPI has `transforms3d`, which it wraps and which puts w first.
"""

import math

import numpy as np
from numpy.typing import NDArray
from transforms3d.euler import euler2quat, quat2euler

from surefoot.robot.spatial import rotation_from_quaternion

Array = NDArray[np.float64]


def _w_first(quaternion: Array) -> tuple[float, float, float, float]:
    x, y, z, w = (float(value) for value in quaternion)
    return w, x, y, z


def rotation_matrix(quaternion: Array) -> Array:
    """Rotation matrix (3, 3) of a quaternion x y z w; a quaternion of zeros turns nothing."""
    squared = float(quaternion @ quaternion)
    if squared == 0.0:
        return np.eye(3)
    result = np.empty((3, 3))
    rotation_from_quaternion(quaternion / math.sqrt(squared), result)
    return result


def roll_pitch_yaw(quaternion: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a quaternion x y z w, rad, for R_z(yaw) R_y(pitch) R_x(roll)."""
    roll, pitch, yaw = quat2euler(_w_first(quaternion), axes="sxyz")
    return float(roll), float(pitch), float(yaw)


def quaternion_from_roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> Array:
    """Quaternion x y z w of R_z(yaw) R_y(pitch) R_x(roll)."""
    w, x, y, z = euler2quat(float(roll), float(pitch), float(yaw), axes="sxyz")
    return np.array((x, y, z, w))
