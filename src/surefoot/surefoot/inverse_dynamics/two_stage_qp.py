# SPDX-License-Identifier: Apache-2.0
"""The convex, complementarity-free inverse dynamics with Coulomb friction in two stages [Zapolsky and Drumwright 2016, section 6].

Stage I finds contact forces by the convex contact model for prescribed joint accelerations; Stage II keeps the motion that they
produce and picks, among the forces that produce it, those with the smallest joint torques. `locomotion.compiled` holds the same
law compiled.
"""

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.quadratic_program import solve_quadratic_program
from surefoot.inverse_dynamics.contact_problem import ContactProblem
from surefoot.inverse_dynamics.law import FAILED, REGULARISATION, RELAXED, SOLVED, TORQUE_REGULARISATION
from surefoot.inverse_dynamics.prescribed_motion import InverseDynamics
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]


def stage_one(
    terms: RigidBodyTerms, contacts: ContactProblem, joint_acceleration: Array, contact_velocity_gain: float, dt: float
) -> tuple[Array, int]:
    """Contact forces of the convex contact model for prescribed joint accelerations.

    Minimises 1/2 f^T W f + f^T c / dt with W = J_b A^-1 J_b^T, where J_b is the base block of the contact Jacobian and c the contact
    velocity at the end of the tick without contact forces minus the one that the joints are moved for [Eq. 74], subject to the
    friction pyramids and to non-interpenetration of the end velocity. The printed reduced form, Eq. 97, has J_b (v_b + A^-1 B v_q) in
    the place of the contact velocity J_b v_b + J_q v_q, which brakes a robot that walks without slip.

    Args:
        joint_acceleration: (12,), rad/s^2.
        contact_velocity_gain: the joints are moved so that the feet brake with this rate, 1/s.
        dt: control period, s.

    Returns:
        Forces, (3 n,), N, and SOLVED, RELAXED (loads above their bounds) or FAILED.
    """
    wrench_map, base_jacobian = contacts.wrench_map, contacts.jacobian[:, :6]
    load = terms.bias[:6] + terms.mass_matrix[:6, 6:] @ joint_acceleration
    spread = np.linalg.solve(terms.mass_matrix[:6, :6], np.column_stack((wrench_map, -load)))
    velocity_by_force = base_jacobian @ spread[:, :-1]
    free = contacts.velocity + dt * (base_jacobian @ spread[:, -1] + contacts.jacobian[:, 6:] @ joint_acceleration)
    target = (1.0 - contact_velocity_gain * dt) * contacts.velocity - dt * contacts.bias_acceleration

    size = len(free)
    hessian = velocity_by_force + REGULARISATION * np.trace(velocity_by_force) * np.eye(size)
    hessian = 0.5 * (hessian + hessian.T)
    along_normals = np.zeros((len(contacts.legs), size))
    for contact, normal in enumerate(contacts.normals):
        along_normals[contact, 3 * contact : 3 * contact + 3] = normal
    # A foot that is measured sinking is braked like any other, not thrown up within one tick.
    lowest = np.minimum(0.0, along_normals @ target)
    rows = np.vstack((contacts.rows, along_normals @ velocity_by_force))
    leaving = (lowest - along_normals @ free) / dt - 1e-9

    # A stretched leg that cannot follow the base leaves a velocity that no motion of the base can mend: it must not drive internal
    # forces, or the objective would not be one of the motion alone and Stage II could not keep it.
    gap = free - target
    gap -= contacts.internal @ (contacts.internal.T @ gap)
    gradient = gap / dt
    result = solve_quadratic_program(hessian, gradient, rows, np.concatenate((contacts.bounds, leaving)))
    if result.solved:
        return result.solution, SOLVED
    result = solve_quadratic_program(hessian, gradient, rows, np.concatenate((contacts.bounds_without_load_limits(-1e12), leaving)))
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
    # A foot with several contact points must not count its joints more than once.
    joints = (6 + 3 * np.unique(contacts.legs)[:, np.newaxis] + np.arange(3)).ravel()
    torque_by_force = -contacts.jacobian[:, joints].T
    start, by_step = torque[joints - 6] + torque_by_force @ force, torque_by_force @ basis
    hessian = by_step.T @ by_step
    hessian += TORQUE_REGULARISATION * np.trace(hessian) * np.eye(len(hessian))
    # Stage I holds its bounds up to rounding; no step must stay feasible.
    pyramid_bounds = np.minimum(contacts.bounds - contacts.rows @ force, 0.0) - 1e-10 * (1.0 + np.max(np.abs(force)))
    pyramid_rows = contacts.rows @ basis
    limit = effort_limit[joints - 6]
    rows = np.vstack((pyramid_rows, by_step, -by_step))
    bounds = np.concatenate((pyramid_bounds, -limit - start, start - limit))
    result, status = solve_quadratic_program(hessian, by_step.T @ start, rows, bounds), SOLVED
    if not result.solved:
        result, status = solve_quadratic_program(hessian, by_step.T @ start, pyramid_rows, pyramid_bounds), RELAXED
    return (force + basis @ result.solution if result.solved else force), status


def two_stage(
    model: RobotModel, gains: ControlDescription, terms: RigidBodyTerms, contacts: ContactProblem, joint_acceleration: Array, dt: float
) -> InverseDynamics:
    """Both stages: a `ContactLaw`."""
    status, torque_status, force = SOLVED, SOLVED, np.empty(0)
    if len(contacts.legs):
        force, status = stage_one(terms, contacts, joint_acceleration, gains.contact_velocity_gain, dt)
    if status == FAILED:
        return InverseDynamics(force, np.full(12, np.nan), np.full(6, np.nan), FAILED)
    base_mass, coupling = terms.mass_matrix[:6, :6], terms.mass_matrix[:6, 6:]
    load = terms.bias[:6] + coupling @ joint_acceleration
    base_acceleration = np.asarray(np.linalg.solve(base_mass, contacts.wrench_map @ force - load), dtype=np.float64)
    torque = terms.mass_matrix[6:] @ np.concatenate((base_acceleration, joint_acceleration)) + terms.bias[6:]
    if len(contacts.legs):
        force, torque_status = stage_two(contacts, force, torque, model.effort_limit)
    return InverseDynamics(force, torque - contacts.jacobian[:, 6:].T @ force, base_acceleration, max(status, torque_status))
