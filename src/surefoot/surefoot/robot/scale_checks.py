# SPDX-License-Identifier: Apache-2.0
"""Numbers of a description that cannot be those of the robot in its URDF, such as those of the file that it was copied from."""

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import RobotDescriptionError
from surefoot.robot.bodies import Body
from surefoot.robot.description import JOINTS_PER_LEG, LEG_NAMES
from surefoot.robot.model import GRAVITY, RobotModel

Array = NDArray[np.float64]

LARGEST_LIMIT = 4.0
"""Weights on one foot from which on a limit of its force limits nothing: a landing from a gallop stays below."""

SHORTEST_REACH = 0.5
"""Share of the length of a leg under which max_reach forbids most of its steps."""

RADIUS_TOLERANCE = 0.05
"""Share by which a foot may differ from the URDF's sphere without a word."""

PLAIN_ERROR = 0.1
"""An error of a joint as it comes in every step, rad."""

LENGTH_TOLERANCE = 0.01
"""Share by which max_reach may be rounded up."""


def check_scale(model: RobotModel) -> tuple[str, ...]:
    """Check forces against the weight, lengths against the legs, and stiffness against the strength of the joints.

    Returns:
        Warnings: numbers with which the robot walks badly or is not protected.

    Raises:
        RobotDescriptionError: numbers with which it cannot stand or is asked for what it cannot reach; all of them in one message.
    """
    problems: list[str] = []
    warnings: list[str] = []
    _check_forces(model, problems, warnings)
    _check_reach(model, problems, warnings)
    _check_feet(model, warnings)
    _check_stiffness(model, warnings)
    if problems:
        raise RobotDescriptionError(f"robot '{model.description.name}' cannot be used: " + "; ".join(problems))
    return tuple(warnings)


def _check_forces(model: RobotModel, problems: list[str], warnings: list[str]) -> None:
    control, weight = model.description.control, model.total_mass * GRAVITY
    share = f"a foot of this robot of {weight:.4g} N bears {weight / 4.0:.4g} N while it stands"
    if control.foot_force_threshold >= weight / 4.0:
        problems.append(
            f"control.foot_force_threshold is {control.foot_force_threshold:.4g} N, but {share}, which would never be seen as contact; "
            f"give a fifth of that, {0.05 * weight:.2g} N, or what the noise of the force asks for"
        )
    if control.foot_force_limit <= weight / 4.0:
        problems.append(
            f"control.foot_force_limit is {control.foot_force_limit:.4g} N, but {share}; give more than the weight, {1.4 * weight:.2g} N"
        )
    elif control.foot_force_limit > LARGEST_LIMIT * weight:
        warnings.append(
            f"control.foot_force_limit is {control.foot_force_limit:.4g} N, {control.foot_force_limit / weight:.2g} times the weight of "
            f"{weight:.4g} N, which limits nothing; the robots that come with the project have 1.4 times, {1.4 * weight:.2g} N"
        )


def _check_reach(model: RobotModel, problems: list[str], warnings: list[str]) -> None:
    reach, lengths = model.description.max_reach, leg_lengths(model)
    shortest, longest = LEG_NAMES[int(lengths.argmin())], LEG_NAMES[int(lengths.argmax())]
    if reach > (1.0 + LENGTH_TOLERANCE) * lengths.min():
        problems.append(
            f"max_reach is {reach:.4g} m, but leg {shortest}, stretched out, is {lengths.min():.4g} m long from hip to foot; "
            "give that or less"
        )
    elif reach < SHORTEST_REACH * lengths.max():
        warnings.append(
            f"max_reach is {reach:.4g} m, {100.0 * reach / lengths.max():.2g} % of the {lengths.max():.4g} m of leg {longest}, "
            "stretched out; steps end there, so give what the leg can reach within the limits of its joints"
        )


def _check_feet(model: RobotModel, warnings: list[str]) -> None:
    radius = model.description.foot_radius
    shapes = [shape for body in model.bodies() for shape in body.collisions]
    for name in model.description.foot_names:
        spheres = [shape.size[0] for shape in shapes if shape.link == name and shape.kind == "sphere"]
        if spheres and min(abs(size - radius) for size in spheres) > RADIUS_TOLERANCE * radius:
            warnings.append(
                f"foot_radius is {radius:.4g} m, but the sphere of foot '{name}' in the URDF has {spheres[0]:.4g} m; "
                "give that, or mend the URDF"
            )


def _check_stiffness(model: RobotModel, warnings: list[str]) -> None:
    servos, weakest = model.description.servos, int(model.effort_limit.argmin())
    name, limit = model.joint_names[weakest], model.effort_limit[weakest]
    for key, stiffness in (("stiffness", servos.stiffness), ("posture_stiffness", servos.posture_stiffness)):
        asked = PLAIN_ERROR * stiffness
        if asked > limit:
            warnings.append(
                f"servos.{key} is {stiffness:.4g} N m/rad: {PLAIN_ERROR:g} rad of error ask joint '{name}' for {asked:.4g} N m "
                f"of its {limit:.4g} N m, so that it is at its limit at once; give {0.5 * limit / PLAIN_ERROR:.2g} N m/rad or less, "
                "and less damping with it"
            )


def leg_lengths(model: RobotModel) -> Array:
    """Distances from the hips to the feet of stretched legs, (4,), m, were there no limits of joints."""
    bodies = model.bodies()
    lengths = []
    for leg, foot in enumerate(model.description.foot_names):
        _, thigh, shank = bodies[1 + JOINTS_PER_LEG * leg : 1 + JOINTS_PER_LEG * (leg + 1)]
        lengths.append(_farthest(thigh, shank, model.attached_frame(foot).body_from_frame_translation))
    return np.array(lengths)


def _farthest(thigh: Body, shank: Body, foot: Array) -> float:
    """Largest distance of a foot, at (3,) in the shank, from the origin that the thigh's joint is placed in."""
    assert thigh.joint is not None
    assert shank.joint is not None
    turned = np.linspace(-np.pi, np.pi, 361)[:, np.newaxis]
    along = shank.joint.axis * (shank.joint.axis @ foot)
    around = along + np.cos(turned) * (foot - along) + np.sin(turned) * np.cross(shank.joint.axis, foot)
    knee_to_foot = around @ shank.parent_from_body_rotation.T + shank.parent_from_body_translation
    # About the thigh's axis both parts turn until they lie in one direction; along it they add up as they are.
    hip_to_thigh, axis = thigh.parent_from_body_rotation.T @ thigh.parent_from_body_translation, thigh.joint.axis
    shift = knee_to_foot @ axis + hip_to_thigh @ axis
    across = np.linalg.norm(np.cross(axis, knee_to_foot), axis=1) + np.linalg.norm(np.cross(axis, hip_to_thigh))
    return float(np.hypot(shift, across).max())
