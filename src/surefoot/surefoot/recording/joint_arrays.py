# SPDX-License-Identifier: Apache-2.0
"""What the joints of a bag were told and what they did, as arrays in the order of the robot's description."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot.recording.errors import BagError
from surefoot.recording.reader import Bag
from surefoot.recording.sensor_arrays import by_name, heard
from surefoot.robot.description import RobotDescription

Array = NDArray[np.float64]

LONGEST_GAP = 0.1
"""s between two samples, or from a command to the sample that it is held at, that one stretch may have."""


@dataclass(frozen=True)
class JointRecording:
    """The longest stretch of a bag in which the joints were held by torque. All (n, 12) but time, (n,).

    Attributes:
        time: of the samples, s.
        target: position in force from each sample on, rad.
        asked: torque that the law of the command asks for at each sample, N m.
        stiffness: of that law, N m/rad.
        position, velocity, effort: measured, rad, rad/s, N m.
    """

    time: Array
    target: Array
    asked: Array
    stiffness: Array
    position: Array
    velocity: Array
    effort: Array


def read_joints(path: Path, description: RobotDescription) -> JointRecording:
    """Read /joint_states and /joint_command.

    Args:
        path: of the bag.
        description: whose joint names count.

    Raises:
        BagError: there is no bag, or the two topics do not hold the joints of this robot under torque at the same time.
    """
    bag, names = Bag(path), description.joint_names
    states = {at: by_name(m.name, names, m.position, m.velocity, m.effort) for at, m in heard(bag, "/joint_states")}
    fields = ("position", "velocity", "effort", "stiffness", "damping")
    commands = {
        at: by_name(m.joint_names, names, *(getattr(m, name) for name in fields)) for at, m in heard(bag, "/joint_command") if m.active
    }
    known = sorted((at, values) for at, values in states.items() if values is not None)
    told = sorted((at, values) for at, values in commands.items() if values is not None)
    if not known or not told:
        raise BagError(
            f"the bag {path} has {len(known)} /joint_states with positions, velocities and efforts and {len(told)} /joint_command of the "
            f"joints of {description.name}; both are needed"
        )
    time, measured = np.array([at for at, _ in known]), np.array([values for _, values in known], dtype=np.float64)
    given_at, given = np.array([at for at, _ in told]), np.array([values for _, values in told], dtype=np.float64)
    place = np.searchsorted(given_at, time + 1e-9, side="right") - 1
    law = given[np.maximum(place, 0)]
    held = (place >= 0) & (time - given_at[np.maximum(place, 0)] <= LONGEST_GAP) & (law[:, 3] > 0.0).all(axis=1)
    held &= np.isfinite(measured).all(axis=(1, 2)) & np.isfinite(law).all(axis=(1, 2))
    chosen = _longest(held & np.append(True, np.diff(time) <= LONGEST_GAP), held)
    if chosen.stop - chosen.start < 2:
        raise BagError(f"in the bag {path} the joints of {description.name} are never held by torque")
    position, velocity, effort = (measured[chosen, k] for k in range(3))
    target, speed, ahead, stiffness, damping = (law[chosen, k] for k in range(5))
    asked = ahead + stiffness * (target - position) + damping * (speed - velocity)
    return JointRecording(time[chosen], target, asked, stiffness, position, velocity, effort)


def _longest(joined: NDArray[np.bool_], held: NDArray[np.bool_]) -> slice:
    """The longest run of samples that are held, each joined to the one before it."""
    best, start = slice(0, 0), 0
    for place in range(len(held) + 1):
        if place < len(held) and held[place] and (joined[place] or place == start):
            continue
        if place - start > best.stop - best.start:
            best = slice(start, place)
        start = place if place < len(held) and held[place] else place + 1
    return best
