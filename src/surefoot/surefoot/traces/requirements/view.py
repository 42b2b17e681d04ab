# SPDX-License-Identifier: Apache-2.0
"""What a requirement gets to see of the particles of a trace."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class TraceView(NamedTuple):
    """The particles of a trace at one tick; live arrays that must not be written.

    Attributes:
        qpos: position above the believed ground, quaternion w x y z, joints, (n, 19), m, rad.
        qvel: of the base, linear in axes of the world and angular in its own, and of the joints, (n, 18), m/s, rad/s.
        planner: n PLANNER records.
        plan: n PLAN records, of this tick.
        control: n CONTROL records, of this tick.
        load: normal force on each foot, (n, 4), N.
        torque, speed: of each servo as it last was in the physics, (n, 12), N m, rad/s; zero at the first tick.
        geom_position, geom_rotation: of each geom of the simulation, (n, g, 3), m, and (n, g, 9), up to a physics step old.
        height: of the believed ground of each in odom, (n,), m.
    """

    qpos: Array
    qvel: Array
    planner: np.ndarray
    plan: np.ndarray
    control: np.ndarray
    load: Array
    torque: Array
    speed: Array
    geom_position: Array
    geom_rotation: Array
    height: Array
