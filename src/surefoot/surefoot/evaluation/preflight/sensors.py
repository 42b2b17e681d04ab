# SPDX-License-Identifier: Apache-2.0
"""What a robot says while it lies still, out of a few seconds of messages."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from surefoot.errors import SurefootError
from surefoot.estimation.settings import StartSettings
from surefoot.estimation.start_checks import start_problems
from surefoot.evaluation.preflight.checklist import Check, Outcome, check
from surefoot.recording.decoder import Decoder
from surefoot.recording.reader import SECOND
from surefoot.recording.stamps import stamp_of
from surefoot.recording.types import RawMessage, Topic
from surefoot.robot.model import RobotModel

JOINTS, IMU, FEET, BATTERY = "/joint_states", "/imu", "/foot_forces", "/battery_state"
LOW_RATE = 0.9
"""Of the control rate: under it ticks are missing."""
LONG_GAP = 5.0
"""Periods: a gap of so many is no jitter any more."""
OLD = 0.1  # s
OTHER_CLOCK = 86400.0
"""s: what seems to be so old, or to come so soon, was stamped by another clock."""
LOW_CHARGE, EMPTY = 0.3, 0.15  # of a whole battery


def sensors(messages: Iterable[RawMessage], topics: Mapping[str, Topic], model: RobotModel, settings: StartSettings) -> tuple[Check, ...]:
    """Check rates, clocks, the IMU, the joints and the battery.

    Args:
        messages: of a few seconds.
        topics: of the messages, by name.
        model: the believed robot.
        settings: what a robot that lies still may read.
    """
    heard: defaultdict[str, list[RawMessage]] = defaultdict(list)
    for message in messages:
        heard[message.topic].append(message)
    wanted = [JOINTS, IMU] + ([FEET] if model.description.sensors.foot_force is not None else [])
    checks = [_rate(topic, heard[topic], model.description.control.rate) for topic in wanted]
    checks += [_age(topic, heard[topic]) for topic in wanted if heard[topic]]
    if heard[JOINTS] and heard[IMU]:
        checks += _pose(heard, topics, model, settings)
    return (*checks, _battery(heard[BATTERY], topics))


def _rate(topic: str, messages: list[RawMessage], rate: float) -> Check:
    name = f"rate of {topic}"
    if len(messages) < 3:
        return Check(name, Outcome.BAD, f"{len(messages)} messages", "start the driver; look at its topic names and its ROS_DOMAIN_ID")
    times = np.array([message.publish_time for message in messages]) / SECOND
    gaps = np.diff(times)
    found_rate, longest = len(gaps) / max(times[-1] - times[0], 1e-9), float(gaps.max())
    found = f"{found_rate:.0f} Hz, longest gap {1e3 * longest:.1f} ms"
    if found_rate < LOW_RATE * rate:
        return Check(name, Outcome.BAD, found, f"the controller needs {rate:.0f} Hz: raise the rate of the driver")
    return check(name, longest < LONG_GAP / rate, found, "look for what holds up the driver, or the network", Outcome.WARNING)


def _age(topic: str, messages: list[RawMessage]) -> Check:
    name = f"stamps of {topic}"
    stamps = np.array([stamp_of(message.data) for message in messages]) / SECOND
    ages = np.array([message.log_time for message in messages]) / SECOND - stamps
    if (np.diff(stamps) < 0.0).any():
        return Check(name, Outcome.BAD, "they go back", "one driver only may speak, and its clock must not be set while it runs")
    if not stamps.any():
        return Check(name, Outcome.BAD, "they are all 0", "the driver must stamp its messages with the time of the sample")
    age = float(np.median(ages))
    if abs(age) > OTHER_CLOCK:
        begins = f"they begin at {stamps[0]:.1f} s, by another clock than the one that received them"
        return Check(name, Outcome.BAD, begins, "stamp messages with the time of day; only a simulation may count from its start")
    advice = f"off by more than {OLD:g} s: synchronize the clocks of the robot's computers"
    return check(name, abs(age) < OLD, f"median age {1e3 * age:.1f} ms", advice)


def _pose(heard: Mapping[str, list[RawMessage]], topics: Mapping[str, Topic], model: RobotModel, settings: StartSettings) -> list[Check]:
    decoder = Decoder()
    try:
        imu = [decoder.decode(topics[IMU], message.data) for message in heard[IMU]]
        joints = [decoder.decode(topics[JOINTS], message.data) for message in heard[JOINTS]]
    except SurefootError as error:
        return [Check("messages", Outcome.BAD, str(error), "topics must have the types that docs/on_your_robot.md lists")]
    missing = [name for name in model.description.joint_names if name not in joints[-1].name]
    if missing:
        advice = "put the names of the driver into the robot's YAML"
        return [Check("joints", Outcome.BAD, f"without {', '.join(missing)}, among {', '.join(joints[-1].name)}", advice)]
    base_from_imu = model.attached_frame(model.description.sensors.imu_link).body_from_frame_rotation
    force = base_from_imu @ _mean([_vector(one.linear_acceleration) for one in imu])
    rate = base_from_imu @ _mean([_vector(one.angular_velocity) for one in imu])
    names = model.description.joint_names
    positions = [_by_name(one.name, one.position, names) for one in joints]
    speed = _mean([_by_name(one.name, one.velocity, names) for one in joints])
    position, travel = _mean(positions), np.ptp(positions, axis=0)
    limits = model.position_lower, model.position_upper
    if not np.isfinite(np.concatenate((force, rate, position))).all():
        return [Check("IMU and joints", Outcome.BAD, "numbers that are not finite", "look at the driver")]
    problems = start_problems(force, rate, position, speed, travel, names, *limits, settings)
    found = f"{np.linalg.norm(force):.2f} m/s^2, {np.linalg.norm(rate):.3f} rad/s, all joints within their limits"
    checks = [Check("IMU and joints", Outcome.BAD, *_split(problem)) for problem in problems]
    checks += [] if problems else [Check("IMU and joints", Outcome.GOOD, found)]
    frozen = len(imu) > 10 and np.ptp([_vector(one.linear_acceleration) for one in imu], axis=0).max() == 0.0
    if frozen:
        checks.append(Check("IMU", Outcome.BAD, "the same reading over and over", "it is frozen, or its driver repeats the last one"))
    return checks


def _battery(messages: list[RawMessage], topics: Mapping[str, Topic]) -> Check:
    if not messages:
        return Check("battery", Outcome.UNKNOWN, f"nobody speaks on {BATTERY}", "look at it before the robot stands up")
    try:
        state = Decoder().decode(topics[BATTERY], messages[-1].data)
        charge, voltage = float(state.percentage), float(state.voltage)
    except (SurefootError, AttributeError) as error:
        return Check("battery", Outcome.UNKNOWN, f"{BATTERY} cannot be read: {error}", f"{BATTERY} is a sensor_msgs/BatteryState")
    if not 0.0 <= charge <= 1.0:
        return Check("battery", Outcome.UNKNOWN, f"{voltage:.1f} V, charge not known", "look at it before the robot stands up")
    outcome = Outcome.BAD if charge < EMPTY else Outcome.WARNING if charge < LOW_CHARGE else Outcome.GOOD
    return Check("battery", outcome, f"{charge:.0%}, {voltage:.1f} V", "" if outcome == Outcome.GOOD else "charge it")


def _split(problem: str) -> tuple[str, str]:
    found, _, advice = problem.rpartition(": ")
    return found, advice


def _vector(message: Any) -> tuple[float, float, float]:
    return float(message.x), float(message.y), float(message.z)


def _by_name(given: Iterable[str], numbers: Iterable[float], names: Iterable[str]) -> list[float]:
    """The numbers of some joints; NaN for one of which nothing is said."""
    values = dict(zip(given, numbers, strict=False))
    return [float(values.get(name, np.nan)) for name in names]


def _mean(rows: list[Any]) -> Any:
    return np.mean(np.array(rows, dtype=float), axis=0)
