# SPDX-License-Identifier: Apache-2.0
"""The robot as plain arrays in one record, which functions compiled by numba take as `tree`."""

import numpy as np

from surefoot.errors import RobotDescriptionError
from surefoot.robot.description import JOINTS_PER_LEG, LEG_NAMES
from surefoot.robot.model import GRAVITY, RobotModel

LEG_TREE = np.dtype(
    [
        ("placement_rotation", np.float64, (4, 3, 3, 3)),
        ("placement_translation", np.float64, (4, 3, 3)),
        ("axis", np.float64, (4, 3, 3)),
        ("link_mass", np.float64, (4, 3)),
        ("link_com", np.float64, (4, 3, 3)),
        ("link_inertia", np.float64, (4, 3, 3, 3)),
        ("armature", np.float64, (4, 3)),
        ("foot_offset", np.float64, (4, 3)),
        ("base_mass", np.float64),
        ("base_com", np.float64, (3,)),
        ("base_inertia", np.float64, (3, 3)),
        ("effort_limit", np.float64, (4, 3)),
        ("velocity_limit", np.float64, (4, 3)),
        ("position_lower", np.float64, (4, 3)),
        ("position_upper", np.float64, (4, 3)),
        ("foot_radius", np.float64),
        ("gravity", np.float64),
        ("hip_in_base", np.float64, (4, 3)),
        ("stand_foot_in_base", np.float64, (4, 3)),
        ("max_reach", np.float64),
    ],
    align=True,
)
"""Fields of a leg tree; the first index is the leg in the order of LEG_NAMES, the second the joint from the base outwards.

- placement_rotation, placement_translation: parent_from_joint at angle zero; the parent is the base or the link before (m).
- axis: unit vector in the joint's frame; the link's frame is the joint's frame turned about it by the joint angle.
- link_mass (kg), link_com (m), link_inertia: about the link's centre of mass in the axes of the link (kg m^2); fixed links are merged.
- armature: inertia of the rotor behind its gear, which only the joint itself feels (kg m^2).
- foot_offset: centre of the foot in the last link's frame (m).
- base_mass, base_com, base_inertia: likewise in the base frame, inertia about base_com.
- effort_limit (N m), velocity_limit (rad/s), position_lower, position_upper (rad).
- foot_radius (m), gravity (m/s^2, downwards), max_reach: farthest foot from its hip (m).
- hip_in_base: origin of the first joint (m); stand_foot_in_base: foot centre in the stand pose (m).
"""


def leg_tree(model: RobotModel) -> np.void:
    """The record of a robot, a scalar of LEG_TREE.

    Raises:
        RobotDescriptionError: a leg's joints do not follow each other from the base outwards.
    """
    tree: np.void = np.zeros(1, LEG_TREE)[0]
    base, *links = model.bodies()
    tree["base_mass"], tree["base_com"], tree["base_inertia"] = base.mass, base.centre_of_mass, base.inertia
    for leg, leg_name in enumerate(LEG_NAMES):
        parent = base.name
        for joint, link in enumerate(links[JOINTS_PER_LEG * leg : JOINTS_PER_LEG * (leg + 1)]):
            assert link.joint is not None
            if link.parent != parent:
                raise RobotDescriptionError(f"joint '{link.joint.name}' of leg {leg_name} starts at '{link.parent}', not at '{parent}'")
            parent = link.name
            here = (leg, joint)
            tree["placement_rotation"][here] = link.parent_from_body_rotation
            tree["placement_translation"][here] = link.parent_from_body_translation
            tree["axis"][here] = link.joint.axis
            tree["link_mass"][here] = link.mass
            tree["link_com"][here] = link.centre_of_mass
            tree["link_inertia"][here] = link.inertia
        foot = model.attached_frame(model.description.foot_names[leg])
        if foot.body != parent:
            raise RobotDescriptionError(f"foot '{foot.name}' of leg {leg_name} is carried by '{foot.body}', not by '{parent}'")
        tree["foot_offset"][leg] = foot.body_from_frame_translation
    tree["armature"] = model.description.servos.armature
    for field in ("effort_limit", "velocity_limit", "position_lower", "position_upper"):
        tree[field] = getattr(model, field).reshape(4, JOINTS_PER_LEG)
    tree["foot_radius"], tree["max_reach"], tree["gravity"] = model.description.foot_radius, model.description.max_reach, GRAVITY
    tree["hip_in_base"] = model.hip_in_base
    tree["stand_foot_in_base"] = model.feet_in_base(model.stand_joint_position)
    return tree
