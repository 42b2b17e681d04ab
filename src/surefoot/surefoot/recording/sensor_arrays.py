# SPDX-License-Identifier: Apache-2.0
"""The sensors of a bag as arrays, in the order of the robot's description."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.absolute_gate import UNIT_TOLERANCE
from surefoot.estimation.delay_identification import SensorRecording, TimedSignal
from surefoot.recording.decoder import Decoder
from surefoot.recording.errors import BagError
from surefoot.recording.reader import SECOND, Bag
from surefoot.robot.description import RobotDescription

Array = NDArray[np.float64]


def read_sensors(path: Path, description: RobotDescription) -> SensorRecording:
    """Stamps and values of /imu and /joint_states and, where there are any, /foot_forces and /pose; what cannot be used is left out.

    A message counts as a whole: where one of its numbers is not finite, none of them is used. Efforts are none where most messages have
    none; a velocity is needed.

    Args:
        path: of the bag.
        description: whose joint and foot names count.

    Raises:
        BagError: there is no bag, or no IMU or no joints of this robot in it.
    """
    bag = Bag(path)
    rates = [(at, [m.angular_velocity.x, m.angular_velocity.y, m.angular_velocity.z]) for at, m in heard(bag, "/imu")]
    feet = [(at, by_name(m.foot_names, description.foot_names, m.forces)) for at, m in heard(bag, "/foot_forces")]
    joints = _joints(bag, description)
    if not len(joints.time):
        raise BagError(f"the bag {path} has no /joint_states with the joints of {description.name} and their velocities")
    rate = _signal(rates, 3)
    if not len(rate.time):
        raise BagError(f"the bag {path} has no /imu")
    forces = _signal([(at, [part for f in values[0] for part in (f.x, f.y, f.z)]) for at, values in feet if values is not None], 12)
    said = list(heard(bag, "/pose"))
    turns, unused = _signal([(at, turn) for at, m in said if (turn := _orientation(m)) is not None], 4), {}
    if said and not len(turns.time):
        unused["pose"] = f"none of the {len(said)} poses of the bag has an orientation, by whose turning it would be compared"
    if fields := sum(1 for _ in heard(bag, "/magnetic_field")):
        unused["magnetic_field"] = f"nothing is worked out from the {fields} fields of the bag: their delay is not looked for"
    position, velocity, effort = (TimedSignal(joints.time, joints.value[:, k : k + 12]) for k in (0, 12, 24))
    measured = bool(np.isfinite(effort.value).all())
    return SensorRecording(
        rate, position, velocity, effort if measured else None,
        forces if len(forces.time) else None, turns if len(turns.time) else None, unused,
    )  # fmt: skip


def _joints(bag: Bag, description: RobotDescription) -> TimedSignal:
    """Positions, velocities and efforts, (n, 36); efforts that are not measured are not a number, of all samples or of none."""
    nothing, rows = [math.nan] * 12, []
    for at, m in heard(bag, "/joint_states"):
        # Efforts may be left out, and some drivers fill them with zeros.
        effort = m.effort if len(m.effort) else [math.nan] * len(m.name)
        values = by_name(m.name, description.joint_names, m.position, m.velocity, effort)
        if values is not None:
            rows.append((at, [*values[0], *values[1], *(values[2] if any(values[2]) else nothing)]))
    with_effort = [row for row in rows if np.isfinite(row[1]).all()]
    if 2 * len(with_effort) >= len(rows):
        return _signal(with_effort, 36)
    without = _signal([(at, values[:24]) for at, values in rows], 24)
    return TimedSignal(without.time, np.hstack((without.value, np.full((len(without.time), 12), np.nan))))


def _orientation(message: Any) -> list[float] | None:
    """Quaternion of a pose x y z w; None where its variances say that it was not measured, or where it is no rotation."""
    turn, variance = message.pose.pose.orientation, np.array(message.pose.covariance).reshape(6, 6).diagonal()[3:]
    length = math.hypot(turn.x, turn.y, turn.z, turn.w)
    # Written so that a NaN is none.
    if not ((variance >= 0.0).all() and abs(length - 1.0) <= UNIT_TOLERANCE):
        return None
    return [turn.x / length, turn.y / length, turn.z / length, turn.w / length]


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


def _signal(rows: Sequence[tuple[float, Any]], columns: int) -> TimedSignal:
    """In the order of the stamps; of several messages with one stamp the first of those whose numbers are finite."""
    time, value = np.array([at for at, _ in rows]), np.array([row for _, row in rows], dtype=np.float64).reshape(-1, columns)
    finite = np.isfinite(value).all(axis=1)
    time, first = np.unique(time[finite], return_index=True)
    return TimedSignal(time, value[finite][first])
