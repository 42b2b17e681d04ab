# SPDX-License-Identifier: Apache-2.0
"""Collision primitives read from a URDF."""

from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from transforms3d.euler import euler2mat

from surefoot.robot.bodies import CollisionShape

Array = NDArray[np.float64]


def collision_shapes(urdf: str) -> dict[str, tuple[CollisionShape, ...]]:
    """Boxes, cylinders and spheres by link name, posed in the link's own frame; meshes are left out.

    Args:
        urdf: the URDF's text.
    """
    shapes: dict[str, tuple[CollisionShape, ...]] = {}
    for link in ElementTree.fromstring(urdf).findall("link"):
        name = link.attrib["name"]
        found = []
        for collision in link.findall("collision"):
            primitive = _primitive(collision.find("geometry"))
            if primitive:
                rotation, translation = origin_of(collision)
                found.append(CollisionShape(name, *primitive, rotation, translation))
        if found:
            shapes[name] = tuple(found)
    return shapes


def origin_of(element: ElementTree.Element) -> tuple[Array, Array]:
    """Rotation (3, 3) and translation (3,), m, of the element's <origin>; identity where it has none."""
    origin = element.find("origin")
    if origin is None:
        return np.eye(3), np.zeros(3)
    roll, pitch, yaw = numbers_of(origin.get("rpy", "0 0 0"))
    return np.asarray(euler2mat(roll, pitch, yaw, "sxyz")), np.array(numbers_of(origin.get("xyz", "0 0 0")))


def numbers_of(text: str) -> list[float]:
    """The numbers of a URDF attribute such as "0 0 0.1"."""
    return [float(word) for word in text.split()]


def _primitive(geometry: ElementTree.Element | None) -> tuple[str, tuple[float, ...]] | None:
    if geometry is None or not len(geometry):
        return None
    shape = geometry[0]
    if shape.tag == "box":
        return "box", tuple(numbers_of(shape.attrib["size"]))
    if shape.tag == "cylinder":
        return "cylinder", (float(shape.attrib["radius"]), float(shape.attrib["length"]))
    if shape.tag == "sphere":
        return "sphere", (float(shape.attrib["radius"]),)
    return None
