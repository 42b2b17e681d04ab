# SPDX-License-Identifier: Apache-2.0
"""The robot as a list of moving bodies, fixed links merged into their carriers: what a simulator is built from."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CollisionShape:
    """One primitive of a body's outside.

    Attributes:
        link: URDF link that it belongs to; a foot's shape carries the foot's name.
        kind: "box", "cylinder" (axis along z) or "sphere".
        size: box: edge lengths (3,); cylinder: radius, length (2,); sphere: radius (1,); m.
        body_from_shape_rotation: (3, 3).
        body_from_shape_translation: (3,), m.
    """

    link: str
    kind: str
    size: tuple[float, ...]
    body_from_shape_rotation: Array
    body_from_shape_translation: Array

    def moved(self, rotation: Array, translation: Array) -> "CollisionShape":
        """The same shape, posed in a frame in which its present frame has this rotation (3, 3) and translation (3,), m."""
        return replace(
            self,
            body_from_shape_rotation=rotation @ self.body_from_shape_rotation,
            body_from_shape_translation=rotation @ self.body_from_shape_translation + translation,
        )


@dataclass(frozen=True)
class JointAxis:
    """The hinge that carries a body.

    Attributes:
        name: of the joint in the URDF.
        axis: unit vector in the body's frame, (3,).
        position_lower, position_upper: rad.
        velocity_limit: rad/s.
        effort_limit: N m.
    """

    name: str
    axis: Array
    position_lower: float
    position_upper: float
    velocity_limit: float
    effort_limit: float


@dataclass(frozen=True)
class Body:
    """One moving body. Its frame is the frame of the joint that carries it; the base's is the description's base link.

    Attributes:
        name: of the URDF link at the joint.
        parent: name of the carrying body, None for the base.
        parent_from_body_rotation: with the joint at zero, (3, 3).
        parent_from_body_translation: (3,), m.
        mass: kg, fixed links included.
        centre_of_mass: in the body's frame, (3,), m.
        inertia: about the centre of mass, in the axes of the body's frame, (3, 3), kg m^2.
        joint: None for the base.
        collisions: primitives; meshes are left out.
    """

    name: str
    parent: str | None
    parent_from_body_rotation: Array
    parent_from_body_translation: Array
    mass: float
    centre_of_mass: Array
    inertia: Array
    joint: JointAxis | None
    collisions: tuple[CollisionShape, ...]


@dataclass(frozen=True)
class AttachedFrame:
    """A frame fixed to a body: a foot or a sensor.

    Attributes:
        name: of the URDF link.
        body: name of the body that carries it.
        body_from_frame_rotation: (3, 3).
        body_from_frame_translation: (3,), m.
    """

    name: str
    body: str
    body_from_frame_rotation: Array
    body_from_frame_translation: Array
