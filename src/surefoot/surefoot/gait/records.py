# SPDX-License-Identifier: Apache-2.0
"""The records that the compiled planner reads and writes; legs in the order of LEG_NAMES, positions in odom."""

import numpy as np

STATE = np.dtype(
    [
        ("time", "f8"),  # s
        ("base_position", "f8", (3,)),  # m
        ("base_quaternion", "f8", (4,)),  # odom_from_base, x y z w
        ("base_velocity", "f8", (3,)),  # m/s
        ("base_rate", "f8", (3,)),  # rad/s
        ("joint_position", "f8", (4, 3)),  # rad
        ("joint_velocity", "f8", (4, 3)),  # rad/s
        ("contact_probability", "f8", (4,)),
        ("foot_force", "f8", (4, 3)),  # measured force of the ground on each foot, N; NaN where it is not measured
    ],
    align=True,
)
"""What the policy knows of the robot at one tick."""

PLANNER = np.dtype(
    [
        ("time", "f8"),  # s, of the last tick
        ("phase", "f8"),  # 0 to 1
        ("mode", "i8", (4,)),  # see modes.py
        ("mode_since", "f8", (4,)),  # s
        ("contact_lost_since", "f8", (4,)),  # s; NaN while the foot is in contact, or swings as planned
        ("held_up_since", "f8", (4,)),  # s; NaN while a reaching foot comes down, or does not reach
        ("swung", "i8", (4,)),  # whether the swing of the present timetable interval was begun
        ("anchor", "f8", (4, 3)),  # where the foot stands, or last stood, m
        ("hold_position", "f8", (4, 3)),  # where the servos hold the foot while it stands; see stance_anchor.py, m
        ("knot_time", "f8", (4, 4)),  # s
        ("knot_position", "f8", (4, 4, 3)),  # m
        ("knot_velocity", "f8", (4, 4, 3)),  # m/s
        ("swing_command", "f8", (4, 3)),  # the command that the swing was planned for
        ("command", "f8", (3,)),  # in force after limits: forward, left m/s, turn rad/s
        ("reference_position", "f8", (3,)),  # of the base, m
        ("reference_yaw", "f8"),  # rad
        ("reference_tilt", "f8", (2,)),  # roll, pitch, rad
        ("posture", "f8", (4,)),  # wanted of the body, beside what the gait says: height, m, roll, pitch, and yaw from the heading, rad
        ("reference_twist", "f8"),  # yaw of the body from the heading, rad
        ("base_yaw", "f8"),  # the part of it that is the gait's, which the feet follow, as far as it has come, rad
        ("ground_height", "f8"),  # under the base, m
        ("ground_slope", "f8", (2,)),  # rise over length along x and y of odom
        ("fault", "i8"),
    ],
    align=True,
)
"""The whole memory of the planner: with it and a STATE, a trace goes on from where the robot is."""

PLAN = np.dtype(
    [
        ("phase", "f8"),
        ("moving", "i8"),
        ("base_position", "f8", (3,)),  # reference, m
        ("base_roll_pitch_yaw", "f8", (3,)),  # reference, rad
        ("base_twist", "f8"),  # the part of its yaw that is no heading: commands count without it, rad
        ("base_velocity", "f8", (3,)),  # reference, m/s
        ("base_rate", "f8", (3,)),  # reference, rad/s
        ("base_acceleration", "f8", (3,)),  # linear, of the reference, m/s^2
        ("mode", "i8", (4,)),
        ("planned_contact", "i8", (4,)),
        ("foot_position", "f8", (4, 3)),  # m
        ("foot_velocity", "f8", (4, 3)),  # m/s
        ("foot_acceleration", "f8", (4, 3)),  # m/s^2
        ("load", "f8", (4,)),  # 0 to 1
        ("time_to_next_event", "f8", (4,)),  # s
        ("normal", "f8", (4, 3)),  # out of the ground
        ("friction", "f8", (4,)),
    ],
    align=True,
)
"""What the planner asks for at one tick."""

PLANNER_SETTINGS = np.dtype(
    [
        ("contact_threshold", "f8"),
        ("minimum_swing_time", "f8"),
        ("early_contact_from", "f8"),
        ("lost_contact_time", "f8"),
        ("reach_speed", "f8"),
        ("reach_depth", "f8"),
        ("reach_lag", "f8"),
        ("held_up_time", "f8"),
        ("reach_time", "f8"),
        ("touchdown_speed", "f8"),
        ("load_ramp", "f8"),
        ("hold_speed", "f8"),
        ("hold_leash", "f8"),
        ("acceleration_limit", "f8", (3,)),
        ("position_leash", "f8"),
        ("yaw_leash", "f8"),
        ("posture_speed", "f8"),
        ("tilt_speed", "f8"),
        ("posture_limit", "f8", (4,)),
        ("ground_time_constant", "f8"),
        ("slope_limit", "f8"),
        ("replan_speed", "f8"),
    ],
    align=True,
)
"""See `settings.PlannerSettings`, which this mirrors field by field."""
