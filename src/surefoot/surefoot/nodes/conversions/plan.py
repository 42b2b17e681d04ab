# SPDX-License-Identifier: Apache-2.0
"""PLAN records as MotionPlan messages and back."""

import numpy as np
from surefoot_msgs.msg import MotionPlan

from surefoot.gait.modes import FAULT_TEXT
from surefoot.gait.records import PLAN
from surefoot.nodes.conversions.common import ODOM, Order, doubles, stamp_of
from surefoot.robot.description import RobotDescription

_PER_FOOT = (
    ("mode", "foot_mode", 1),
    ("planned_contact", "foot_planned_contact", 1),
    ("foot_position", "foot_position", 3),
    ("foot_velocity", "foot_velocity", 3),
    ("foot_acceleration", "foot_acceleration", 3),
    ("load", "foot_load", 1),
    ("time_to_next_event", "foot_time_to_next_event", 1),
    ("normal", "foot_contact_normal", 3),
    ("friction", "foot_friction", 1),
)
"""Field of the record, field of the message, values a foot."""


def message_of_plan(time: float, plan: np.void, gait: str, fault: int, description: RobotDescription) -> MotionPlan:
    """The message of a plan that is in force.

    Args:
        time: of the state that the plan answers to, s.
        plan: a PLAN record.
        gait: its name.
        fault: of the planner, see gait.modes.
        description: names.
    """
    message = inactive_plan(time)
    message.activity = MotionPlan.MOVING if plan["moving"] else MotionPlan.STANDING
    message.gait, message.phase, message.fault = gait, float(plan["phase"]), FAULT_TEXT[int(fault)]
    message.base_position, message.base_roll_pitch_yaw = plan["base_position"], plan["base_roll_pitch_yaw"]
    message.base_twist = float(plan["base_twist"])
    message.base_linear_velocity, message.base_angular_velocity = plan["base_velocity"], plan["base_rate"]
    message.base_linear_acceleration = plan["base_acceleration"]
    message.foot_names = list(description.foot_names)
    message.foot_mode, message.foot_planned_contact = plan["mode"].tolist(), (plan["planned_contact"] != 0).tolist()
    message.foot_position, message.foot_velocity = doubles(plan["foot_position"]), doubles(plan["foot_velocity"])
    message.foot_acceleration, message.foot_contact_normal = doubles(plan["foot_acceleration"]), doubles(plan["normal"])
    message.foot_load, message.foot_friction = doubles(plan["load"]), doubles(plan["friction"])
    message.foot_time_to_next_event = doubles(plan["time_to_next_event"])
    return message


def inactive_plan(time: float, held: bool = False) -> MotionPlan:
    """A plan that asks for nothing, at a time, s; whether it is because the robot is held and has no ground under its feet."""
    message = MotionPlan(activity=MotionPlan.HELD if held else MotionPlan.INACTIVE)
    message.header.stamp, message.header.frame_id = stamp_of(time), ODOM
    return message


class PlanReader:
    """Reads MotionPlan messages of one robot."""

    def __init__(self, description: RobotDescription) -> None:
        self._feet = Order("foot", description.foot_names)

    def read(self, message: MotionPlan) -> np.ndarray:
        """An array of one PLAN record.

        Raises:
            SensorError: the feet are not those of the robot, or a value is missing.
        """
        record = np.zeros(1, PLAN)
        plan = record[0]
        plan["phase"], plan["moving"] = message.phase, message.activity == MotionPlan.MOVING
        plan["base_position"], plan["base_roll_pitch_yaw"] = message.base_position, message.base_roll_pitch_yaw
        plan["base_twist"] = message.base_twist
        plan["base_velocity"], plan["base_rate"] = message.base_linear_velocity, message.base_angular_velocity
        plan["base_acceleration"] = message.base_linear_acceleration
        self._feet.places(message.foot_names)
        for field, key, width in _PER_FOOT:
            plan[field] = self._feet.values(key, getattr(message, key), width)
        return record
