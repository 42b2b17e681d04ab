# SPDX-License-Identifier: Apache-2.0
"""Particles: perturbed copies of the robot, its ground and its start."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.description import LEG_NAMES
from surefoot.servos.motors.settings import GearSettings
from surefoot.traces.cloud.catalogue import PERSISTENT
from surefoot.traces.cloud.jitter import CommandJitter
from surefoot.traces.cloud.ranges import ContactModel

Array = NDArray[np.float64]

CONTACT_MODELS: tuple[ContactModel, ...] = ("elliptic", "pyramidal", "elliptic_soft", "pyramidal_soft")
"""What the numbers in `Particles.contact_model` stand for."""

_PARTS = {
    2: ("x", "y"),
    3: ("x", "y", "z"),
    4: LEG_NAMES,
    12: tuple(f"{leg} {part}" for leg in LEG_NAMES for part in ("hip", "thigh", "shin")),
    24: tuple(f"{leg} {part} {axis}" for leg in LEG_NAMES for part in ("hip", "thigh", "shin") for axis in (1, 2)),
}

DRAW_NAMES = tuple(
    f"{parameter.name} {part}".strip() for parameter in PERSISTENT for part in (("",) if parameter.count == 1 else _PARTS[parameter.count])
)
"""Of every persistent scalar, such as "friction" or "link_mass LF shin"."""


@dataclass(frozen=True)
class Particles:
    """Persistent draws of n particles: factors around 1, or offsets in SI units; the order of `catalogue.PERSISTENT`.

    Attributes:
        indices: which particles, (n,).
        base_mass: factor, (n,).
        link_mass, foot_mass: factors at the same size, (n, 12) and (n, 4).
        link_length, link_radius: factors, (n, 12).
        foot_radius: factors, (n, 4).
        joint_axis: tilts about two axes across each joint's, (n, 12, 2), rad.
        base_centre_of_mass: offset in the base frame, (n, 3), m.
        payload_mass: (n,), kg, never negative.
        payload_place: in the base frame, (n, 3), m.
        friction: of the ground, (n,).
        restitution: beyond that of the believed contact, (n,), never negative.
        contact_model: index in CONTACT_MODELS, (n,).
        foot_friction: factor of the friction under each foot, (n, 4).
        compliance: how much longer than believed a contact takes, in parts of it, (n,), never negative.
        ground_height: (n,), m.
        slope: tilt of the ground about x and y of odom, (n, 2), rad.
        joint_damping: (n, 12), N m s/rad, never negative.
        servo_stiffness, servo_damping, effort, effort_limit: factors, (n, 12).
        torque_speed: share of its largest torque that a servo lacks at its largest speed, in between in proportion, (n, 12), 0 to 1.
        backlash: whole play, (n, 12), rad, never negative.
        command_delay: (n,), s, never negative.
        base_position, base_orientation, base_velocity, base_rate: error of the estimate in odom, (n, 3), m, rad, m/s, rad/s.
        joint_position, joint_velocity: error of the estimate, (n, 12), rad, rad/s.
        push_velocity: that a push gives the robot, along x and y of odom, (n, 2), m/s.
        push_time: from the start, (n,), s, never negative.
        command_jitter: what is added to the delay at each tick.
        gear: of the motors of all of them; its play is in backlash.
    """

    indices: NDArray[np.int64]
    base_mass: Array
    link_mass: Array
    foot_mass: Array
    link_length: Array
    link_radius: Array
    foot_radius: Array
    joint_axis: Array
    base_centre_of_mass: Array
    payload_mass: Array
    payload_place: Array
    friction: Array
    restitution: Array
    contact_model: NDArray[np.int64]
    foot_friction: Array
    compliance: Array
    ground_height: Array
    slope: Array
    joint_damping: Array
    servo_stiffness: Array
    servo_damping: Array
    effort: Array
    effort_limit: Array
    torque_speed: Array
    backlash: Array
    command_delay: Array
    base_position: Array
    base_orientation: Array
    base_velocity: Array
    base_rate: Array
    joint_position: Array
    joint_velocity: Array
    push_velocity: Array
    push_time: Array
    command_jitter: CommandJitter
    gear: GearSettings

    def named(self) -> tuple[tuple[str, ...], Array]:
        """Every persistent scalar: its name, see DRAW_NAMES, and its values, (n, k)."""
        values = [np.asarray(getattr(self, parameter.name), np.float64).reshape(len(self.indices), -1) for parameter in PERSISTENT]
        return DRAW_NAMES, np.concatenate(values, axis=1)


def together(groups: Sequence[Particles]) -> Particles:
    """Particles of one cloud, group after group."""
    if len(groups) == 1:
        return groups[0]
    arrays = {
        item.name: np.concatenate([getattr(group, item.name) for group in groups])
        for item in fields(Particles)
        if item.name not in ("command_jitter", "gear")
    }
    return Particles(**arrays, command_jitter=groups[0].command_jitter, gear=groups[0].gear)
