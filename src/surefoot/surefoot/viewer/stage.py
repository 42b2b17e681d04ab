# SPDX-License-Identifier: Apache-2.0
"""The robot on its ground as a picture: MuJoCo rendering without a screen, and where a point of the world lies in the picture."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot.robot.model import RobotModel
from surefoot.simulation.mujoco_model import build_model
from surefoot.terrain.world import World

Array = NDArray[np.float64]

_AZIMUTH, _ELEVATION = 128.0, -19.0
"""Camera, degrees."""
_TILE = 0.8
"""Between the lines on the ground, in parts of the stand height."""
_LINES_EACH_WAY, _PIECE = 9, 6
"""How many, and how many tiles a piece of one opacity is long."""
_SKY_DISTANCE = 150.0
"""m"""
_SAME_VIEW = 2e-3
"""m and rad by which a picture may be out of date: a robot at rest is drawn once."""
_SKY, _GROUND, _LINES = (1.0, 1.0, 1.0, 1.0), (0.92, 0.935, 0.95, 1.0), (0.55, 0.62, 0.68)
_ICE, _BODY, _LEGS, _FEET = (0.66, 0.85, 0.97, 1.0), (0.24, 0.50, 0.76, 1.0), (0.40, 0.46, 0.52, 1.0), (0.18, 0.20, 0.24, 1.0)


class Stage:
    """A picture of the robot at a time, seen by a camera that goes along.

    Args:
        model: the robot.
        world: its ground.
        width, height: of the picture, pixels.

    Raises:
        Exception: whatever OpenGL raises where it cannot draw without a screen.
    """

    def __init__(self, model: RobotModel, world: World, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._mujoco = build_model(model, world, 2e-3)
        self._data = mujoco.MjData(self._mujoco)
        self._positions = np.array([self._mujoco.joint(name).qposadr[0] for name in model.description.joint_names])
        self._scale = model.description.stand_height
        self._paint(model)
        self._renderer = mujoco.Renderer(self._mujoco, height, width)
        self._renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = False
        self._view, self._picture = np.full(24, np.inf), np.zeros((height, width, 3), np.uint8)
        self._camera = mujoco.MjvCamera()
        self._camera.azimuth, self._camera.elevation = _AZIMUTH, _ELEVATION

    def _paint(self, model: RobotModel) -> None:
        mujoco_model, feet, robot = self._mujoco, set(model.description.foot_names), []
        base = mujoco_model.body(model.description.base).id
        for index in range(mujoco_model.ngeom):
            geom = mujoco_model.geom(index)
            if geom.name.startswith("ground_"):
                geom.rgba = _ICE if geom.rgba[2] > 0.9 else _GROUND
            elif geom.name in feet:
                geom.rgba = _FEET
            else:
                geom.rgba = _BODY if geom.bodyid[0] == base else _LEGS
            if geom.bodyid[0] != 0:
                robot.append(index)
        self._robot = np.array(robot)
        visual = mujoco_model.vis
        # One light from afar, so that the ground is evenly lit however large its pieces are.
        visual.headlight.ambient[:], visual.headlight.diffuse[:], visual.headlight.specular[:] = 0.6, 0.0, 0.0
        mujoco_model.light_ambient[:], mujoco_model.light_diffuse[:], mujoco_model.light_specular[:] = 0.0, 0.5, 0.0
        mujoco_model.light_dir[:] = np.array((-0.30, 0.60, -0.74))
        visual.global_.offwidth, visual.global_.offheight = self.width, self.height
        visual.quality.offsamples = 4
        mujoco_model.stat.extent = 1.0
        visual.map.znear, visual.map.zfar = 0.1 * self._scale, 2.0 * _SKY_DISTANCE

    def draw(
        self, base_position: Array, base_quaternion: Array, joint_position: Array, centre: Array, distance: float, opacity: float = 1.0
    ) -> NDArray[np.uint8]:
        """The picture, (height, width, 3).

        Args:
            base_position: in the world, (3,), m.
            base_quaternion: world_from_base, x y z w, (4,).
            joint_position: (12,), rad.
            centre: that the camera looks at, (3,), m.
            distance: of the camera from there, m.
            opacity: of the robot, 0 to 1, so that one sees what is drawn inside of it.
        """
        view = np.concatenate((base_position, base_quaternion, joint_position, centre, (distance, opacity)))
        if np.abs(view - self._view).max() < _SAME_VIEW:
            return self._picture
        x, y, z, w = base_quaternion
        self._data.qpos[:3], self._data.qpos[3:7], self._data.qpos[self._positions] = base_position, (w, x, y, z), joint_position
        mujoco.mj_kinematics(self._mujoco, self._data)
        mujoco.mj_camlight(self._mujoco, self._data)
        self._camera.lookat[:], self._camera.distance = centre, distance
        self._mujoco.geom_rgba[self._robot, 3] = opacity
        self._renderer.update_scene(self._data, self._camera)
        self._draw_lines(centre)
        self._draw_sky(centre)
        self._view, self._picture = view, self._renderer.render()
        return self._picture

    def _draw_lines(self, centre: Array) -> None:
        """Lines on the ground around a point that fade with the distance, so that one sees the robot move."""
        tile, half = _TILE * self._scale, 0.5 * _PIECE * _TILE * self._scale
        width = 0.008 * self._scale
        origin = tile * np.floor(centre[:2] / tile)
        pieces = _PIECE * (np.arange(-_LINES_EACH_WAY, _LINES_EACH_WAY, _PIECE) / _PIECE + 0.5)
        for axis in (0, 1):
            size = np.array((width, half, 1e-4) if axis == 0 else (half, width, 1e-4))
            for line in range(-_LINES_EACH_WAY, _LINES_EACH_WAY + 1):
                for piece in pieces:
                    opacity = 1.0 - np.hypot(line, piece) / _LINES_EACH_WAY
                    if opacity > 0.03:
                        place = np.array((line, piece) if axis == 0 else (piece, line)) * tile + origin
                        self._add_box(size, np.array((*place, 1e-3)), np.eye(3), (*_LINES, opacity))

    def _draw_sky(self, centre: Array) -> None:
        """A wall far behind the robot, because what nothing is drawn on is black."""
        azimuth = np.radians(_AZIMUTH)
        cosine, sine = np.cos(azimuth), np.sin(azimuth)
        rotation = np.array(((cosine, -sine, 0.0), (sine, cosine, 0.0), (0.0, 0.0, 1.0)))
        self._add_box(np.array((0.1, 400.0, 400.0)), centre + _SKY_DISTANCE * rotation[:, 0], rotation, _SKY)

    def _add_box(self, half_size: Array, position: Array, rotation: Array, colour: tuple[float, float, float, float]) -> None:
        scene = self._renderer.scene
        if scene.ngeom < scene.maxgeom:
            geom = scene.geoms[scene.ngeom]
            mujoco.mjv_initGeom(geom, mujoco.mjtGeom.mjGEOM_BOX, half_size, position, rotation.reshape(9), np.array(colour, np.float32))
            scene.ngeom += 1

    def seen(self, points: Array) -> Array:
        """Where points of the world lie in the last picture, (n, 2), pixels from the upper left corner; NaN behind the camera.

        Args:
            points: (n, 3), m.
        """
        cameras = self._renderer.scene.camera
        eye = 0.5 * (np.array(cameras[0].pos) + np.array(cameras[1].pos))
        forward, up = np.array(cameras[0].forward), np.array(cameras[0].up)
        right = np.cross(forward, up)
        offset = points - eye
        depth = offset @ forward
        focal = 0.5 * self.height / np.tan(0.5 * np.radians(self._mujoco.vis.global_.fovy))
        with np.errstate(divide="ignore", invalid="ignore"):
            to_right, upwards = focal * (offset @ right) / depth, focal * (offset @ up) / depth
        pixels = np.column_stack((0.5 * self.width + to_right, 0.5 * self.height - upwards))
        pixels[depth <= 0.0] = np.nan
        return pixels

    def close(self) -> None:
        """Free what OpenGL holds."""
        self._renderer.close()
