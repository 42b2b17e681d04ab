# SPDX-License-Identifier: Apache-2.0
"""Messages as the page shows them."""

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from numpy.typing import NDArray
from surefoot_msgs.msg import FootPlanState, GaitStatus, MotionPlan, RobotMode, Verdict
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import SensorError
from surefoot.nodes.conversions.common import Order, array_of, seconds_of
from surefoot.nodes.conversions.state import StateReader
from surefoot.robot.description import RobotDescription
from surefoot.rotation import quaternion_from_roll_pitch_yaw
from surefoot.servos.modes import mode_name
from surefoot.traces.request import RequestState
from surefoot.viewer.page.rehearsal import VerdictShown
from surefoot.viewer.page.state import ModeShown, NodeHealth, PlanShown, RobotShown, StatusShown, SwingShown, swing_shown

Array = NDArray[np.float64]


class PageReader:
    """Reads what the page shows of one robot."""

    def __init__(self, description: RobotDescription) -> None:
        self._states, self._foot_names = StateReader(description), description.foot_names
        self._state_feet, self._plan_feet = Order("foot", description.foot_names), Order("foot", description.foot_names)

    def robot(self, message: RobotStateMessage) -> RobotShown:
        """An estimate. Raises SensorError, see StateReader."""
        state = self._states.read(message)
        self._state_feet.places(message.foot_names)
        return RobotShown(
            time=state.time,
            base_position=state.base_position,
            base_quaternion=state.base_quaternion,
            joint_position=state.joint_position,
            joint_effort=state.joint_effort,
            position_covariance=state.pose_covariance[:3, :3],
            foot_position=self._state_feet.values("foot_position", message.foot_position, 3),
            foot_force=state.foot_force,
            contact_probability=state.contact_probability,
            invalid_reason=state.invalid_reason,
        )

    def plan(self, message: MotionPlan) -> PlanShown | None:
        """A plan; None while nothing is asked.

        Raises:
            SensorError: feet are not those of the robot, or a number that has to be there is missing or not finite.
        """
        if message.activity not in (MotionPlan.STANDING, MotionPlan.MOVING):
            return None
        feet = self._plan_feet
        feet.places(message.foot_names)
        if not np.isfinite(np.concatenate((message.base_position, message.base_roll_pitch_yaw, message.foot_position))).all():
            raise SensorError(f"the plan of {seconds_of(message.header.stamp):.3f} s has a number that is not finite")
        return PlanShown(
            moving=message.activity == MotionPlan.MOVING,
            gait=message.gait,
            phase=message.phase,
            base_position=np.array(message.base_position),
            base_quaternion=quaternion_from_roll_pitch_yaw(*message.base_roll_pitch_yaw),
            base_velocity=np.array(message.base_linear_velocity),
            foot_mode=feet.values("foot_mode", message.foot_mode).astype(np.int64),
            planned_contact=feet.values("foot_planned_contact", message.foot_planned_contact) > 0.5,
            foot_position=feet.values("foot_position", message.foot_position, 3),
            foot_velocity=feet.values("foot_velocity", message.foot_velocity, 3),
            time_to_next_event=feet.values("foot_time_to_next_event", message.foot_time_to_next_event),
            friction=feet.values("foot_friction", message.foot_friction),
            normal=feet.values("foot_contact_normal", message.foot_contact_normal, 3),
            fault=message.fault,
        )

    def swing(self, message: FootPlanState) -> tuple[int, SwingShown] | None:
        """The leg and the path of a foot in the air; None for a foot that is not the robot's, or a path with what is not a number."""
        if message.name not in self._foot_names:
            return None
        position, velocity = (np.array([array_of(knot) for knot in knots]) for knots in (message.knot_position, message.knot_velocity))
        if not (np.isfinite(message.knot_time).all() and np.isfinite(position).all() and np.isfinite(velocity).all()):
            return None
        return self._foot_names.index(message.name), swing_shown(np.array(message.knot_time), position, velocity)


def mode_of(message: RobotMode) -> ModeShown:
    """The mode of the servo bridge."""
    name = mode_name(message.mode)
    return ModeShown(name, message.reason, seconds_of(message.since), message.refused)


def status_of(message: GaitStatus) -> StatusShown:
    """The gait that runs and what became of the last request."""
    state = RequestState(message.request_state).name if message.request_state in set(RequestState) else str(message.request_state)
    twist = message.command
    return StatusShown(
        message.gait, state, message.request_id, message.requested_gait, message.switch_time, message.reason, message.offer, message.ground,
        (twist.linear.x, twist.linear.y, twist.angular.z),
    )  # fmt: skip


def verdict_of(message: Verdict) -> VerdictShown:
    """The answer to a request."""
    chosen = message.chosen if message.accepted and 0 <= message.chosen < len(message.scores) else None
    return VerdictShown(
        message.accepted, chosen, message.reason, tuple(message.explanation), message.offer, message.particles_used, message.wall_seconds,
        message.record,
    )  # fmt: skip


def health_of(message: DiagnosticStatus, now: float) -> NodeHealth:
    """What a node says of itself; now: s, by the clock of the wall."""
    level = message.level if isinstance(message.level, int) else int.from_bytes(message.level, "little")
    return NodeHealth({pair.key: pair.value for pair in message.values}, message.message if level > 0 else "", now)
