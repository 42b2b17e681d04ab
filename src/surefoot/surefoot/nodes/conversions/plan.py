# SPDX-License-Identifier: Apache-2.0
"""PLAN records as MotionPlan messages and back."""

import numpy as np
from surefoot_msgs.msg import MotionPlan

from surefoot.gait.modes import FAULT_TEXT
from surefoot.gait.records import PLAN
from surefoot.nodes.conversions.common import ODOM, Order, array_of, by_name, point_of, quaternion_of, stamp_of, vector_of
from surefoot.robot.description import RobotDescription
from surefoot.rotation import quaternion_from_roll_pitch_yaw, roll_pitch_yaw

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
    message.base_pose.position = point_of(plan["base_position"])
    message.base_pose.orientation = quaternion_of(quaternion_from_roll_pitch_yaw(*plan["base_roll_pitch_yaw"]))
    message.base_twist.linear, message.base_twist.angular = vector_of(plan["base_velocity"]), vector_of(plan["base_rate"])
    message.foot_names = list(description.foot_names)
    message.foot_mode, message.foot_planned_contact = plan["mode"].tolist(), (plan["planned_contact"] != 0).tolist()
    message.foot_position, message.foot_velocity = plan["foot_position"].reshape(12), plan["foot_velocity"].reshape(12)
    message.foot_acceleration, message.foot_contact_normal = plan["foot_acceleration"].reshape(12), plan["normal"].reshape(12)
    message.foot_load, message.foot_friction = plan["load"], plan["friction"]
    message.foot_time_to_next_event = plan["time_to_next_event"]
    return message


def inactive_plan(time: float) -> MotionPlan:
    """A plan that asks for nothing."""
    message = MotionPlan(activity=MotionPlan.INACTIVE)
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
        plan["base_position"] = array_of(message.base_pose.position)
        orientation = message.base_pose.orientation
        plan["base_roll_pitch_yaw"] = roll_pitch_yaw(np.array((orientation.x, orientation.y, orientation.z, orientation.w)))
        plan["base_velocity"], plan["base_rate"] = array_of(message.base_twist.linear), array_of(message.base_twist.angular)
        feet = self._feet.places(message.foot_names)
        for field, key, width in _PER_FOOT:
            plan[field] = by_name(key, getattr(message, key), feet, width)
        return record
