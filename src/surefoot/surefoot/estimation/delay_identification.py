# SPDX-License-Identifier: Apache-2.0
"""How late each sensor's stamps are, from a recording: what two sensors both saw is shifted in time until it agrees."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import SensorError
from surefoot.estimation.contact import foot_force_from_torque
from surefoot.robot.leg_kinematics import foot_terms_in_base
from surefoot.robot.model import RobotModel
from surefoot.robot.spatial import rotation_vector
from surefoot.robot.tree import leg_tree
from surefoot.rotation import rotation_matrix

Array = NDArray[np.float64]

GRID, LONGEST, BLOCKS, LEAST_AGREEMENT = 0.001, 0.06, 8, 0.5
"""Step of the comparison (s), longest delay that is looked for (s), parts of the recording whose answers say how sure the answer is, and
correlation below which two signals have nothing to do with each other."""

SHIFTS: Array = np.arange(-round(LONGEST / GRID), round(LONGEST / GRID) + 1).astype(np.float64) * GRID
"""s that are tried."""


@dataclass(frozen=True)
class TimedSignal:
    """Attributes:
    time: stamps, ascending, (n,), s.
    value: (n, k).
    """

    time: Array
    value: Array


@dataclass(frozen=True)
class SensorRecording:
    """What was recorded, by stamps; what the robot does not have is empty.

    Attributes:
        imu: angular velocity in the axes of the IMU link, k = 3, rad/s.
        joint_position, joint_velocity, joint_effort: k = 12, rad, rad/s, N m; no effort where it is not measured.
        foot_force: of the ground on each foot in base axes, foot by foot, k = 12, N.
        pose: quaternion odom_from_base x y z w by somebody outside, k = 4.
        unused: sensors that were recorded, and of which nothing is in here, with the reason in words.
    """

    imu: TimedSignal
    joint_position: TimedSignal
    joint_velocity: TimedSignal
    joint_effort: TimedSignal | None = field(default=None)
    foot_force: TimedSignal | None = field(default=None)
    pose: TimedSignal | None = field(default=None)
    unused: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Delay:
    """How much later than the reference a sensor stamps what it saw.

    Attributes:
        seconds: positive if its stamps are too late, s.
        standard_deviation: of that, s.
        agreement: correlation of the two signals after the shift, -1 to 1.
        seen_in: what was compared.
    """

    seconds: float
    standard_deviation: float
    agreement: float
    seen_in: str


def identify_delays(model: RobotModel, recording: SensorRecording, contact_force: float) -> dict[str, Delay | str]:
    """Delays of joints, foot forces and pose against the IMU.

    Args:
        model: of the robot that was recorded while it walked.
        recording: at least some seconds of it.
        contact_force: above which a foot is taken to stand, N.

    Returns:
        By sensor, the delay or, in words, why it cannot be told.
    """
    base_from_imu = model.attached_frame(model.description.sensors.imu_link).body_from_frame_rotation
    rate = TimedSignal(recording.imu.time, recording.imu.value @ base_from_imu.T)
    by_sensor = None if recording.foot_force is None else _vertical(recording.foot_force)
    by_torque = _vertical(_forces_by_torque(model, recording.joint_position, recording.joint_effort)) if recording.joint_effort else None
    loads = by_sensor if by_torque is None else by_torque
    joints: Delay | str = "neither joint efforts nor foot forces were recorded, which would say which feet stand"
    if loads is not None:
        stands = _at(loads, recording.joint_position.time) > contact_force
        joints = _told(lambda: _delay_of_legs(model, recording, rate, stands))
    result: dict[str, Delay | str] = {"joints": joints}
    if by_sensor is not None:
        result["foot_forces"] = _delay_of_feet(by_torque, by_sensor, joints)
    if recording.pose is not None:
        outside = _rate_by_pose(recording.pose)
        result["pose"] = _told(lambda: find_delay(rate, outside, "the turning of the base, by gyroscope and from outside"))
    return result | recording.unused


def _delay_of_feet(by_torque: TimedSignal | None, by_sensor: TimedSignal, joints: Delay | str) -> Delay | str:
    """Of the force sensors, through the joints; loads of the feet, (n, 4) each, N."""
    if by_torque is None:
        return "no joint efforts were recorded, against whose load of the feet theirs would be held"
    if isinstance(joints, str):
        return f"depends on the delay of the joints: {joints}"
    seen = _told(lambda: find_delay(by_torque, by_sensor, "the load of the feet, by sensors and by joint torques"))
    if isinstance(seen, str):
        return seen
    spread = float(np.hypot(seen.standard_deviation, joints.standard_deviation))
    return Delay(seen.seconds + joints.seconds, spread, seen.agreement, seen.seen_in)


def find_delay(reference: TimedSignal, late: TimedSignal, seen_in: str = "") -> Delay:
    """The shift at which two signals of the same thing differ least.

    Args:
        reference: (n, k).
        late: (m, k), whose stamps are shifted.
        seen_in: for the answer.

    Raises:
        SensorError: they do not overlap for long enough, one of them does not move, they do not agree at any shift, or best beyond them.
    """
    if not (len(reference.time) and len(late.time)):
        raise SensorError("one of the two signals is empty")
    begin, end = max(reference.time[0], late.time[0]) + LONGEST, min(reference.time[-1], late.time[-1]) - LONGEST
    grid = np.arange(begin, end, GRID)
    if len(grid) < 1.0 / GRID:
        raise SensorError(f"both signals are there together for {max(0.0, end - begin):.2f} s; at least 1 s is needed")
    return _compare(_on_grid(reference, grid), [_on_grid(late, grid + shift) for shift in SHIFTS], seen_in)


def _compare(there: Array, shifted: list[Array], seen_in: str) -> Delay:
    """The delay by which of SHIFTS agrees best, (g, k) each; parts of it say how sure that is. Raises SensorError."""
    if not (there.std(axis=0).max() > 0.0 and shifted[0].std(axis=0).max() > 0.0):
        raise SensorError("one of the two signals does not change at all: record the robot while it walks")
    best, agreement = _best_shift(there, shifted)
    if not agreement >= LEAST_AGREEMENT:
        raise SensorError(f"the two signals agree by {agreement:.2f} at best, less than {LEAST_AGREEMENT}: they do not see the same thing")
    if abs(best) >= SHIFTS[-1]:
        way = f"{1e3 * LONGEST:.0f} ms {'later' if best > 0.0 else 'earlier'} or more"
        raise SensorError(f"its stamps are {way}, beyond which nothing was tried: stamp it where it is sampled, by the IMU's clock")
    parts = [_best_shift(there[part], [one[part] for one in shifted])[0] for part in np.array_split(np.arange(len(there)), BLOCKS)]
    return Delay(best, float(np.std(parts, ddof=1) / np.sqrt(BLOCKS)), agreement, seen_in)


def _told(find: Callable[[], Delay]) -> Delay | str:
    try:
        return find()
    except SensorError as error:
        return str(error)


def _on_grid(signal: TimedSignal, grid: Array) -> Array:
    """Interpolated, with its mean taken away, (g, k)."""
    values = _at(signal, grid)
    centred: Array = values - values.mean(axis=0)
    return centred


def _at(signal: TimedSignal, times: Array) -> Array:
    """Interpolated, (len(times), k)."""
    return np.array([np.interp(times, signal.time, column) for column in signal.value.T]).T


def _vertical(forces: TimedSignal) -> TimedSignal:
    """Of forces on four feet, (n, 12), those upwards, (n, 4)."""
    return TimedSignal(forces.time, forces.value[:, 2::3])


def _best_shift(there: Array, shifted: list[Array]) -> tuple[float, float]:
    """Of SHIFTS the one of the highest correlation over all columns, between the steps of the grid by a parabola, and that correlation."""
    size = float(np.linalg.norm(there))
    score = np.array([float((there * one).sum()) / max(1e-300, size * float(np.linalg.norm(one))) for one in shifted])
    top = int(np.argmax(score))
    if not 0 < top < len(score) - 1:
        return float(SHIFTS[top]), float(score[top])
    left, middle, right = score[top - 1 : top + 2]
    bend = left - 2.0 * middle + right
    between = 0.0 if bend >= 0.0 else 0.5 * (left - right) / bend
    return float(SHIFTS[top] + between * GRID), float(middle)


def _forces_by_torque(model: RobotModel, positions: TimedSignal, efforts: TimedSignal) -> TimedSignal:
    """Quasi-static force of the ground on each foot in base axes, (n, 12), N."""
    tree, result = leg_tree(model), np.zeros((len(efforts.time), 12))
    foot, jacobian, axes = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    for k, (angles, effort) in enumerate(zip(_at(positions, efforts.time), efforts.value, strict=True)):
        for leg in range(4):
            mine = slice(3 * leg, 3 * leg + 3)
            foot_terms_in_base(tree, leg, angles[mine], foot, jacobian, axes)
            foot_force_from_torque(effort[mine], jacobian, 0.02, result[k, mine])
    return TimedSignal(efforts.time, result)


def _delay_of_legs(model: RobotModel, recording: SensorRecording, rate: TimedSignal, stands: NDArray[np.bool_]) -> Delay:
    """Of the joints: two feet that only roll move against each other as the base turns, of which each pair sees its own part.

    With foot centres r, v + w x r + J qd = (w + axes qd) x up radius holds for each foot, and v falls out of the difference of two.
    """
    tree, up = leg_tree(model), np.array([0.0, 0.0, model.description.foot_radius])
    times, apart, moving = [], [], []
    velocities = _at(recording.joint_velocity, recording.joint_position.time)
    foot, jacobian, axes = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    for k, time in enumerate(recording.joint_position.time.tolist()):
        before: tuple[Array, Array] | None = None
        for leg in np.flatnonzero(stands[k]).tolist():
            mine = slice(3 * leg, 3 * leg + 3)
            foot_terms_in_base(tree, leg, recording.joint_position.value[k, mine], foot, jacobian, axes)
            speeds = velocities[k, mine]
            here = foot.copy(), np.cross(axes @ speeds, up) - jacobian @ speeds
            if before is not None:
                times.append(time)
                apart.append(here[0] - before[0])
                moving.append(here[1] - before[1])
            before = here
    if not times or times[-1] - times[0] < 1.0 + 2.0 * LONGEST:
        raise SensorError("two feet at least have to stand for a second or more: record the robot while it walks")
    at, between, there = np.array(times), np.array(apart), np.array(moving)

    def turned(shift: float) -> Array:
        return np.cross(_at(rate, at - shift), between)

    return _compare(there, [turned(shift) for shift in SHIFTS], "the turning of the base, by gyroscope and by stance legs")


def _rate_by_pose(pose: TimedSignal) -> TimedSignal:
    """Angular velocity in base axes between two poses, (n - 1, 3), rad/s, at the time between them."""
    rotations, turn = [rotation_matrix(quaternion) for quaternion in pose.value], np.empty(3)
    rates = []
    for before, after, step in zip(rotations, rotations[1:], np.diff(pose.time), strict=False):
        rotation_vector(np.ascontiguousarray(before.T @ after), turn)
        rates.append(turn / step)
    return TimedSignal(0.5 * (pose.time[1:] + pose.time[:-1]), np.array(rates).reshape(-1, 3))
