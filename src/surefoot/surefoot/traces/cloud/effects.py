# SPDX-License-Identifier: Apache-2.0
"""What a cloud comes to on one robot: its spreads in SI units, and which of them this robot does not feel."""

import numpy as np

from surefoot.robot.model import RobotModel
from surefoot.traces.cloud.catalogue import Parameter
from surefoot.traces.cloud.uncertainty import Uncertainty
from surefoot.traces.plant.solids import foot_solids

COINCIDENT = 1e-6
"""Joints that are nearer to each other than this have no link between them that could be longer, m."""


def without_effect(model: RobotModel) -> dict[str, tuple[int, str]]:
    """How many scalars of which parameters this robot does not feel, and why."""
    sensors = model.description.sensors
    massless = int((foot_solids(model)[0] == 0.0).sum())
    offsets = [np.linalg.norm(body.parent_from_body_translation) for body in model.bodies()[1:]]
    short = sum(length < COINCIDENT for i, length in enumerate(offsets) if i % 3 != 0)
    found = {
        "foot_mass": (massless, "the URDF gives the foot links no mass"),
        "link_length": (int(short), "two joints are at the same place"),
        "foot_force": (4 if sensors.foot_force is None else 0, "the feet have no force sensors"),
    }
    return {name: entry for name, entry in found.items() if entry[0] > 0}


def stated_width(parameter: Parameter, uncertainty: Uncertainty, persistent: bool) -> float:
    """The factor on a spread that is stated elsewhere."""
    if parameter.group == "contact":
        return uncertainty.ground
    if persistent:
        return uncertainty.initial_state
    return uncertainty.foot_sensors if parameter.name == "foot_force" else uncertainty.joint_sensors


def in_si(parameter: Parameter, width: float, model: RobotModel) -> str:
    """A width on this robot, with its unit; empty where it differs from link to link or from moment to moment."""
    description = model.description
    sensors, foot = description.sensors, description.sensors.foot_force
    scales = {
        "base_mass": (model.bodies()[0].mass, "kg"),
        "foot_radius": (description.foot_radius, "m"),
        "base_centre_of_mass": (description.stand_height, "m"),
        "payload_mass": (model.total_mass, "kg"),
        "payload_place": (description.stand_height, "m"),
        "joint_damping": (description.servos.damping, "N m s/rad"),
        "servo_stiffness": (description.servos.stiffness, "N m/rad"),
        "servo_damping": (description.servos.damping, "N m s/rad"),
    }
    if parameter.group == "sensors":
        scales["joint_position"] = (sensors.joint_position.standard_deviation, "rad")
        scales["joint_velocity"] = (sensors.joint_velocity.standard_deviation, "rad/s")
        scales["foot_force"] = (0.0 if foot is None else foot.standard_deviation, "N")
    if parameter.name in scales:
        scale, unit = scales[parameter.name]
        return f"{width * scale:.3g} {unit}"
    return f"{width:.3g} {parameter.unit}" if parameter.unit in ("m", "rad", "s", "m/s", "rad/s") else ""
