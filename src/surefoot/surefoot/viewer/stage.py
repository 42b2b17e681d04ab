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
_LINES_EACH_WAY = 14
_HAZE_END = 11.0
"""Distance at which nothing is seen any more, in parts of the stand height."""
_SKY, _GROUND, _LINES = (0.97, 0.98, 0.99, 1.0), (0.93, 0.94, 0.95, 1.0), (0.80, 0.83, 0.86, 1.0)
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
        flags = self._renderer.scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SHADOW], flags[mujoco.mjtRndFlag.mjRND_FOG] = False, True
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
        visual.headlight.ambient[:], visual.headlight.diffuse[:], visual.headlight.specular[:] = 0.55, 0.0, 0.0
        mujoco_model.light_ambient[:], mujoco_model.light_diffuse[:], mujoco_model.light_specular[:] = 0.0, 0.5, 0.0
        mujoco_model.light_dir[:] = np.array((-0.35, 0.35, -0.87))
        visual.global_.offwidth, visual.global_.offheight = self.width, self.height
        visual.quality.offsamples = 4
        # The ground reaches further than anybody sees: distances are those of the robot, and far away all is haze.
        mujoco_model.stat.extent = self._scale
        visual.map.znear, visual.map.zfar, visual.map.fogstart, visual.map.fogend = 0.05, 60.0, 6.0, _HAZE_END
        visual.rgba.fog[:] = _SKY

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
        x, y, z, w = base_quaternion
        self._data.qpos[:3], self._data.qpos[3:7], self._data.qpos[self._positions] = base_position, (w, x, y, z), joint_position
        mujoco.mj_kinematics(self._mujoco, self._data)
        self._camera.lookat[:], self._camera.distance = centre, distance
        self._mujoco.geom_rgba[self._robot, 3] = opacity
        self._renderer.update_scene(self._data, self._camera)
        self._draw_lines(centre)
        self._draw_sky(centre)
        picture: NDArray[np.uint8] = self._renderer.render()
        return picture

    def _draw_lines(self, centre: Array) -> None:
        """Lines on the ground around a point, so that one sees the robot move."""
        tile = _TILE * self._scale
        width, reach = 0.01 * self._scale, _LINES_EACH_WAY * tile
        for axis in (0, 1):
            size = np.array((width, reach, 1e-4) if axis == 0 else (reach, width, 1e-4))
            for line in np.arange(-_LINES_EACH_WAY, _LINES_EACH_WAY + 1):
                position = np.array((centre[0], centre[1], 1e-3))
                position[axis] = tile * (np.floor(centre[axis] / tile) + line)
                self._add_box(size, position, np.eye(3), _LINES)

    def _draw_sky(self, centre: Array) -> None:
        """A wall far behind the robot, all haze, because what nothing is drawn on is black."""
        azimuth, far = np.radians(_AZIMUTH), 1.5 * _HAZE_END * self._scale
        cosine, sine = np.cos(azimuth), np.sin(azimuth)
        wall = centre + far * np.array((cosine, sine, 0.0))
        self._add_box(np.array((0.1, 3.0 * far, 2.0 * far)), wall, np.array(((cosine, -sine, 0.0), (sine, cosine, 0.0), (0.0, 0.0, 1.0))), _SKY)

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
            pixels = np.column_stack((0.5 * self.width + focal * (offset @ right) / depth, 0.5 * self.height - focal * (offset @ up) / depth))
        pixels[depth <= 0.0] = np.nan
        return pixels

    def close(self) -> None:
        """Free what OpenGL holds."""
        self._renderer.close()
