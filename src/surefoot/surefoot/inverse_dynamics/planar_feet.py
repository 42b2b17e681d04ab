# SPDX-License-Identifier: Apache-2.0
"""The loaded feet of a plan as soles that stay flat on the ground: a wrench for each in the place of a force."""

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.cone import contact_frames
from surefoot.contact.wrench_cone import ROWS_PER_WRENCH, YAW_ROWS, Sole, wrench_cone
from surefoot.inverse_dynamics.desired import wanted_foot_accelerations
from surefoot.inverse_dynamics.whole_body_contacts import LoadedFeet
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import FootRotationTerms, RigidBodyTerms

Array = NDArray[np.float64]


def planar_feet(
    terms: RigidBodyTerms, rotation: FootRotationTerms, plan: np.void, gains: ControlDescription, sole: Sole
) -> LoadedFeet:
    """The feet with a load above 0, braked to rest and kept from turning [Chatzinikolaidis 2021, Eq. 4.8c and 4.8d].

    Each has six components, force, N, and moment about its centre, N m, in odom axes. The sole lies in the plane of the planned normal,
    its length along the x axis of the link that carries the foot.

    With three joints a leg two feet that stay flat and the body between them leave next to no motion: it is for robots with ankles.

    Args:
        terms, rotation: of the feet at the same instant.
        plan: a PLAN record.
        gains: of the robot.
        sole: of every foot.
    """
    legs = (plan["load"] > 0.0).nonzero()[0]
    linear = wanted_foot_accelerations(gains, plan, terms) - terms.foot_bias_accelerations
    angular = -gains.contact_velocity_gain * rotation.velocities - rotation.bias_accelerations
    jacobian = np.concatenate((terms.foot_jacobians[legs], rotation.jacobians[legs]), axis=1).reshape(-1, 18)
    wanted = np.concatenate((linear[legs], angular[legs]), axis=1).ravel()
    cones = [
        wrench_cone(sole_frame(plan["normal"][leg], rotation.odom_from_link[leg, :, 0]), float(plan["friction"][leg]), largest, sole)
        for leg, largest in zip(legs, plan["load"][legs] * gains.foot_force_limit, strict=True)
    ]
    size, each = 6 * len(legs), ROWS_PER_WRENCH + YAW_ROWS * sole.bounds_yaw
    rows, bounds = np.zeros((each * len(legs), size)), np.zeros(each * len(legs))
    for foot, (cone, bound) in enumerate(cones):
        own = slice(each * foot, each * (foot + 1))
        rows[own, 6 * foot : 6 * foot + 6], bounds[own] = cone, bound
    return LoadedFeet(legs, jacobian, wanted, np.eye(size), rows, bounds)


def sole_frame(normal: Array, forward: Array) -> Array:
    """Rows normal, along and across, (3, 3), of a sole on a plane: along is the link's forward axis laid into the plane."""
    along = forward - (forward @ normal) * normal
    length = float(np.linalg.norm(along))
    if length < 1e-6:
        # The link stands on its toe: any direction in the plane is as good.
        (frame,) = contact_frames(normal[np.newaxis])
        return np.asarray(frame)
    along /= length
    return np.array((normal, along, np.cross(normal, along)))
