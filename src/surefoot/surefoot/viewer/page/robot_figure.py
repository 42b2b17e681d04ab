# SPDX-License-Identifier: Apache-2.0
"""The robot of the URDF in the scene: a tree of frames, of which only the joints and the base ever move."""

import numpy as np
import viser
from numpy.typing import NDArray

from surefoot.robot.bodies import CollisionShape
from surefoot.robot.model import RobotModel
from surefoot.viewer.page import palette
from surefoot.viewer.page.shapes import wxyz, wxyz_about, wxyz_of_rotation

Array = NDArray[np.float64]

_Shape = viser.BoxHandle | viser.CylinderHandle | viser.IcosphereHandle
_GLASS = 0.35
"""Opacity of a robot through which one sees."""
_SAME = 1e-4
"""m and parts of a quaternion by which something may be out of place: what rests costs nothing."""


class RobotFigure:
    """One figure of the robot.

    Args:
        server: of the scene.
        name: of its place in the scene.
        model: the robot.
        colours: of the body and the legs.
        opacity: 0 to 1.
    """

    def __init__(self, server: viser.ViserServer, name: str, model: RobotModel, colours: tuple[str, str], opacity: float = 1.0) -> None:
        self._base = server.scene.add_frame(name, show_axes=False, visible=False)
        self._shapes: list[_Shape] = []
        self._glass = False
        self._joints: list[tuple[viser.FrameHandle, Array, Array]] = []
        self._drawn = np.full(19, np.inf)
        feet = set(model.description.foot_names)
        paths: dict[str, str] = {}
        for body in model.bodies():
            if body.parent is None or body.joint is None:
                path = name
            else:
                path = f"{paths[body.parent]}/{body.name}"
                fixed = wxyz_of_rotation(body.parent_from_body_rotation)
                frame = server.scene.add_frame(path, show_axes=False, position=body.parent_from_body_translation, wxyz=fixed)
                self._joints.append((frame, fixed, body.joint.axis))
            paths[body.name] = path
            for number, shape in enumerate(body.collisions):
                if shape.link not in feet or opacity < 1.0:
                    colour = colours[body.parent is not None]
                    self._shapes.append(_add_shape(server, f"{path}/shape_{number}", shape, colour, opacity))

    def draw(self, base_position: Array, base_quaternion: Array, joint_position: Array) -> None:
        """Place it: base (3,), m, and x y z w, (4,), in odom; joints (12,), rad."""
        now = np.concatenate((base_position, base_quaternion, joint_position))
        if not np.isfinite(now).all():
            return
        if np.abs(now[:7] - self._drawn[:7]).max() > _SAME:
            self._base.position, self._base.wxyz = base_position, wxyz(base_quaternion)
        for (frame, fixed, axis), angle, drawn in zip(self._joints, now[7:], self._drawn[7:], strict=True):
            if abs(angle - drawn) > _SAME:
                frame.wxyz = _product(fixed, wxyz_about(axis, angle))
        if not np.isfinite(self._drawn).all():
            self._base.visible = True
        self._drawn = now

    def be_glass(self, glass: bool) -> None:
        """Let what is inside be seen."""
        if glass != self._glass:
            self._glass = glass
            for shape in self._shapes:
                shape.opacity = _GLASS if glass else None

    def hide(self) -> None:
        """Nobody knows where it is."""
        if np.isfinite(self._drawn).all():
            self._base.visible = False
            self._drawn = np.full(19, np.inf)


def _add_shape(server: viser.ViserServer, name: str, shape: CollisionShape, colour: str, opacity: float) -> _Shape:
    position, turned = shape.body_from_shape_translation, wxyz_of_rotation(shape.body_from_shape_rotation)
    seen = None if opacity >= 1.0 else opacity
    rgb = palette.rgb(colour)
    if shape.kind == "box":
        return server.scene.add_box(name, rgb, np.array(shape.size), opacity=seen, cast_shadow=False, wxyz=turned, position=position)
    if shape.kind == "cylinder":
        radius, length = shape.size
        return server.scene.add_cylinder(
            name, radius, length, rgb, radial_segments=16, opacity=seen, cast_shadow=False, wxyz=turned, position=position
        )
    return server.scene.add_icosphere(name, shape.size[0], rgb, subdivisions=2, opacity=seen, cast_shadow=False, position=position)


def _product(first: Array, second: Array) -> Array:
    """Of two quaternions w x y z."""
    a, u, b, v = first[0], first[1:], second[0], second[1:]
    return np.concatenate(([a * b - u @ v], a * v + b * u + np.cross(u, v)))
