# SPDX-License-Identifier: Apache-2.0
"""PLAN records as MotionPlan messages and back."""

import numpy as np
from surefoot_msgs.msg import FootPlan, MotionPlan

from surefoot.gait.modes import FAULT_TEXT
from surefoot.gait.records import PLAN
from surefoot.nodes.conversions.common import ODOM, Order, array_of, point_of, quaternion_of, stamp_of, vector_of
from surefoot.robot.description import RobotDescription
from surefoot.rotation import quaternion_from_roll_pitch_yaw, roll_pitch_yaw


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
    message.feet = [
        FootPlan(
            name=name,
            mode=int(plan["mode"][i]),
            planned_contact=bool(plan["planned_contact"][i]),
            position=point_of(plan["foot_position"][i]),
            velocity=vector_of(plan["foot_velocity"][i]),
            acceleration=vector_of(plan["foot_acceleration"][i]),
            load=float(plan["load"][i]),
            time_to_next_event=float(plan["time_to_next_event"][i]),
            contact_normal=vector_of(plan["normal"][i]),
            friction=float(plan["friction"][i]),
        )
        for i, name in enumerate(description.foot_names)
    ]
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
            SensorError: the feet are not those of the robot.
        """
        record = np.zeros(1, PLAN)
        plan = record[0]
        plan["phase"], plan["moving"] = message.phase, message.activity == MotionPlan.MOVING
        plan["base_position"] = array_of(message.base_pose.position)
        orientation = message.base_pose.orientation
        plan["base_roll_pitch_yaw"] = roll_pitch_yaw(np.array((orientation.x, orientation.y, orientation.z, orientation.w)))
        plan["base_velocity"], plan["base_rate"] = array_of(message.base_twist.linear), array_of(message.base_twist.angular)
        for i, place in enumerate(self._feet.places([foot.name for foot in message.feet])):
            foot = message.feet[place]
            plan["mode"][i], plan["planned_contact"][i] = foot.mode, foot.planned_contact
            plan["foot_position"][i], plan["foot_velocity"][i] = array_of(foot.position), array_of(foot.velocity)
            plan["foot_acceleration"][i], plan["normal"][i] = array_of(foot.acceleration), array_of(foot.contact_normal)
            plan["load"][i], plan["friction"][i] = foot.load, foot.friction
            plan["time_to_next_event"][i] = foot.time_to_next_event
        return record
