# SPDX-License-Identifier: Apache-2.0
"""What the page shows, as markers for any viewer of ROS: ground, feet, forces, friction cones, swings, where the base is and is to be,
and rehearsals.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from surefoot.nodes.conversions.common import ODOM, point_of, quaternion_of, stamp_of, vector_of
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.terrain.world import World
from surefoot.traces.outcome import FAILED, SURVIVED
from surefoot.viewer.page import palette
from surefoot.viewer.page.feet_figure import friction_words
from surefoot.viewer.page.ground_figure import (
    TILE_WORDS,
    FrictionHere,
    ground_edges,
    ground_words,
    relief_surface,
    strip_solid,
    tile_words,
)
from surefoot.viewer.page.rehearsal import RehearsalShown
from surefoot.viewer.page.rehearsal_figure import LINGERS, MOST_NAMES, named_ends
from surefoot.viewer.page.shapes import (
    Points,
    cone_use,
    covariance_ellipsoid,
    cross,
    dashes,
    friction_cone,
    segments,
    wxyz_between,
)
from surefoot.viewer.page.state import PageState, PlanShown, RobotShown

Array = NDArray[np.float64]

NAMESPACES = ("ground", "feet", "forces", "friction", "swings", "covariance", "plan", "traces", "verdict")
"""Of the markers; a viewer can switch each off."""

_UP = np.array((0.0, 0.0, 1.0))
_KINDS = (palette.SURVIVED, palette.UNFINISHED, palette.FAILED)
_ENDS, _THREADS, _NAMES = (len(_KINDS) + more for more in range(3))
"""Numbers of the markers after the lines of traces: their crosses, the threads to their names, and the first of the names."""
_HERE = 8
"""Number of the word of the friction where the robot is: after those of the cones and their words."""
_RELIEF_SAMPLES = 60
"""Of rough ground along each side."""


class MarkerMaker:
    """Makes markers out of states of the page.

    Args:
        model: the robot.
        world: what is known of the ground; None on a real robot.
    """

    def __init__(self, model: RobotModel, world: World | None = None) -> None:
        self._scale = model.description.stand_height
        self._foot_size = 2.3 * model.description.foot_radius
        self._newton = 0.5 * self._scale / (0.5 * GRAVITY * sum(body.mass for body in model.bodies()))
        self._told: tuple[int, float, int] | None = None
        self._ground = [] if world is None else _ground(world, self._scale)
        self._ground_is_told = False
        self._friction = None if world is None else FrictionHere(world, self._scale)

    def array(self, state: PageState, everything: bool) -> MarkerArray:
        """The markers of a state.

        Args:
            state: to be shown.
            everything: also what was told before and is still there, for somebody who has just come.
        """
        robot, plan = state.robot, state.plan
        if robot is None:
            return MarkerArray()
        stamp = stamp_of(robot.time)
        markers = [self._foot(stamp, leg, robot, plan) for leg in range(4)]
        if everything or not self._ground_is_told:
            self._ground_is_told = True
            for marker in self._ground:
                marker.header.stamp = stamp
            markers += self._ground
        if self._friction is not None:
            words, place = self._friction.words(*robot.base_position[:2])
            markers.append(_text(stamp, "friction", _HERE, words, palette.EDGE, place, 0.1 * self._scale))
        markers += [self._force(stamp, leg, robot) for leg in range(4)]
        for leg in range(4):
            markers += self._cone(stamp, leg, robot, plan)
        for leg in range(4):
            markers += self._swing(stamp, leg, state)
        markers.append(_covariance(stamp, robot))
        markers.append(self._plan(stamp, plan))
        markers += self._rehearsal(stamp, state, everything)
        return MarkerArray(markers=markers)

    def _foot(self, stamp: Time, leg: int, robot: RobotShown, plan: PlanShown | None) -> Marker:
        mode = 0 if plan is None else int(plan.foot_mode[leg]) % len(palette.FOOT_MODES)
        marker = _marker(stamp, "feet", leg, Marker.SPHERE, palette.FOOT_MODES[mode])
        marker.pose.position, marker.scale = point_of(robot.foot_position[leg]), vector_of(np.full(3, self._foot_size))
        return marker

    def _force(self, stamp: Time, leg: int, robot: RobotShown) -> Marker:
        force = robot.foot_force[leg]
        if not np.isfinite(force).all() or float(np.abs(force).max()) < 1.0:
            return _gone(stamp, "forces", leg)
        marker = _marker(stamp, "forces", leg, Marker.ARROW, palette.FORCE)
        marker.points = [point_of(robot.foot_position[leg]), point_of(robot.foot_position[leg] + self._newton * force)]
        marker.scale = vector_of(self._scale * np.array((0.02, 0.045, 0.07)))
        return marker

    def _cone(self, stamp: Time, leg: int, robot: RobotShown, plan: PlanShown | None) -> list[Marker]:
        """The friction cone of a foot, and below it the friction that is believed there."""
        friction = math.nan if plan is None else float(plan.friction[leg])
        if plan is None or not (math.isfinite(friction) and friction > 0.0 and robot.contact_probability[leg] > 0.5):
            return [_gone(stamp, "friction", leg), _gone(stamp, "friction", 4 + leg)]
        normal = plan.normal[leg] if np.isfinite(plan.normal[leg]).all() and plan.normal[leg].any() else _UP
        use = cone_use(np.nan_to_num(robot.foot_force[leg]), normal, friction)
        colour = palette.use_colour(use) if math.isfinite(use) else palette.PLANNED
        marker = _marker(stamp, "friction", leg, Marker.TRIANGLE_LIST, colour, 0.35)
        vertices, faces = friction_cone(friction, 0.25 * self._scale)
        marker.points, marker.scale = [_point(vertices[corner]) for corner in faces.reshape(-1)], vector_of(np.ones(3))
        w, x, y, z = wxyz_between(_UP, normal)
        marker.pose.position, marker.pose.orientation = point_of(robot.foot_position[leg]), quaternion_of(np.array((x, y, z, w)))
        below = robot.foot_position[leg] - 0.12 * self._scale * normal
        return [marker, _text(stamp, "friction", 4 + leg, friction_words(friction), palette.EDGE, below, 0.07 * self._scale)]

    def _swing(self, stamp: Time, leg: int, state: PageState) -> list[Marker]:
        """The path of a foot through the air, and its foothold."""
        swing = state.swings.get(leg)
        if swing is None:
            return [_gone(stamp, "swings", leg), _gone(stamp, "swings", 4 + leg)]
        path = _marker(stamp, "swings", leg, Marker.LINE_STRIP, palette.SWING_PATH)
        path.points, path.scale.x = [_point(point) for point in swing.points], 0.012 * self._scale
        foothold = _marker(stamp, "swings", 4 + leg, Marker.CYLINDER, palette.SWING_PATH, 0.8)
        foothold.pose.position = point_of(swing.points[-1])
        foothold.scale = vector_of(self._scale * np.array((0.12, 0.12, 0.006)))
        return [path, foothold]

    def _plan(self, stamp: Time, plan: PlanShown | None) -> Marker:
        """Where the base is to be, and which way it is to look."""
        if plan is None or not np.isfinite(np.concatenate((plan.base_position, plan.base_quaternion))).all():
            return _gone(stamp, "plan", 0)
        marker = _marker(stamp, "plan", 0, Marker.ARROW, palette.PLANNED)
        marker.pose.position, marker.pose.orientation = point_of(plan.base_position), quaternion_of(plan.base_quaternion)
        marker.scale = vector_of(self._scale * np.array((0.6, 0.04, 0.04)))
        return marker

    def _rehearsal(self, stamp: Time, state: PageState, everything: bool) -> list[Marker]:
        """The fan of the rehearsal and its verdict in words, when they are new; nothing of them once the verdict is old."""
        shown = state.rehearsal
        if shown is not None and shown.verdict is not None and state.time > shown.heard_at + LINGERS:
            shown = None
        if shown is None:
            told, self._told = self._told, None
            if told is None and not everything:
                return []
            return [*(_gone(stamp, "traces", kind) for kind in range(_NAMES + MOST_NAMES)), _gone(stamp, "verdict", 0)]
        news = (shown.request_id, shown.time, shown.version)
        if news == self._told and not everything:
            return []
        self._told = news
        return [*self._traces(stamp, shown), self._words(stamp, shown, state)]

    def _traces(self, stamp: Time, shown: RehearsalShown) -> list[Marker]:
        lines: dict[str, list[Points]] = defaultdict(list)
        ends: list[Points] = []
        for number, trace in shown.drawn():
            if len(trace.points) == 0 or shown.is_dim(number):
                continue
            points = trace.points
            if trace.outcome == FAILED:
                lines[palette.FAILED].append(dashes(points, 0.03 * self._scale))
                ends.append(cross(trace.points[-1], 0.03 * self._scale))
            else:
                lines[palette.SURVIVED if trace.outcome == SURVIVED else palette.UNFINISHED].append(segments(points))
        named = named_ends(shown, self._scale)
        pieces = [(lines.get(colour, []), colour) for colour in _KINDS]
        pieces += [(ends, palette.FAILED), ([end.thread() for end in named], palette.EDGE)]
        made = [self._lines(stamp, kind, pieces_of_kind, colour) for kind, (pieces_of_kind, colour) in enumerate(pieces)]
        for order, end in enumerate(named):
            made.append(_text(stamp, "traces", _NAMES + order, end.words, palette.FAILED, end.place(), 0.08 * self._scale))
        return made + [_gone(stamp, "traces", _NAMES + order) for order in range(len(named), MOST_NAMES)]

    def _lines(self, stamp: Time, number: int, pieces: list[Points], colour: str) -> Marker:
        points = np.concatenate(pieces).reshape(-1, 3) if pieces else np.zeros((0, 3), np.float32)
        if not len(points):
            return _gone(stamp, "traces", number)
        marker = _marker(stamp, "traces", number, Marker.LINE_LIST, colour)
        marker.points, marker.scale.x = [_point(point) for point in points], 0.008 * self._scale
        return marker

    def _words(self, stamp: Time, shown: RehearsalShown, state: PageState) -> Marker:
        change, verdict = f"{shown.gait_from} to {shown.gait_to}", shown.verdict
        if verdict is None:
            text, colour = f"rehearsing {change}: {shown.particles} traces", palette.UNFINISHED
        else:
            text = f"{change} {'accepted' if verdict.accepted else 'vetoed'}: {verdict.reason}"
            text += f"\noffered instead: {verdict.offer}" if verdict.offer else ""
            colour = palette.SURVIVED if verdict.accepted else palette.FAILED
        assert state.robot is not None
        return _text(stamp, "verdict", 0, text, colour, state.robot.base_position + 0.8 * self._scale * _UP, 0.08 * self._scale)


def _covariance(stamp: Time, robot: RobotShown) -> Marker:
    """Where the base is with 95 %."""
    ellipsoid = covariance_ellipsoid(robot.position_covariance)
    if not (ellipsoid.half_axes.any() and np.isfinite(robot.base_position).all()):
        return _gone(stamp, "covariance", 0)
    marker = _marker(stamp, "covariance", 0, Marker.SPHERE, palette.COVARIANCE, 0.35)
    w, x, y, z = ellipsoid.wxyz
    marker.pose.position, marker.pose.orientation = point_of(robot.base_position), quaternion_of(np.array((x, y, z, w)))
    marker.scale = vector_of(np.maximum(2.0 * ellipsoid.half_axes, 1e-4))
    return marker


def _ground(world: World, scale: float) -> list[Marker]:
    """Strips or rough ground, what bounds them, and their friction in words; the rest is level."""
    never = Time()
    made: list[Marker] = []
    for strip in world.strips:
        made.append(_surface(never, len(made), *strip_solid(strip), [palette.friction_rgb(strip.friction)]))
    if world.relief is not None:
        # It is said again and again, to who has just come: coarser than on the page.
        vertices, faces, friction = relief_surface(world.relief, _RELIEF_SAMPLES)
        shades = {value: palette.friction_rgb(value) for value in set(friction.tolist())}
        made.append(_surface(never, len(made), vertices, faces, [shades[value] for value in friction.tolist()]))
        for text, place in tile_words(world.relief, scale):
            made.append(_text(never, "ground", len(made), text, palette.EDGE, place, TILE_WORDS * scale))
    edges = ground_edges(world)
    if len(edges):
        marker = _marker(never, "ground", len(made), Marker.LINE_LIST, palette.EDGE)
        marker.points, marker.scale.x = [_point(point) for point in edges.reshape(-1, 3)], 0.012 * scale
        made.append(marker)
    for text, place in ground_words(world, scale):
        made.append(_text(never, "ground", len(made), text, palette.EDGE, place, 0.1 * scale))
    return made


def _surface(stamp: Time, number: int, vertices: Points, faces: NDArray[np.uint32], colours: Sequence[tuple[int, int, int]]) -> Marker:
    """Triangles of one colour, or each of its own."""
    marker = _marker(stamp, "ground", number, Marker.TRIANGLE_LIST, palette.EDGE)
    marker.points, marker.scale = [_point(vertices[corner]) for corner in faces.reshape(-1)], vector_of(np.ones(3))
    parts = [ColorRGBA(r=red / 255.0, g=green / 255.0, b=blue / 255.0, a=1.0) for red, green, blue in colours]
    marker.color = parts[0]
    if len(parts) > 1:
        marker.colors = [part for part in parts for _ in range(3)]
    return marker


def _text(stamp: Time, namespace: str, number: int, text: str, colour: str, place: Sequence[float] | Array, height: float) -> Marker:
    marker = _marker(stamp, namespace, number, Marker.TEXT_VIEW_FACING, colour)
    marker.pose.position, marker.scale.z, marker.text = point_of(np.asarray(place)), height, text
    return marker


def _marker(stamp: Time, namespace: str, number: int, kind: int, colour: str, opacity: float = 1.0) -> Marker:
    red, green, blue = (part / 255.0 for part in palette.rgb(colour))
    marker = Marker(ns=namespace, id=number, type=kind, action=Marker.ADD, color=ColorRGBA(r=red, g=green, b=blue, a=opacity))
    marker.header.frame_id, marker.header.stamp = ODOM, stamp
    marker.pose.orientation.w = 1.0
    return marker


def _gone(stamp: Time, namespace: str, number: int) -> Marker:
    marker = Marker(ns=namespace, id=number, action=Marker.DELETE)
    marker.header.frame_id, marker.header.stamp = ODOM, stamp
    return marker


def _point(values: NDArray[np.floating]) -> Point:
    return Point(x=float(values[0]), y=float(values[1]), z=float(values[2]))
