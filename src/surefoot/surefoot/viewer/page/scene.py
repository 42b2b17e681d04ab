# SPDX-License-Identifier: Apache-2.0
"""The scene: draws a state of the page with viser, whose server answers on this machine only."""

import contextlib
import io

import numpy as np
import viser

from surefoot.robot.model import RobotModel
from surefoot.terrain.world import World
from surefoot.viewer.page import palette
from surefoot.viewer.page.feet_figure import FeetFigure
from surefoot.viewer.page.ground_figure import GroundFigure
from surefoot.viewer.page.rehearsal_figure import RehearsalFigure
from surefoot.viewer.page.robot_figure import RobotFigure
from surefoot.viewer.page.shapes import covariance_ellipsoid
from surefoot.viewer.page.state import PageState

_LOCAL = "127.0.0.1"
_FOLLOWS = 0.15
"""Part of the way to the robot that the view goes at each drawing."""
_SEEN_FROM, _LOOKS_AT = (2.0, -2.7, 1.9), (0.35, 0.0, 0.7)
"""Place of the camera and what it looks at, from the point under the robot, in parts of the stand height."""
_AMBIENT = 1.2
_SMALLEST = 1e-4
"""m, least half axis of an ellipsoid: what is flat cannot be drawn."""


class Scene:
    """Draws states. The world moves under the view, so that the camera, which belongs to the person, may stay where it is.

    Args:
        model: the robot.
        world: what is known of the ground; None on a real robot.

    Attributes:
        port: on which viser's server answers, on this machine only.
        drawings: how many states were drawn.
    """

    def __init__(self, model: RobotModel, world: World | None = None) -> None:
        # It prints an address of its own, which is not the one to open.
        with contextlib.redirect_stdout(io.StringIO()):
            self._server = server = viser.ViserServer(host=_LOCAL, port=0, verbose=False)
        self._without_sharing()
        self.port: int = server.get_port()
        self.drawings = 0
        scale = model.description.stand_height
        server.gui.configure_theme(show_logo=False, show_share_button=False)
        server.gui.main_panel.minimize()
        server.scene.set_up_direction("+z")
        # Light from pictures of surroundings costs a software renderer three frames of four.
        server.scene.configure_environment_map(None)
        server.scene.configure_default_lights(cast_shadow=False)
        server.scene.add_light_ambient("/ambient", intensity=_AMBIENT)
        server.initial_camera.position = scale * np.array(_SEEN_FROM)
        server.initial_camera.look_at = scale * np.array(_LOOKS_AT)
        self._odom = server.scene.add_frame("/odom", show_axes=False)
        self._centre = np.zeros(2)
        self._ground = GroundFigure(server, "/odom/ground", world, scale)
        self._robot = RobotFigure(server, "/odom/robot", model, (palette.BODY, palette.LEGS))
        self._planned = RobotFigure(server, "/odom/planned", model, (palette.PLANNED, palette.PLANNED), opacity=0.3)
        self._feet = FeetFigure(server, "/odom/feet", model)
        self._rehearsal = RehearsalFigure(server, "/odom/rehearsal", scale)
        self._covariance = server.scene.add_icosphere(
            "/odom/covariance", 1.0, palette.rgb(palette.COVARIANCE), subdivisions=2, opacity=0.35, cast_shadow=False, visible=False
        )

    @property
    def watchers(self) -> int:
        """Browsers that are connected."""
        return len(self._server.get_clients())

    @property
    def traces_drawn(self) -> int:
        """Traces in the scene now."""
        return self._rehearsal.traces

    def draw(self, state: PageState) -> None:
        """Draw a state, all of it at once."""
        with self._server.atomic():
            self._draw(state)
        self._server.flush()
        self.drawings += 1

    def _draw(self, state: PageState) -> None:
        robot, plan = state.robot, state.plan
        if robot is not None and np.isfinite(robot.base_position).all():
            away = robot.base_position[:2] - self._centre
            # A robot that was put elsewhere is looked at there at once.
            self._centre = self._centre + (1.0 if np.linalg.norm(away) > 5.0 else _FOLLOWS) * away
            if np.linalg.norm(away) > 1e-3:
                self._odom.position = (-self._centre[0], -self._centre[1], 0.0)
                self._ground.follow(float(self._centre[0]), float(self._centre[1]))
            self._robot.draw(robot.base_position, robot.base_quaternion, robot.joint_position)
            place, ellipsoid = robot.base_position, covariance_ellipsoid(robot.position_covariance)
            axes = np.maximum(ellipsoid.half_axes, _SMALLEST)
            self._covariance.scale = (float(axes[0]), float(axes[1]), float(axes[2]))
            self._covariance.position, self._covariance.wxyz = place, ellipsoid.wxyz
            self._covariance.visible = True
        if plan is not None and state.command is not None:
            self._planned.draw(plan.base_position, plan.base_quaternion, state.command.position)
        else:
            self._planned.hide()
        self._feet.draw(state)
        self._rehearsal.draw(state.rehearsal, state.time)
        self._robot.be_glass(self._rehearsal.traces > 0)

    def _without_sharing(self) -> None:
        """Nobody who may only look may have viser's server open a tunnel to the world."""
        for kind in [kind for kind in self._server._websock_server._incoming_handlers if kind.__name__.startswith("ShareUrl")]:
            self._server._websock_server.unregister_handler(kind)

    def close(self) -> None:
        """End viser's server."""
        with contextlib.redirect_stdout(io.StringIO()):
            self._server.stop()
