# SPDX-License-Identifier: Apache-2.0
"""What is checked of a URDF before anything starts. Each problem names the link or joint and the number; all are reported at once."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import RobotDescriptionError
from surefoot.robot.description import LEG_NAMES, RobotDescription
from surefoot.robot.urdf import Urdf, UrdfJoint, UrdfLink, parse_urdf

TRIANGLE_TOLERANCE = 1e-3
"""Share of the largest principal moment by which rounding may break the triangle inequality."""

NEGLIGIBLE_MASS = 1e-4
"""Share of the robot's mass under which a link is called tiny."""

SYMMETRY = 0.01
"""Share by which a left link may differ in mass from the right one without a word."""


def check_urdf(text: str, description: RobotDescription) -> tuple[str, ...]:
    """Check a URDF against itself and against the robot's description.

    Args:
        text: the URDF, xacro already processed.
        description: the robot's YAML, read.

    Returns:
        Warnings: things that a robot can live with but a person should know.

    Raises:
        RobotDescriptionError: everything that stands in the way, in one message.
    """
    urdf = parse_urdf(text)
    problems: list[str] = []
    warnings: list[str] = []
    _check_names(urdf, description, problems)
    if not problems:
        _check_chains(urdf, description, problems)
        _check_joints(urdf, description, problems, warnings)
        _check_masses(urdf, description, problems, warnings)
    if problems:
        raise RobotDescriptionError(f"robot '{description.name}' cannot be used: " + "; ".join(problems))
    return tuple(warnings)


def _check_names(urdf: Urdf, description: RobotDescription, problems: list[str]) -> None:
    named = [("base", description.base), ("sensors.imu_link", description.sensors.imu_link)]
    named += [(f"legs.{leg}.foot", foot) for leg, foot in zip(LEG_NAMES, description.foot_names, strict=True)]
    problems += [f"{key}: link '{name}' is not in the URDF" for key, name in named if name not in urdf.links]
    listed = description.joint_names
    for name in dict.fromkeys(listed):
        if listed.count(name) > 1:
            problems.append(f"joint '{name}' is listed {listed.count(name)} times")
        if name not in urdf.joints:
            problems.append(f"joint '{name}' is not in the URDF")
        elif urdf.joints[name].kind != "revolute":
            problems.append(f"joint '{name}' is {urdf.joints[name].kind}; a leg joint must be revolute, with limits")
    for joint in urdf.joints.values():
        if joint.kind != "fixed" and joint.name not in listed:
            problems.append(f"joint '{joint.name}' is {joint.kind} and belongs to no leg; make it fixed")


def _check_chains(urdf: Urdf, description: RobotDescription, problems: list[str]) -> None:
    root = urdf.carrier(description.base)
    if root in urdf.joint_above:
        problems.append(f"base '{description.base}' moves with joint '{urdf.joint_above[root].name}'; it must be fixed to the root")
    imu = urdf.carrier(description.sensors.imu_link)
    if imu != root:
        problems.append(f"sensors.imu_link '{description.sensors.imu_link}' moves with '{imu}'; it must be fixed to the base")
    for leg, foot in zip(LEG_NAMES, description.foot_names, strict=True):
        above = [joint.name for joint in urdf.joints_above(foot) if joint.kind != "fixed"][::-1]
        wanted = list(description.legs[leg].joints)  # type: ignore[index]
        if above != wanted:
            problems.append(f"leg {leg}: from the base to '{foot}' lie joints [{', '.join(above)}], not [{', '.join(wanted)}]")


def _check_joints(urdf: Urdf, description: RobotDescription, problems: list[str], warnings: list[str]) -> None:
    for leg in LEG_NAMES:
        member = description.legs[leg]  # type: ignore[index]
        for index, name in enumerate(member.joints):
            joint = urdf.joints[name]
            length = float(np.linalg.norm(joint.axis))
            if not math.isfinite(length) or length < 1e-9:
                problems.append(f"joint '{name}': axis {numbers(joint.axis)} has no direction")
            elif abs(length - 1.0) > 1e-3:
                warnings.append(f"joint '{name}': axis {numbers(joint.axis)} has length {length:.4g}; taken as a direction of length 1")
            effort = description.effort_limits.get(name, joint.effort)
            velocity = description.velocity_limits.get(name, joint.velocity)
            for what, limit, unit in (("effort", effort, "N m"), ("velocity", velocity, "rad/s")):
                if limit is None or not math.isfinite(limit) or limit <= 0.0:
                    problems.append(f"joint '{name}': {what} limit is {limit}; give one above 0 {unit}, in the URDF or in {what}_limits")
            _check_range(joint, {"stand": member.stand[index], "lie": member.lie[index]}, problems)


def _check_range(joint: UrdfJoint, poses: dict[str, float], problems: list[str]) -> None:
    lower, upper = joint.lower, joint.upper
    if lower is None or upper is None or not (math.isfinite(lower) and math.isfinite(upper) and lower < upper):
        problems.append(f"joint '{joint.name}': position limits [{lower}, {upper}] are no range")
        return
    for pose, angle in poses.items():
        if not lower <= angle <= upper:
            problems.append(f"joint '{joint.name}': {pose} angle {angle} rad is outside of its limits [{lower:.4g}, {upper:.4g}] rad")


def _check_masses(urdf: Urdf, description: RobotDescription, problems: list[str], warnings: list[str]) -> None:
    mass_with: dict[str, float] = {}
    for link in urdf.links.values():
        mass_with[urdf.carrier(link.name)] = mass_with.get(urdf.carrier(link.name), 0.0) + (link.mass or 0.0)
    total = sum(mass_with.values())
    root = urdf.carrier(description.base)
    for name, mass in mass_with.items():
        part = "the base" if name == root else f"moving link '{name}'"
        if not mass > 0.0:
            problems.append(f"{part} has mass {mass:.4g} kg: neither '{name}' nor a link fixed to it has an <inertial> with mass")
        elif mass < NEGLIGIBLE_MASS * total:
            warnings.append(f"{part} has only {mass:.4g} kg of the robot's {total:.4g} kg")
    for link in urdf.links.values():
        _check_inertia(link, urdf.carrier(link.name) == link.name, problems, warnings)
    for left, right in (("LF", "RF"), ("LH", "RH")):
        pairs = zip(description.legs[left].joints, description.legs[right].joints, strict=True)  # type: ignore[index]
        for left_link, right_link in ((urdf.joints[one].child, urdf.joints[other].child) for one, other in pairs):
            one, other = mass_with.get(left_link, 0.0), mass_with.get(right_link, 0.0)
            if abs(one - other) > SYMMETRY * max(one, other):
                warnings.append(f"left and right differ: '{left_link}' has {one:.4g} kg, '{right_link}' {other:.4g} kg")


def _check_inertia(link: UrdfLink, moving: bool, problems: list[str], warnings: list[str]) -> None:
    if link.mass is None or link.inertia is None:
        return
    if not (math.isfinite(link.mass) and link.mass >= 0.0 and np.isfinite(link.inertia).all()):
        problems.append(f"link '{link.name}': mass {link.mass:.4g} kg or its inertia is negative or not a number")
        return
    moments = principal_moments(link.inertia)
    if not link.inertia.any():
        # A point mass is fine on a fixed link, where it is merged; a link that turns needs an inertia of its own.
        if moving and link.mass > 0.0:
            problems.append(f"link '{link.name}': {link.mass:.4g} kg with inertia 0")
        return
    if not plausible_moments(moments):
        finding = f"link '{link.name}': principal moments {numbers(moments)} kg m^2 break the triangle inequality"
        if moving:
            problems.append(finding + "; no body has such an inertia")
        else:
            warnings.append(finding + "; let pass, because it is fixed to another link")


def principal_moments(inertia: NDArray[np.float64]) -> NDArray[np.float64]:
    """Eigenvalues of an inertia (3, 3), ascending, (3,), kg m^2."""
    return np.asarray(np.linalg.eigvalsh(inertia), dtype=np.float64)


def plausible_moments(moments: NDArray[np.float64]) -> bool:
    """Whether a body can have these principal moments, ascending, (3,): none negative, none larger than the two others together."""
    slack = TRIANGLE_TOLERANCE * moments[2]
    return bool(moments[0] >= -slack and moments[0] + moments[1] >= moments[2] - slack)


def numbers(values: NDArray[np.float64]) -> str:
    """Numbers for a message."""
    return "[" + ", ".join(f"{value:.4g}" for value in values) + "]"
