# SPDX-License-Identifier: Apache-2.0
"""The convex, complementarity-free inverse dynamics with Coulomb friction in two stages [Zapolsky and Drumwright 2016, section 6].

Stage I finds contact forces by the convex contact model for prescribed joint accelerations; Stage II keeps the motion that they
produce and picks, among the forces that produce it, those with the smallest joint torques. `locomotion.compiled` holds the same
law for batches. What is computed is written down in matrices, and compiled as it stands: most of the time would go by between their
products otherwise.
"""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.active_set import SOLVED as PROGRAM_SOLVED
from surefoot.contact.pyramid import ROWS_PER_CONTACT
from surefoot.contact.quadratic_program import solve_program
from surefoot.inverse_dynamics.contact_problem import ContactProblem
from surefoot.inverse_dynamics.law import FAILED, REGULARISATION, RELAXED, SOLVED, TORQUE_REGULARISATION
from surefoot.inverse_dynamics.prescribed_motion import InverseDynamics
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms, RobotModel
from surefoot.robot.spatial import solve_positive_definite

Array = NDArray[np.float64]


def base_accelerations(terms: RigidBodyTerms, contacts: ContactProblem, joint_acceleration: Array) -> Array | None:
    """Base acceleration of prescribed joint accelerations by contact force and, in the last column, without any, (6, 3 n + 1).

    That is A^-1 [J_b^T, -(h_b + B v_q')], with A and B the base rows of the mass matrix; None where A is not positive definite.
    """
    accelerations = np.empty((6, len(contacts.jacobian) + 1))
    solved = _base_accelerations(terms.mass_matrix, terms.bias, contacts.jacobian, joint_acceleration, accelerations)
    return accelerations if solved else None


@compiled
def _base_accelerations(mass: Array, bias: Array, jacobian: Array, joint_acceleration: Array, accelerations: Array) -> bool:
    size = len(jacobian)
    accelerations[:, :size] = jacobian[:, :6].T
    accelerations[:, size] = -(np.ascontiguousarray(mass[:6, 6:]) @ joint_acceleration) - bias[:6]
    return bool(solve_positive_definite(mass[:6, :6].copy(), accelerations, 6, size + 1))


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
    force = np.empty(len(contacts.velocity))
    status = _stage_one(
        contacts.jacobian, contacts.normals, contacts.velocity, contacts.bias_acceleration, contacts.acceleration,
        np.ascontiguousarray(contacts.internal), contacts.rows, contacts.bounds, by_force, joint_acceleration, contact_velocity_gain, dt,
        force,
    )  # fmt: skip
    return force, status


@compiled
def _stage_one(
    jacobian: Array, normals: Array, velocity: Array, bias_acceleration: Array, planned: Array, internal: Array, pyramid_rows: Array,
    pyramid_bounds: Array, by_force: Array, joint_acceleration: Array, contact_velocity_gain: float, dt: float, force: Array,
) -> int:  # fmt: skip
    size, pyramids = len(velocity), len(pyramid_bounds)
    # Contact accelerations, but for the bias: by force, without force, and the one that is wanted.
    response = np.ascontiguousarray(jacobian[:, :6]) @ by_force
    by_contact_force = np.ascontiguousarray(response[:, :size])
    free = response[:, size] + np.ascontiguousarray(jacobian[:, 6:]) @ joint_acceleration
    wanted = planned - contact_velocity_gain * velocity - bias_acceleration

    rows, bounds = np.empty((pyramids + size // 3, size)), np.empty(pyramids + size // 3)
    rows[:pyramids], bounds[:pyramids] = pyramid_rows, pyramid_bounds
    for contact in range(size // 3):
        own, normal = slice(3 * contact, 3 * contact + 3), normals[contact]
        rows[pyramids + contact] = normal @ by_contact_force[own]
        # A foot that is measured sinking is braked like any other, not thrown up within one tick.
        lowest = min(normal @ velocity[own] / -dt, normal @ wanted[own])
        bounds[pyramids + contact] = lowest - normal @ free[own] - 1e-9

    # A stretched leg that cannot follow the base leaves a velocity that no motion of the base can mend: it must not drive internal
    # forces, or the objective would not be one of the motion alone and Stage II could not keep it.
    gradient = free - wanted
    gradient -= internal @ (gradient @ internal)
    hessian = by_contact_force + REGULARISATION * np.trace(by_contact_force) * np.eye(size)
    multiplier = np.empty(len(bounds))
    if solve_program(hessian, gradient, rows, bounds, force, multiplier) == PROGRAM_SOLVED:
        return SOLVED
    bounds[1:pyramids:ROWS_PER_CONTACT] = -1e12
    return RELAXED if solve_program(hessian, gradient, rows, bounds, force, multiplier) == PROGRAM_SOLVED else FAILED


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
    moved = force.copy()
    status = _stage_two(
        contacts.jacobian, contacts.loaded_joints, np.ascontiguousarray(contacts.internal), contacts.rows, contacts.bounds, torque,
        effort_limit, moved,
    )  # fmt: skip
    return moved, status


@compiled
def _stage_two(
    jacobian: Array, loaded: NDArray[np.bool_], basis: Array, pyramid_rows: Array, pyramid_bounds: Array, torque: Array,
    effort_limit: Array, force: Array,
) -> int:  # fmt: skip
    free, pyramids, by_joint = basis.shape[1], len(pyramid_bounds), np.ascontiguousarray(jacobian[:, 6:])
    if free == 0:
        return SOLVED
    # Joints of unloaded legs, which no contact force turns, are left out; a foot with several contact points does not count its own twice.
    start, by_step = (torque - force @ by_joint) * loaded, -(by_joint.T @ basis)
    hessian, gradient = by_step.T @ by_step, start @ by_step
    hessian += TORQUE_REGULARISATION * np.trace(hessian) * np.eye(free)
    rows, bounds = np.empty((pyramids + 24, free)), np.empty(pyramids + 24)
    rows[:pyramids] = pyramid_rows @ basis
    # Stage I holds its bounds up to rounding; no step must stay feasible.
    bounds[:pyramids] = np.minimum(pyramid_bounds - pyramid_rows @ force, 0.0) - 1e-10 * (1.0 + np.abs(force).max())
    rows[pyramids:-12], rows[-12:] = by_step, -by_step
    bounds[pyramids:-12], bounds[-12:] = -effort_limit - start, start - effort_limit
    step, multiplier, status = np.empty(free), np.empty(len(bounds)), SOLVED
    if solve_program(hessian, gradient, rows, bounds, step, multiplier) != PROGRAM_SOLVED:
        status = RELAXED
        if solve_program(hessian, gradient, rows[:pyramids], bounds[:pyramids], step, multiplier[:pyramids]) != PROGRAM_SOLVED:
            return status
    force += basis @ step
    return status


def two_stage(
    model: RobotModel, gains: ControlDescription, terms: RigidBodyTerms, contacts: ContactProblem, joint_acceleration: Array, dt: float
) -> InverseDynamics:
    """Both stages: a `ContactLaw`."""
    force, torque, base_acceleration = np.empty(len(contacts.velocity)), np.empty(12), np.empty(6)
    status = _two_stage(
        terms.mass_matrix, terms.bias, contacts.jacobian, contacts.loaded_joints, contacts.normals, contacts.velocity,
        contacts.bias_acceleration, contacts.acceleration, np.ascontiguousarray(contacts.internal), contacts.rows, contacts.bounds,
        joint_acceleration, gains.contact_velocity_gain, model.effort_limit, dt, force, torque, base_acceleration,
    )  # fmt: skip
    return InverseDynamics(force, torque, base_acceleration, status)


@compiled
def _two_stage(
    mass: Array, bias: Array, jacobian: Array, loaded: NDArray[np.bool_], normals: Array, velocity: Array, bias_acceleration: Array,
    planned: Array, internal: Array, rows: Array, bounds: Array, joint_acceleration: Array, contact_velocity_gain: float,
    effort_limit: Array, dt: float, force: Array, torque: Array, base_acceleration: Array,
) -> int:  # fmt: skip
    force[:], torque[:], base_acceleration[:] = np.nan, np.nan, np.nan
    by_force, status = np.empty((6, len(jacobian) + 1)), SOLVED
    if not _base_accelerations(mass, bias, jacobian, joint_acceleration, by_force):
        return FAILED
    if len(jacobian):
        status = _stage_one(
            jacobian, normals, velocity, bias_acceleration, planned, internal, rows, bounds, by_force, joint_acceleration,
            contact_velocity_gain, dt, force,
        )  # fmt: skip
        if status == FAILED:
            return FAILED
    base_acceleration[:] = np.ascontiguousarray(by_force[:, :-1]) @ force + by_force[:, -1]
    torque[:] = mass[6:] @ np.concatenate((base_acceleration, joint_acceleration)) + bias[6:]
    if len(jacobian):
        status = max(status, _stage_two(jacobian, loaded, internal, rows, bounds, torque, effort_limit, force))
        torque -= force @ np.ascontiguousarray(jacobian[:, 6:])
    return status
