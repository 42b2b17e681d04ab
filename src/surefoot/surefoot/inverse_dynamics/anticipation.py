# SPDX-License-Identifier: Apache-2.0
"""Contacts that are not there yet: a foot that closes its gap within a tick bears load in it [Zapolsky and Drumwright 2016, Eq. 36]."""

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.model import GRAVITY, RigidBodyTerms

Array = NDArray[np.float64]

LOAD = 0.1
"""Of the bound on the force of a foot, that a foot may bear in the tick in which it lands: as much as the planner begins with."""


def anticipate_contacts(plan: np.void, terms: RigidBodyTerms, gaps: Array, contact_velocity_gain: float, dt: float) -> None:
    """Put what the gaps between feet and ground say of this tick into a plan.

    A foot lands if it would go deeper than its gap within the tick if it fell; one that swings does so on its way down only. It then bears
    load, and is planned to have the normal velocity -phi / dt at the end of the tick, which is where every law bounds it. A foot that is
    apart and does not land bears none, whatever the timetable says. The plan of a foot that touches stays as it is.

    It takes gaps that are known to a part of what a foot goes in a tick: below a millimetre. The ground that a walking robot believes in
    is not known as well, so that the planner gives load to feet that have been felt to touch.

    Args:
        plan: a PLAN record; load and planned acceleration of the feet that are apart are written.
        terms: of the robot.
        gaps: signed distances phi of the feet from the ground along their normals, (4,), m; up to 0 the foot touches.
        contact_velocity_gain: with which laws brake a loaded foot, 1/s.
        dt: control period, s.
    """
    along = np.einsum("li,li->l", plan["normal"], terms.foot_velocities)
    apart = gaps > 0.0
    lands = apart & (gaps + dt * along - GRAVITY * dt**2 < 0.0) & ((plan["load"] > 0.0) | (along < 0.0))
    plan["load"][apart & ~lands] = 0.0
    plan["load"][lands] = np.maximum(plan["load"][lands], LOAD)
    # Laws brake by the gain what this does not.
    at_the_ground = contact_velocity_gain * along - (along + gaps / dt) / dt
    plan["foot_acceleration"][lands] = at_the_ground[lands, np.newaxis] * plan["normal"][lands]
