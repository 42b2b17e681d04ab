# SPDX-License-Identifier: Apache-2.0
"""The records of the compiled judgement."""

import numpy as np

LIMITS = np.dtype(
    [
        ("on", "i8", (12,)),  # which of the library's requirements are asked for, in the order of `built_in.BUILT_IN`
        ("period", "f8"),  # s
        ("foot_force_threshold", "f8"),  # N
        ("slip_speed", "f8"),  # m/s, of the point of a foot that touches the ground
        ("deepest_start", "f8"),  # m
        ("largest_roll", "f8"),  # rad
        ("largest_pitch", "f8"),  # rad
        ("lowest_base", "f8"),  # m
        ("joint_lower", "f8", (12,)),  # rad
        ("joint_upper", "f8", (12,)),  # rad
        ("joint_give", "f8"),  # rad
        ("hip_in_base", "f8", (4, 3)),  # m
        ("farthest_foot", "f8"),  # m
        ("effort_limit", "f8", (12,)),  # N m
        ("velocity_limit", "f8", (12,)),  # rad/s
        ("longest_overload", "f8"),  # s
        ("self_give", "f8"),  # m
        ("ground_give", "f8"),  # m
        ("near", "f8"),  # m, beyond which a distance is no longer told apart
        ("longest_scuff", "f8"),  # m
        ("steepest_touch", "f8"),  # sine of the direction of the ground's push above the horizontal
        ("stub_give", "f8"),  # m
    ],
    align=True,
)
"""Limits of the library's requirements for one robot."""

MEMORY = np.dtype(
    [
        ("ticks", "i8"),  # judged so far
        ("swinging", "i8", (4,)),  # whether each foot was in the air by the plan of the tick before
        ("foot", "f8", (4, 3)),  # centre of each foot at the tick before, m
        ("foot_rotation", "f8", (4, 9)),
        ("sliding", "i8", (4,)),
        ("scuffed", "f8", (4,)),  # how far each swinging foot was dragged along the ground since it bore load, m
        ("overloaded", "f8", (12,)),  # how long each servo has been beyond its limits, s
    ],
    align=True,
)
"""What a judge remembers of a particle from tick to tick [Zapolsky 2017, section 5.1: auxiliary variables]."""
