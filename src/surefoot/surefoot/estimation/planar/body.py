# SPDX-License-Identifier: Apache-2.0
"""A quadruped seen from the side: its legs taken in pairs, its hips held where they are in the stand pose [Levashov 2012, section 3.1]."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError
from surefoot.estimation.planar.process import PlanarLinks
from surefoot.robot.model import RobotModel
from surefoot.robot.spatial import rotation_about
from surefoot.robot.tree import leg_tree

Array = NDArray[np.float64]

FRONT, BACK = (0, 1), (2, 3)
"""Legs of a pair, in the order of LEG_NAMES."""

LEAST_TURN = 0.999
"""By how much a link has to turn in the plane when its joint turns by one."""


@dataclass(frozen=True)
class PlanarBody:
    """Where a robot's joints and base are in the plane: x forward, y up, angles from x to y.

    Attributes:
        links: lumped.
        sign, offset: planar joint = sign * joint + offset, of back hip, back knee, front hip, front knee, (4,), rad.
        base_from_back_hip: origin of the base from the back hip, along the line of the hips and across it, (2,), m.
        hip_line: angle of the line from the back to the front hip in the base, rad.
    """

    links: PlanarLinks
    sign: Array
    offset: Array
    base_from_back_hip: Array
    hip_line: float

    def joints(self, joint_position: Array) -> Array:
        """The four planar joints (4,) of twelve: the mean of each pair, rad."""
        return self.sign * _pairs(joint_position) + self.offset

    def joint_rates(self, joint_velocity: Array) -> Array:
        """The same of velocities, (4,), rad/s."""
        return self.sign * _pairs(joint_velocity)


def pair_difference(joint_position: Array) -> float:
    """The largest difference between hips, or knees, of the two legs of a pair, rad: of a robot that is planar it is small."""
    legs = joint_position.reshape(4, 3)[:, 1:]
    return float(np.abs(legs[[0, 2]] - legs[[1, 3]]).max())


def planar_body(model: RobotModel) -> PlanarBody:
    """Lump a robot. Raises ConfigurationError where hips and knees do not turn in the sagittal plane."""
    base = model.bodies()[0]
    legs = [_sides(model, leg) for leg in range(4)]
    hips = [np.mean([legs[leg].points[0] for leg in pair], axis=0) for pair in (BACK, FRONT)]
    line = hips[1] - hips[0]
    angle = math.atan2(line[1], line[0])
    fixed = [_Mass(base.mass, base.centre_of_mass[[0, 2]], base.inertia[1, 1]), *(side.hip for side in legs)]
    body = _together(fixed)
    shin, upper = (_mean([side.links[kind] for side in legs]) for kind in (0, 1))
    lengths = [float(np.mean([np.linalg.norm(side.points[k] - side.points[k + 1]) for side in legs])) for k in (1, 0)]
    centre = _along(body.centre - hips[0], line)
    return PlanarBody(
        PlanarLinks(
            (lengths[0], lengths[1], float(np.linalg.norm(line))), _pair_of(shin.mass, upper.mass, body.mass),
            _pair_of(shin.inertia, upper.inertia, body.inertia),
            (_pair(shin.centre), _pair(upper.centre), _pair(centre)),
        ),
        np.concatenate([np.mean([legs[leg].sign for leg in pair], axis=0) for pair in (BACK, FRONT)]),
        # The planar pitch is that of the line of the hips, and the hips turn against it.
        np.concatenate([np.mean([legs[leg].offset for leg in pair], axis=0) for pair in (BACK, FRONT)]) - [angle, 0.0, angle, 0.0],
        _along(-hips[0], line), angle,
    )  # fmt: skip


class _Mass(NamedTuple):
    """Mass (kg), centre (2,) (m) and inertia about it (kg m^2)."""

    mass: float
    centre: Array
    inertia: float


class _Side(NamedTuple):
    """A leg from the side: hip, knee and foot (3, 2), how its joints turn its links, and the masses of hip, and of shin and upper leg."""

    points: list[Array]
    sign: Array
    offset: Array
    hip: _Mass
    links: tuple[_Mass, _Mass]


def _sides(model: RobotModel, leg: int) -> _Side:
    stand = model.stand_joint_position.reshape(4, 3)[leg]
    points, masses = _chain(model, leg, stand)
    upper, shin = _angle(points[0] - points[1]), _angle(points[1] - points[2])
    signs = []
    for joint in (1, 2):
        turned = stand.copy()
        turned[joint] += 0.1
        moved, _ = _chain(model, leg, turned)
        turn = math.remainder(_angle(moved[joint - 1] - moved[joint]) - (upper, shin)[joint - 1], 2.0 * math.pi) / 0.1
        if not abs(turn) > LEAST_TURN:
            name = model.joint_names[3 * leg + joint]
            words = f"'{name}' turns its link by {turn:.2f} of its own angle in the sagittal plane, and not by 1 or -1"
            raise ConfigurationError(f"process 'planar' needs hips and knees about the lateral axis: {words}; use 'spatial'")
        signs.append(math.copysign(1.0, turn))
    # The planar angle of the knee is that between the shin and the upper leg.
    planar = np.array([upper - 0.5 * math.pi, shin - upper])
    offset = np.array([math.remainder(value, 2.0 * math.pi) for value in planar - np.array(signs) * stand[1:]])
    ways = (points[1] - points[2], points[0] - points[1])
    mirrored = np.array([1.0, -1.0 if leg in FRONT else 1.0])
    links = [
        _Mass(masses[k].mass, _along(masses[k].centre - begin, way) * mirrored, masses[k].inertia)
        for k, begin, way in ((2, points[2], ways[0]), (1, points[1], ways[1]))
    ]
    return _Side(points, np.array(signs), offset, masses[0], (links[0], links[1]))


def _chain(model: RobotModel, leg: int, joints: Array) -> tuple[list[Array], list[_Mass]]:
    """Hip, knee and foot, and the masses of the three links, in the plane of the base."""
    tree, rotation, place = leg_tree(model), np.eye(3), np.zeros(3)
    origins, masses, turn = [], [], np.empty((3, 3))
    for joint in range(3):
        rotation_about(tree["axis"][leg, joint], float(joints[joint]), turn)
        place = place + rotation @ tree["placement_translation"][leg, joint]
        rotation = rotation @ tree["placement_rotation"][leg, joint] @ turn
        origins.append(place[[0, 2]])
        centre = place + rotation @ tree["link_com"][leg, joint]
        about = rotation @ tree["link_inertia"][leg, joint] @ rotation.T
        masses.append(_Mass(float(tree["link_mass"][leg, joint]), centre[[0, 2]], float(about[1, 1])))
    foot = place + rotation @ tree["foot_offset"][leg]
    return [origins[1], origins[2], foot[[0, 2]]], masses


def _angle(way: Array) -> float:
    return math.atan2(way[1], way[0])


def _along(point: Array, way: Array) -> Array:
    """A point along a way and across it, (2,)."""
    unit = way / np.linalg.norm(way)
    return np.array([unit @ point, unit[0] * point[1] - unit[1] * point[0]])


def _together(parts: list[_Mass]) -> _Mass:
    mass = sum(part.mass for part in parts)
    centre = np.sum([part.mass * part.centre for part in parts], axis=0) / mass
    return _Mass(mass, centre, sum(part.inertia + part.mass * float((part.centre - centre) @ (part.centre - centre)) for part in parts))


def _mean(parts: list[_Mass]) -> _Mass:
    return _Mass(*(np.mean([part[k] for part in parts], axis=0) for k in range(3)))  # type: ignore[arg-type]


def _pair(values: Array) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _pair_of(shin: float, upper: float, body: float) -> tuple[float, float, float]:
    """Of both legs of a pair together, and of the body."""
    return 2.0 * float(shin), 2.0 * float(upper), float(body)


def _pairs(joints: Array) -> Array:
    """Hips and knees of twelve joints, the mean of each pair: back hip, back knee, front hip, front knee, (4,)."""
    legs = joints.reshape(4, 3)[:, 1:]
    return np.concatenate([legs[list(pair)].mean(axis=0) for pair in (BACK, FRONT)])
