# SPDX-License-Identifier: Apache-2.0
"""What the page shows, as curves on standard messages: for who has none of our message types, and by names that every robot has."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import TransformStamped, WrenchStamped
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from surefoot.gait.modes import MODE_NAMES
from surefoot.nodes.conversions.common import ODOM, doubles, point_of, quaternion_of, stamp_of, vector_of
from surefoot.robot.description import LEG_NAMES
from surefoot.rotation import rotation_matrix
from surefoot.viewer.page.shapes import cone_use
from surefoot.viewer.page.state import PageState, PlanShown, RobotShown

Array = NDArray[np.float64]

JOINTS = tuple(f"{leg}_{kind}" for leg in LEG_NAMES for kind in ("abduction", "hip", "knee"))
"""Names of the joints in these messages, by leg and place in it: the same for every robot, in the order of its description."""
PLANNED_BASE = "planned_base"
"""Frame of the base as it is planned."""
WARN, OK = DiagnosticStatus.WARN, DiagnosticStatus.OK


def contact_frame(leg: str) -> str:
    """The frame of a foot with the axes of odom: a force in it is one in odom, drawn at the foot."""
    return f"{leg}_contact"


@dataclass(frozen=True)
class Plot:
    """A topic with curves.

    Attributes:
        kind: class of its messages.
        type: name of that class.
        make: gives the message of a state; None where nothing is known yet.
    """

    kind: Any
    type: str
    make: Callable[[PageState, RobotShown, Time], Any]


def _joints(state: PageState, robot: RobotShown, stamp: Time) -> JointState:
    return _joint_state(stamp, position=robot.joint_position, effort=robot.joint_effort)


def _joint_targets(state: PageState, robot: RobotShown, stamp: Time) -> JointState | None:
    command = state.command
    return None if command is None else _joint_state(stamp, position=command.position, effort=command.effort)


def _torque_use(state: PageState, robot: RobotShown, stamp: Time) -> JointState:
    """Of each joint's limit, in the place of the effort: 1 is all of it."""
    return _joint_state(stamp, effort=np.abs(robot.joint_effort) / state.effort_limit)


def _joint_state(stamp: Time, **columns: Array) -> JointState:
    message = JointState(name=JOINTS, **{name: doubles(values) for name, values in columns.items()})
    message.header.stamp = stamp
    return message


def _planned_base(state: PageState, robot: RobotShown, stamp: Time) -> Odometry | None:
    plan = state.plan
    if plan is None or not np.isfinite(np.concatenate((plan.base_position, plan.base_quaternion))).all():
        return None
    message = Odometry(child_frame_id=PLANNED_BASE)
    message.header.frame_id, message.header.stamp = ODOM, stamp
    message.pose.pose.position, message.pose.pose.orientation = point_of(plan.base_position), quaternion_of(plan.base_quaternion)
    message.twist.twist.linear = vector_of(rotation_matrix(plan.base_quaternion).T @ plan.base_velocity)
    return message


def _feet(state: PageState, robot: RobotShown, stamp: Time) -> DiagnosticArray:
    """One status a foot, with its mode in words and numbers as values."""
    return _diagnostics(stamp, [_foot(leg, robot, state.plan) for leg in range(4)])


def _foot(leg: int, robot: RobotShown, plan: PlanShown | None) -> DiagnosticStatus:
    values = {"contact_probability": robot.contact_probability[leg], "height": robot.foot_position[leg][2]}
    mode = ""
    if plan is not None:
        mode = MODE_NAMES[int(plan.foot_mode[leg]) % len(MODE_NAMES)]
        use = cone_use(np.nan_to_num(robot.foot_force[leg]), plan.normal[leg], float(plan.friction[leg]))
        values |= {
            "planned_contact": float(plan.planned_contact[leg]), "mode": float(plan.foot_mode[leg]), "friction": plan.friction[leg],
            "friction_use": use, "planned_height": plan.foot_position[leg][2],
        }  # fmt: skip
    return _status(LEG_NAMES[leg], mode, OK, values)


def _stack(state: PageState, robot: RobotShown, stamp: Time) -> DiagnosticArray:
    """Mode, gait, decision and estimate, each in words and numbers."""
    mode, status, plan, rehearsal = state.mode, state.status, state.plan, state.rehearsal
    forward, left, turn = status.command
    made = [
        _status("mode", f"{mode.name}: {mode.reason}", WARN if mode.name in ("FAULT", "STOPPED") else OK, {"since": mode.since}),
        _status(
            "gait", f"{status.gait}; {status.requested_gait or 'nothing asked'} {status.state}: {status.reason}", OK,
            {"phase": math.nan if plan is None else plan.phase, "forward": forward, "left": left, "turn": turn},
        ),
        _status("estimate", robot.invalid_reason or "valid", WARN if robot.invalid_reason else OK, {
            "position_deviation": math.sqrt(max(float(np.trace(robot.position_covariance)), 0.0)),
        }),
    ]  # fmt: skip
    if rehearsal is not None:
        verdict, change = rehearsal.verdict, f"{rehearsal.gait_from} to {rehearsal.gait_to}"
        numbers = {
            "traces": float(rehearsal.particles),
            "survived": float(sum(candidate.survived for candidate in rehearsal.candidates.values())),
        }
        if verdict is None:
            made.append(_status("decision", f"rehearsing {change}", OK, numbers))
        else:
            answer = f"{change} {'accepted' if verdict.accepted else 'vetoed'}: {verdict.reason}"
            answer += f"; offered instead: {verdict.offer}" if verdict.offer else ""
            numbers |= {"accepted": float(verdict.accepted), "seconds": verdict.wall_seconds}
            made.append(_status("decision", answer, OK if verdict.accepted else WARN, numbers))
    return _diagnostics(stamp, made)


def _nodes(state: PageState, robot: RobotShown, stamp: Time) -> DiagnosticArray | None:
    """The last health report of each node, its numbers only, at the time of the robot: each node has a clock of its own."""
    made = []
    for node, health in sorted(state.health.items()):
        numbers = {key: float(value) for key, value in health.values.items() if _is_number(value)}
        made.append(_status(node, health.complaint or "ok", WARN if health.complaint else OK, numbers))
    return _diagnostics(stamp, made) if made else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _diagnostics(stamp: Time, status: list[DiagnosticStatus]) -> DiagnosticArray:
    message = DiagnosticArray(status=status)
    message.header.stamp = stamp
    return message


def _status(name: str, words: str, level: bytes, numbers: dict[str, Any]) -> DiagnosticStatus:
    """What is no number is left out: a curve has a gap there."""
    values = [KeyValue(key=key, value=f"{float(value):.6g}") for key, value in numbers.items() if math.isfinite(value)]
    return DiagnosticStatus(name=name, message=words, level=level, values=values)


def _force(leg: int) -> Callable[[PageState, RobotShown, Time], WrenchStamped | None]:
    """The force of the ground on a foot in the axes of odom."""

    def make(state: PageState, robot: RobotShown, stamp: Time) -> WrenchStamped | None:
        if not np.isfinite(robot.foot_force[leg]).all():
            return None
        message = WrenchStamped()
        message.header.frame_id, message.header.stamp = contact_frame(LEG_NAMES[leg]), stamp
        message.wrench.force = vector_of(robot.foot_force[leg])
        return message

    return make


PLOTS: dict[str, Plot] = {
    "/plots/joints": Plot(JointState, "sensor_msgs/msg/JointState", _joints),
    "/plots/joint_targets": Plot(JointState, "sensor_msgs/msg/JointState", _joint_targets),
    "/plots/torque_use": Plot(JointState, "sensor_msgs/msg/JointState", _torque_use),
    "/plots/planned_base": Plot(Odometry, "nav_msgs/msg/Odometry", _planned_base),
    **{
        f"/plots/force_{leg}": Plot(WrenchStamped, "geometry_msgs/msg/WrenchStamped", _force(index))
        for index, leg in enumerate(LEG_NAMES)
    },
    "/plots/feet": Plot(DiagnosticArray, "diagnostic_msgs/msg/DiagnosticArray", _feet),
    "/plots/stack": Plot(DiagnosticArray, "diagnostic_msgs/msg/DiagnosticArray", _stack),
    "/plots/nodes": Plot(DiagnosticArray, "diagnostic_msgs/msg/DiagnosticArray", _nodes),
}  # fmt: skip
"""By topic."""


def contact_transforms(robot: RobotShown) -> list[TransformStamped]:
    """Where the feet are, with the axes of odom."""
    made = []
    for leg, name in enumerate(LEG_NAMES):
        message = TransformStamped(child_frame_id=contact_frame(name))
        message.header.frame_id, message.header.stamp = ODOM, stamp_of(robot.time)
        message.transform.translation = vector_of(robot.foot_position[leg])
        made.append(message)
    return made
