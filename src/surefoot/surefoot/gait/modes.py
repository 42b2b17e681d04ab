# SPDX-License-Identifier: Apache-2.0
"""The four modes of a foot [Zapolsky 2017, Alg. 7 and Fig. 67] and the faults of the planner."""

STANCE = 0
"""On the ground and driving the base."""
SWING = 1
"""In the air on its spline."""
REACH = 2
"""Recovery: the planned touchdown has passed without contact, the foot goes down to look for the ground."""
SUPPORT = 3
"""Recovery: the planned liftoff has passed, but another foot still reaches, so this one bears load meanwhile."""

MODE_NAMES = ("stance", "swing", "reach", "support")

NO_FAULT = 0
GROUND_NOT_FOUND = 1
"""A foot reached to its limit of depth or time without finding ground. The robot stops, and the foot steps back under it."""
GROUND_FOUND_AGAIN = 2
"""After that, the foot stands. The robot goes on once it is asked for no speed."""

FAULT_TEXT = {
    NO_FAULT: "",
    GROUND_NOT_FOUND: "a foot reached down to its limit without finding ground: the robot stops and steps back",
    GROUND_FOUND_AGAIN: "a foot found no ground and stepped back: let go of the sticks, or say /cmd_vel zero, to walk on",
}
