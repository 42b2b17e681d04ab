# SPDX-License-Identifier: Apache-2.0
"""The convex, complementarity-free inverse dynamics with Coulomb friction in two stages [Zapolsky and Drumwright 2016, section 6].

Stage I finds contact forces by the convex contact model for prescribed joint accelerations; Stage II keeps the motion that they
produce and picks, among the forces that produce it, those with the smallest joint torques. `locomotion.compiled` holds the same
law compiled.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from surefoot.contact.quadratic_program import solve_quadratic_program
from surefoot.inverse_dynamics.contact_problem import ContactProblem
from surefoot.inverse_dynamics.law import FAILED, REGULARISATION, RELAXED, SOLVED, TORQUE_REGULARISATION
from surefoot.inverse_dynamics.prescribed_motion import InverseDynamics
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]


def base_accelerations(terms: RigidBodyTerms, contacts: ContactProblem, joint_acceleration: Array) -> Array | None:
    """Base acceleration of prescribed joint accelerations by contact force and, in the last column, without any, (6, 3 n + 1).

    That is A^-1 [J_b^T, -(h_b + B v_q')], with A and B the base rows of the mass matrix; None where A is not positive definite.
    """
    right = np.empty((len(contacts.jacobian) + 1, 6))
    right[:-1] = contacts.jacobian[:, :6]
    np.subtract(-terms.mass_matrix[:6, 6:].dot(joint_acceleration), terms.bias[:6], out=right[-1])
    _, accelerations, refusal = dposv(terms.mass_matrix[:6, :6], right.T)
    return accelerations if refusal == 0 else None


def stage_one(
    contacts: ContactProblem, by_force: Array, joint_acceleration: Array, contact_velocity_gain: float, dt: float
) -> tuple[Array, int]:
    """Contact forces of the convex contact model for prescribed joint accelerations.

    Minimises 1/2 f^T W f + f^T c / dt with W = J_b A^-1 J_b^T, where J_b is the base block of the contact Jacobian and c the contact
    velocity at the end of the tick without contact forces minus the one that the joints are moved for [Eq. 74], subject to the
    friction pyramids and to non-interpenetration of the end velocity. The printed reduced form, Eq. 97, has J_b (v_b + A^-1 B v_q) in
    the place of the contact velocity J_b v_b + J_q v_q, which brakes a robot that walks without slip.

    Args:
        by_force: see `base_accelerations`.
        joint_acceleration: (12,), rad/s^2.
        contact_velocity_gain: the joints are moved so that the feet brake with this rate, 1/s.
        dt: control period, s.

    Returns:
        Forces, (3 n,), N, and SOLVED, RELAXED (loads above their bounds) or FAILED.
    """
    size, pyramids = len(contacts.velocity), len(contacts.bounds)
    # Contact accelerations, but for the bias: by force, without force, and the one that is wanted.
    response = contacts.jacobian[:, :6].dot(by_force)
    by_contact_force = np.ascontiguousarray(response[:, :-1])
    free = response[:, -1] + contacts.jacobian[:, 6:].dot(joint_acceleration)
    wanted = -contact_velocity_gain * contacts.velocity - contacts.bias_acceleration

    rows, bounds = np.empty((pyramids + size // 3, size)), np.empty(pyramids + size // 3)
    rows[:pyramids], bounds[:pyramids] = contacts.rows, contacts.bounds
    along_normals = contacts.along_normals
    along_normals.dot(by_contact_force, out=rows[pyramids:])
    # A foot that is measured sinking is braked like any other, not thrown up within one tick.
    lowest = np.minimum(along_normals.dot(contacts.velocity / -dt), along_normals.dot(wanted))
    bounds[pyramids:] = lowest - along_normals.dot(free) - 1e-9

    # A stretched leg that cannot follow the base leaves a velocity that no motion of the base can mend: it must not drive internal
    # forces, or the objective would not be one of the motion alone and Stage II could not keep it.
    gradient = free - wanted
    gradient -= contacts.internal.dot(gradient.dot(contacts.internal))
    hessian = regularised(by_contact_force, REGULARISATION)
    result = solve_quadratic_program(hessian, gradient, rows, bounds)
    if result.solved:
        return result.solution, SOLVED
    bounds[:pyramids] = contacts.bounds_without_load_limits(-1e12)
    result = solve_quadratic_program(hessian, gradient, rows, bounds)
    return result.solution, RELAXED if result.solved else FAILED


def stage_two(contacts: ContactProblem, force: Array, torque: Array, effort_limit: Array) -> tuple[Array, int]:
    """Move contact forces inside the null space of their base wrench to where the joint torques are smallest.

    Minimises 1/2 |torque|^2 [Eq. 106-110] over the joints of the loaded legs, inside the pyramids and the torque limits. The wrench
    on the base, and with it the motion and the energy, stays.

    Args:
        force: of Stage I, (3 n,), N.
        torque: joint torques of the motion without contact forces, (12,), N m.
        effort_limit: (12,), N m.

    Returns:
        Forces, (3 n,), N, and SOLVED, or RELAXED where the torque limits cannot all hold.
    """
    basis = contacts.internal
    if not basis.shape[1]:
        return force, SOLVED
    # Joints of unloaded legs, which no contact force turns, are left out; a foot with several contact points does not count its own twice.
    pyramids, loaded = len(contacts.bounds), contacts.loaded_joints
    torque_by_force = contacts.jacobian[:, 6:].T
    start, by_step = (torque - torque_by_force.dot(force)) * loaded, torque_by_force.dot(-basis)
    gradient, hessian = start.dot(by_step), regularised(by_step.T.dot(by_step), TORQUE_REGULARISATION)
    rows, bounds = np.empty((pyramids + 24, len(hessian))), np.empty(pyramids + 24)
    contacts.rows.dot(basis, out=rows[:pyramids])
    # Stage I holds its bounds up to rounding; no step must stay feasible.
    bounds[:pyramids] = np.minimum(contacts.bounds - contacts.rows.dot(force), 0.0) - 1e-10 * (1.0 + max(abs(force).tolist()))
    rows[pyramids:-12], rows[-12:] = by_step, -by_step
    bounds[pyramids:-12], bounds[-12:] = -effort_limit - start, start - effort_limit
    result, status = solve_quadratic_program(hessian, gradient, rows, bounds), SOLVED
    if not result.solved:
        result, status = solve_quadratic_program(hessian, gradient, rows[:pyramids], bounds[:pyramids]), RELAXED
    return (force + basis.dot(result.solution) if result.solved else force), status


def regularised(hessian: Array, weight: float) -> Array:
    """A Hessian, C-contiguous and changed in place, with a part of its trace added to its diagonal."""
    diagonal = hessian.ravel()[:: len(hessian) + 1]
    diagonal += weight * sum(diagonal.tolist())
    return hessian


def two_stage(
    model: RobotModel, gains: ControlDescription, terms: RigidBodyTerms, contacts: ContactProblem, joint_acceleration: Array, dt: float
) -> InverseDynamics:
    """Both stages: a `ContactLaw`."""
    status, torque_status, force = SOLVED, SOLVED, np.empty(0)
    by_force = base_accelerations(terms, contacts, joint_acceleration)
    if by_force is not None and len(contacts.legs):
        force, status = stage_one(contacts, by_force, joint_acceleration, gains.contact_velocity_gain, dt)
    if by_force is None or status == FAILED:
        return InverseDynamics(force, np.full(12, np.nan), np.full(6, np.nan), FAILED)
    base_acceleration = by_force[:, :-1].dot(force) + by_force[:, -1]
    torque = terms.mass_matrix[6:].dot(np.concatenate((base_acceleration, joint_acceleration))) + terms.bias[6:]
    if len(contacts.legs):
        force, torque_status = stage_two(contacts, force, torque, model.effort_limit)
    return InverseDynamics(force, torque - force.dot(contacts.jacobian[:, 6:]), base_acceleration, max(status, torque_status))
