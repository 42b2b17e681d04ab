# SPDX-License-Identifier: Apache-2.0
"""The links of a robot as transforms below its base."""

import math

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from surefoot.nodes.conversions.common import quaternion_of, vector_of
from surefoot.robot.model import RobotModel
from surefoot.robot.urdf import parse_urdf

Array = NDArray[np.float64]


class LinkFrames:
    """Transforms between the links of one robot, those that move and those that are fixed to them."""

    def __init__(self, model: RobotModel) -> None:
        bodies = model.bodies()
        self._moving = [body for body in bodies if body.parent is not None and body.joint is not None]
        names, urdf = {body.name for body in bodies}, parse_urdf(model.urdf)
        # What lies above the base is no part of the robot.
        above = {joint.parent for joint in urdf.joints_above(model.description.base)}
        self._fixed = [model.attached_frame(link) for link in urdf.links if link not in names | above]

    def transforms(self, stamp: Time, joint_position: Array) -> list[TransformStamped]:
        """Of all links at a time, with joints at (12,), rad."""
        result = []
        for body, angle in zip(self._moving, joint_position, strict=True):
            assert body.parent is not None
            assert body.joint is not None
            # However many turns a joint is said to have made, which may be more than has a square.
            turn = math.remainder(angle, math.tau) * body.joint.axis
            turned = body.parent_from_body_rotation @ Rotation.from_rotvec(turn).as_matrix()
            result.append(_transform(stamp, body.parent, body.name, body.parent_from_body_translation, turned))
        for frame in self._fixed:
            result.append(_transform(stamp, frame.body, frame.name, frame.body_from_frame_translation, frame.body_from_frame_rotation))
        return result


def _transform(stamp: Time, parent: str, child: str, translation: Array, rotation: Array) -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, stamp
    message.transform.translation = vector_of(translation)
    message.transform.rotation = quaternion_of(Rotation.from_matrix(rotation).as_quat())
    return message
