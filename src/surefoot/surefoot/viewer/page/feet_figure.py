# SPDX-License-Identifier: Apache-2.0
"""What happens at the feet: modes, forces, friction cones with their use, paths through the air and footholds."""

import math

import numpy as np
import viser
from numpy.typing import NDArray

from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.viewer.page import palette
from surefoot.viewer.page.shapes import cone_use, friction_cone, rods, segments, wxyz_between
from surefoot.viewer.page.state import PageState, PlanShown, RobotShown

Array = NDArray[np.float64]

_UP = np.array((0.0, 0.0, 1.0))
_CONE_HEIGHT, _FORCE_LENGTH = 0.25, 0.5
"""Height of a cone, and length of the arrow of a foot that bears half of the weight; in parts of the stand height."""


def friction_words(friction: float) -> str:
    """The friction that is believed under a foot."""
    return f"µ {friction:.2g}"


class FeetFigure:
    """Four feet.

    Args:
        server: of the scene.
        name: of their place in the scene.
        model: the robot.
    """

    def __init__(self, server: viser.ViserServer, name: str, model: RobotModel) -> None:
        self._server, self._name = server, name
        self._height, self._half_weight = model.description.stand_height, 0.5 * GRAVITY * sum(body.mass for body in model.bodies())
        radius = 1.15 * model.description.foot_radius
        self._feet = [
            server.scene.add_icosphere(
                f"{name}/{leg}", radius, palette.rgb(palette.STANCE), subdivisions=2, cast_shadow=False, visible=False
            )
            for leg in LEG_NAMES
        ]
        self._cones: list[viser.MeshHandle | None] = [None] * 4
        self._frictions = np.full(4, np.nan)
        self._modes = [0] * 4
        self._uses = [""] * 4
        self._forces: viser.ArrowsHandle | None = None
        self._swings: dict[int, tuple[float, list[viser.SceneNodeHandle]]] = {}
        self.use = np.full(4, np.nan)

    def draw(self, state: PageState) -> None:
        """Draw a state; what is not known of it is left out."""
        robot, plan = state.robot, state.plan
        if robot is None:
            return
        for leg, foot in enumerate(self._feet):
            foot.position = robot.foot_position[leg]
            if not foot.visible:
                foot.visible = True
            mode = 0 if plan is None else int(plan.foot_mode[leg])
            if mode != self._modes[leg] and 0 <= mode < len(palette.FOOT_MODES):
                self._modes[leg], foot.color = mode, palette.rgb(palette.FOOT_MODES[mode])
        self._draw_forces(robot)
        self._draw_cones(robot, plan)
        self._draw_swings(state)

    def _draw_forces(self, robot: RobotShown) -> None:
        force = np.nan_to_num(robot.foot_force)
        length = _FORCE_LENGTH * self._height / self._half_weight
        # What bears nothing still needs a direction: an arrow too short to be seen.
        tips = robot.foot_position + length * np.where(np.abs(force).max(axis=1, keepdims=True) > 1.0, force, 1e-3 * _UP)
        points = np.stack((robot.foot_position, tips), axis=1).astype(np.float32)
        thick = 0.018 * self._height
        if self._forces is None:
            self._forces = self._server.scene.add_arrows(
                f"{self._name}/force", points, palette.rgb(palette.FORCE), shaft_radius=thick, head_radius=2.2 * thick,
                head_length=4.0 * thick,
            )  # fmt: skip
        else:
            self._forces.points = points

    def _draw_cones(self, robot: RobotShown, plan: PlanShown | None) -> None:
        for leg in range(4):
            friction = math.nan if plan is None else float(plan.friction[leg])
            normal = _UP if plan is None or not np.isfinite(plan.normal[leg]).all() or not plan.normal[leg].any() else plan.normal[leg]
            self.use[leg] = cone_use(np.nan_to_num(robot.foot_force[leg]), normal, friction)
            seen = math.isfinite(friction) and friction > 0.0 and robot.contact_probability[leg] > 0.5
            cone = self._cones[leg]
            if not seen:
                if cone is not None and cone.visible:
                    cone.visible = False
                continue
            if cone is None or abs(friction - self._frictions[leg]) > 0.01:
                vertices, faces = friction_cone(friction, _CONE_HEIGHT * self._height)
                self._frictions[leg], self._uses[leg] = friction, palette.STANCE
                cone = self._cones[leg] = self._server.scene.add_mesh_simple(
                    f"{self._name}/cone_{LEG_NAMES[leg]}", vertices, faces, color=palette.rgb(palette.STANCE), opacity=0.3, side="double",
                    cast_shadow=False, receive_shadow=False,
                )  # fmt: skip
                # It goes along with the cone, and is hidden with it.
                self._server.scene.add_label(
                    f"{self._name}/cone_{LEG_NAMES[leg]}/friction", friction_words(friction), anchor="top-center",
                    position=(0.0, 0.0, -0.06 * self._height),
                )  # fmt: skip
            if not cone.visible:
                cone.visible = True
            cone.position, cone.wxyz = robot.foot_position[leg], wxyz_between(_UP, normal)
            colour = palette.use_colour(self.use[leg]) if math.isfinite(self.use[leg]) else palette.PLANNED
            if colour != self._uses[leg]:
                self._uses[leg], cone.color = colour, palette.rgb(colour)

    def _draw_swings(self, state: PageState) -> None:
        """Paths are drawn when they are new, and taken away when their foot is down."""
        for leg, (start, handles) in list(self._swings.items()):
            if leg not in state.swings or state.swings[leg].start != start:
                for handle in handles:
                    handle.remove()
                del self._swings[leg]
        for leg, swing in state.swings.items():
            if leg in self._swings or len(swing.points) < 2:
                continue
            name = f"{self._name}/swing_{LEG_NAMES[leg]}"
            vertices, faces = rods([segments(swing.points.astype(np.float32))], 0.006 * self._height)
            path = self._server.scene.add_mesh_simple(
                f"{name}/path", vertices, faces, color=palette.rgb(palette.SWING_PATH), side="double", flat_shading=True, cast_shadow=False
            )
            foothold = self._server.scene.add_cylinder(
                f"{name}/foothold", 0.06 * self._height, 0.006 * self._height, palette.rgb(palette.SWING_PATH), radial_segments=20,
                opacity=0.8, cast_shadow=False, position=swing.points[-1],
            )  # fmt: skip
            self._swings[leg] = (swing.start, [path, foothold])
