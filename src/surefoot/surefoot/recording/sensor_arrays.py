# SPDX-License-Identifier: Apache-2.0
"""The sensors of a bag as arrays, in the order of the robot's description."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.delay_identification import SensorRecording, TimedSignal
from surefoot.recording.decoder import Decoder
from surefoot.recording.errors import BagError
from surefoot.recording.reader import SECOND, Bag
from surefoot.robot.description import RobotDescription

Array = NDArray[np.float64]


def read_sensors(path: Path, description: RobotDescription) -> SensorRecording:
    """Stamps and values of /imu, /joint_states and, where there are any, /foot_forces; messages that cannot be used are left out.

    Args:
        path: of the bag.
        description: whose joint and foot names count.

    Raises:
        BagError: there is no bag, or no IMU or no joints of this robot in it.
    """
    bag = Bag(path)
    joints = [(at, by_name(m.name, description.joint_names, m.position, m.velocity, m.effort)) for at, m in heard(bag, "/joint_states")]
    rate = [(at, [m.angular_velocity.x, m.angular_velocity.y, m.angular_velocity.z]) for at, m in heard(bag, "/imu")]
    feet = [(at, by_name(m.foot_names, description.foot_names, m.forces)) for at, m in heard(bag, "/foot_forces")]
    known = [(at, values) for at, values in joints if values is not None]
    if not known:
        raise BagError(f"the bag {path} has no /joint_states with the joints of {description.name} and their velocities and efforts")
    if not rate:
        raise BagError(f"the bag {path} has no /imu")
    columns = [_signal([(at, values[k]) for at, values in known]) for k in range(3)]
    forces = [(at, [part for f in values[0] for part in (f.x, f.y, f.z)]) for at, values in feet if values is not None]
    return SensorRecording(_signal(rate), columns[0], columns[1], columns[2], _signal(forces) if forces else None)


def heard(bag: Bag, name: str) -> Iterator[tuple[float, Any]]:
    """Stamps, s, and messages of a topic of a bag, which may not be there."""
    if name not in bag.topics:
        return
    decoder = Decoder()
    for raw in bag.messages((name,)):
        message = decoder.decode(bag.topics[name], raw.data)
        yield message.header.stamp.sec + message.header.stamp.nanosec / SECOND, message


def by_name(names: Any, wanted: tuple[str, ...], *columns: Any) -> list[list[Any]] | None:
    """Columns in the wanted order; None if a name or a value is missing."""
    given = list(names)
    if sorted(given) != sorted(wanted) or any(len(column) != len(given) for column in columns):
        return None
    places = [given.index(name) for name in wanted]
    return [[column[place] for place in places] for column in columns]


def _signal(rows: list[tuple[float, Any]]) -> TimedSignal:
    """In the order of the stamps; of several messages with one stamp the first."""
    time, value = np.array([at for at, _ in rows]), np.array([row for _, row in rows], dtype=np.float64)
    time, first = np.unique(time, return_index=True)
    finite = np.isfinite(value[first]).all(axis=1)
    return TimedSignal(time[finite], value[first][finite])
