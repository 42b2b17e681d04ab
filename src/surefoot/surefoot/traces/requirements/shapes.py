# SPDX-License-Identifier: Apache-2.0
"""The shapes of a robot's links and of its ground, as records that compiled functions read."""

from typing import NamedTuple

import mujoco
import numpy as np

from surefoot.errors import ConfigurationError
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import RobotModel
from surefoot.traces.findings.marks import LINK_NAMES
from surefoot.traces.requirements.geometry import BOX, CYLINDER, SPHERE, shape_distance

LINKS, LEG_LINKS = len(LINK_NAMES), 4
FOOT_LINKS = tuple(LEG_LINKS * (leg + 1) for leg in range(len(LEG_NAMES)))
NEAR = 0.05
"""Distance in stand heights beyond which clearances are not told apart. Links that are closer in the stand pose are built that way: their
distance says nothing.
"""

SHAPE = np.dtype(
    [
        ("geom", "i8"),
        ("link", "i8"),
        ("kind", "i8"),
        ("half", "f8", (3,)),  # m
        ("axis", "i8"),  # of the capsule that fills the shape, and of a cylinder
        ("segment", "f8"),  # half length of that capsule's straight part, m
        ("radius", "f8"),  # of that capsule, m
        ("bound", "f8"),  # farthest point from the centre, m
    ],
    align=True,
)
"""A shape of a link. Against each other, cylinders and boxes count as the capsules that fill them, except for the first box of a pair."""

LINK = np.dtype([("first", "i8"), ("last", "i8"), ("geom", "i8"), ("bound", "f8")], align=True)
"""The shapes of a link, [first, last), and a sphere about the centre of one of them that holds all; no shape: first = last."""

PAIR = np.dtype([("first", "i8"), ("second", "i8"), ("first_geom", "i8"), ("second_geom", "i8"), ("far", "f8")], align=True)
"""Two links that may not touch each other, the centres of their spheres, and the squared distance of these from which they are clear."""

GROUND = np.dtype([("geom", "i8"), ("box", "i8"), ("half", "f8", (3,))], align=True)
"""A piece of ground: a box, or a plane with its normal along its z."""

_GROUND_KINDS = (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_BOX))


class Shapes(NamedTuple):
    """What can touch what.

    Attributes:
        shapes: SHAPE records, link by link.
        links: 17 LINK records.
        pairs: PAIR records.
        ground: GROUND records.
    """

    shapes: np.ndarray
    links: np.ndarray
    pairs: np.ndarray
    ground: np.ndarray


def adjacent(first: int, second: int) -> bool:
    """Whether a joint, or for a foot nothing at all, lies between two links."""
    low, high = min(first, second), max(first, second)
    return high - low == 1 if low > 0 and (low - 1) // LEG_LINKS == (high - 1) // LEG_LINKS else low == 0 and high % LEG_LINKS == 1


def robot_shapes(model: RobotModel, simulation: mujoco.MjModel) -> Shapes:
    """The shapes of a simulated robot and its ground. Links whose shape is a mesh have none.

    Args:
        model: the robot.
        simulation: made of it by `simulation.mujoco_model.build_model`.

    Raises:
        ConfigurationError: the ground is rough.
    """
    bodies = [body.name for body in model.bodies()]
    feet = model.description.foot_names
    found, ground = [], []
    for index in range(simulation.ngeom):
        geom = simulation.geom(index)
        body = simulation.body(geom.bodyid[0]).name
        if body in bodies:
            joint = bodies.index(body) - 1
            link = 0 if joint < 0 else LEG_LINKS * (joint // 3) + joint % 3 + 1
            link = FOOT_LINKS[feet.index(geom.name)] if geom.name in feet else link
            found.append((link, index))
        elif int(geom.type[0]) in _GROUND_KINDS:
            ground.append((index, _GROUND_KINDS.index(int(geom.type[0])), geom.size))
        else:
            raise ConfigurationError(f"'{geom.name}' is ground that traces cannot judge; they take planes and boxes")
    shapes = np.array([_shape(simulation, index, link) for link, index in sorted(found)], SHAPE)
    data = mujoco.MjData(simulation)
    data.qpos[2], data.qpos[7:] = model.description.stand_height, model.stand_joint_position
    mujoco.mj_kinematics(simulation, data)
    links = np.array([_link(shapes, link, data) for link in range(LINKS)], LINK)
    close = NEAR * model.description.stand_height
    pairs = [
        (first, second, links[first]["geom"], links[second]["geom"], (links[first]["bound"] + links[second]["bound"] + close) ** 2)
        for first in range(LINKS)
        for second in range(first + 1, LINKS)
        if not adjacent(first, second) and close < _distance(shapes, links, first, second, data) < np.inf
    ]
    return Shapes(shapes, links, np.array(pairs, PAIR), np.array(ground, GROUND))


def _shape(simulation: mujoco.MjModel, index: int, link: int) -> tuple[object, ...]:
    geom = simulation.geom(index)
    if int(geom.type[0]) == int(mujoco.mjtGeom.mjGEOM_SPHERE):
        kind, half, bound = SPHERE, np.full(3, geom.size[0]), geom.size[0]
    elif int(geom.type[0]) == int(mujoco.mjtGeom.mjGEOM_CYLINDER):
        kind, half, bound = CYLINDER, geom.size[[0, 0, 1]], float(np.hypot(*geom.size[:2]))
    else:
        kind, half, bound = BOX, geom.size, float(np.linalg.norm(geom.size))
    axis = 2 if kind == CYLINDER else int(np.argmax(half))
    radius = float(np.min(half))
    return index, link, kind, tuple(half), axis, float(half[axis]) - radius, radius, bound


def _link(shapes: np.ndarray, link: int, data: mujoco.MjData) -> tuple[int, int, int, float]:
    mine = np.flatnonzero(shapes["link"] == link)
    if len(mine) == 0:
        return 0, 0, 0, 0.0
    geoms = shapes["geom"][mine]
    largest = int(geoms[np.argmax(shapes["bound"][mine])])
    bound = np.linalg.norm(data.geom_xpos[geoms] - data.geom_xpos[largest], axis=1) + shapes["bound"][mine]
    return int(mine[0]), int(mine[-1]) + 1, largest, float(bound.max())


def _distance(shapes: np.ndarray, links: np.ndarray, first: int, second: int, data: mujoco.MjData) -> float:
    """Of two links, m; infinite where one has no shape."""
    return min(
        (
            float(shape_distance(one, two, data.geom_xpos, data.geom_xmat, np.inf))
            for one in shapes[links[first]["first"] : links[first]["last"]]
            for two in shapes[links[second]["first"] : links[second]["last"]]
        ),
        default=np.inf,
    )
