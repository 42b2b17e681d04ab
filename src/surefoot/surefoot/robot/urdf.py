# SPDX-License-Identifier: Apache-2.0
"""A URDF as links and joints, read without judging it, so that the checks can say what is wrong by name."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import RobotDescriptionError
from surefoot.robot.collisions import numbers_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class UrdfLink:
    """A link; mass (kg) and inertia (3, 3), kg m^2, are None where it has no <inertial>."""

    name: str
    mass: float | None
    inertia: Array | None


@dataclass(frozen=True)
class UrdfJoint:
    """A joint; limits are None where the URDF gives none. Angles in rad, effort in N m, velocity in rad/s."""

    name: str
    kind: str
    parent: str
    child: str
    axis: Array
    lower: float | None
    upper: float | None
    effort: float | None
    velocity: float | None


Part = TypeVar("Part", UrdfLink, UrdfJoint)


@dataclass(frozen=True)
class Urdf:
    """Links by name, joints by name, and the joint above each link.

    Attributes:
        links: by name.
        joints: by name.
        joint_above: by the name of the child link; the root has none.
    """

    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]
    joint_above: dict[str, UrdfJoint]

    def joints_above(self, link: str) -> Iterator[UrdfJoint]:
        """The joints from a link up to the root."""
        while link in self.joint_above:
            joint = self.joint_above[link]
            yield joint
            link = joint.parent

    def carrier(self, link: str) -> str:
        """The link that a link moves with: itself, or the first one upwards that hangs on a moving joint or is the root."""
        for joint in self.joints_above(link):
            if joint.kind != "fixed":
                break
            link = joint.parent
        return link


def parse_urdf(text: str) -> Urdf:
    """Read a URDF.

    Raises:
        RobotDescriptionError: it is not XML, a number or an attribute is missing or unreadable, a name comes twice,
            or the links are no tree.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise RobotDescriptionError(f"the URDF is not XML: {error}") from error
    if root.tag != "robot":
        raise RobotDescriptionError(f"the URDF's outermost element is <{root.tag}>, not <robot>")
    links = {}
    for element in root.findall("link"):
        link = _read(_link, element)
        if link.name in links:
            raise RobotDescriptionError(f"link '{link.name}' is there twice")
        links[link.name] = link
    joints: dict[str, UrdfJoint] = {}
    joint_above: dict[str, UrdfJoint] = {}
    for element in root.findall("joint"):
        joint = _read(_joint, element)
        if joint.name in joints:
            raise RobotDescriptionError(f"joint '{joint.name}' is there twice")
        for end in (joint.parent, joint.child):
            if end not in links:
                raise RobotDescriptionError(f"joint '{joint.name}' names link '{end}', which is not there")
        if joint.child in joint_above:
            raise RobotDescriptionError(f"link '{joint.child}' hangs on two joints, '{joint_above[joint.child].name}' and '{joint.name}'")
        joints[joint.name] = joint_above[joint.child] = joint
    roots = [name for name in links if name not in joint_above]
    if len(roots) != 1:
        raise RobotDescriptionError(f"a robot has one root link, this one has {len(roots)}: {', '.join(roots) or 'the joints form a loop'}")
    reached = {roots[0]}
    while new := {joint.child for joint in joints.values() if joint.parent in reached} - reached:
        reached |= new
    if lost := sorted(set(links) - reached):
        raise RobotDescriptionError(f"links {', '.join(lost)} hang on each other in a loop and not on root '{roots[0]}'")
    return Urdf(links, joints, joint_above)


def _read(reader: Callable[[ElementTree.Element], Part], element: ElementTree.Element) -> Part:
    try:
        return reader(element)
    except (KeyError, ValueError, AttributeError) as error:
        name = element.get("name", "without a name")
        raise RobotDescriptionError(f"{element.tag} '{name}': an attribute is missing or not a number: {error}") from error


def _link(element: ElementTree.Element) -> UrdfLink:
    inertial = element.find("inertial")
    if inertial is None:
        return UrdfLink(element.attrib["name"], None, None)
    mass, moments = inertial.find("mass"), inertial.find("inertia")
    value = {key: 0.0 if moments is None else float(moments.get(key, 0.0)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
    inertia = np.array(
        [
            [value["ixx"], value["ixy"], value["ixz"]],
            [value["ixy"], value["iyy"], value["iyz"]],
            [value["ixz"], value["iyz"], value["izz"]],
        ]
    )
    return UrdfLink(element.attrib["name"], 0.0 if mass is None else float(mass.attrib["value"]), inertia)


def _joint(element: ElementTree.Element) -> UrdfJoint:
    ends = {end: found.attrib["link"] for end in ("parent", "child") if (found := element.find(end)) is not None}
    axis, limit = element.find("axis"), element.find("limit")
    limits = {} if limit is None else {key: float(value) for key, value in limit.attrib.items()}
    if limit is not None:
        limits = {"lower": 0.0, "upper": 0.0, **limits}
    direction = np.array(numbers_of("1 0 0" if axis is None else axis.attrib["xyz"]))
    if direction.shape != (3,):
        raise ValueError(f"axis has {direction.size} numbers, not 3")
    return UrdfJoint(
        element.attrib["name"],
        element.attrib["type"],
        ends["parent"],
        ends["child"],
        direction,
        *(limits.get(key) for key in ("lower", "upper", "effort", "velocity")),
    )
