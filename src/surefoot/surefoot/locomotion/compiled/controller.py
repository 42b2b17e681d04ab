# SPDX-License-Identifier: Apache-2.0
"""One tick of the balance controller, compiled: from a plan to joint torques by way of inverse dynamics with contact.

1. The errors of the base become a wanted base acceleration.
2. `balance` finds the base acceleration nearest to it that the loaded feet can produce inside their friction pyramids.
3. Each leg gets the joint acceleration that goes with it: loaded feet stay, the others follow their path.
4. The two-stage inverse dynamics gives contact forces and torques for those joint accelerations.

`inverse_dynamics` holds the same law in its readable form.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.pyramid import ROWS_PER_CONTACT, contact_frame, pyramid_rows
from surefoot.inverse_dynamics.joint_range import keep_swing_in_range
from surefoot.inverse_dynamics.law import FAILED, SOLVED
from surefoot.locomotion.compiled.balance import balance
from surefoot.locomotion.compiled.desired import leg_accelerations, wanted_base_acceleration
from surefoot.locomotion.compiled.inputs import read_inputs
from surefoot.locomotion.compiled.joint_targets import joint_targets
from surefoot.locomotion.compiled.two_stage import drop_internal, internal_forces, stage_one, stage_two
from surefoot.robot.spatial import solve_general, solve_positive_definite
from surefoot.stack_arrays import stack_integers, stack_matrix, stack_vector

Array = NDArray[np.float64]


@compiled
def loaded_legs(plan: Any, legs: Any) -> int:
    """Write the legs that may bear load, in order, into (4,), and return how many there are."""
    count = 0
    for leg in range(4):
        if plan.load[leg] > 0.0:
            legs[count] = leg
            count += 1
    return count


@compiled
def contact_problem(gains: Any, plan: Any, terms: Any, legs: Any, contacts: int, wrench_map: Array, rows: Array, bounds: Array) -> None:
    """Write the wrench map of n loaded feet (6, 3 n) and their force pyramids (6 n, 3 n), (6 n,); the arrays may be larger."""
    frame = stack_matrix(3, 3)
    wrench_map[:] = 0.0
    for contact in range(contacts):
        leg = legs[contact]
        x, y, z = terms.foot_position[leg, 0], terms.foot_position[leg, 1], terms.foot_position[leg, 2]
        c = 3 * contact
        for i in range(3):
            wrench_map[i, c + i] = 1.0
        wrench_map[3, c + 1], wrench_map[3, c + 2] = -z, y
        wrench_map[4, c], wrench_map[4, c + 2] = z, -x
        wrench_map[5, c], wrench_map[5, c + 1] = -y, x
        contact_frame(plan.normal[leg], frame)
        pyramid_rows(contact, frame, plan.friction[leg], 0.0, plan.load[leg] * gains.foot_force_limit, rows, bounds)


@compiled
def contact_velocities(
    gains: Any, plan: Any, terms: Any, legs: Any, size: int, wrench_map: Array, spread: Array, joint_acceleration: Array, dt: float,
    gap: Array, rows: Array, bounds: Array,
) -> None:  # fmt: skip
    """Write what Stage I needs to know of the contact velocities at the end of the tick.

    Args:
        size: number of force components, 3 n; the arrays may be larger than needed.
        spread: A^-1 [wrench map, - load of the prescribed joint motion], (6, 3 n + 1).
        joint_acceleration: prescribed, (4, 3), rad/s^2.
        gap: velocity without contact forces minus the one that the joints are moved for, (3 n,), written, m/s.
        rows, bounds: non-interpenetration N v+ >= 0, (n, 3 n) and (n,), written.
    """
    for contact in range(size // 3):
        leg = legs[contact]
        normal_free, normal_target = 0.0, 0.0
        for i in range(3):
            c = 3 * contact + i
            free = terms.foot_velocity[leg, i]
            for k in range(6):
                free += dt * wrench_map[k, c] * spread[k, size]
            for k in range(3):
                free += dt * terms.foot_jacobian[leg, i, k] * joint_acceleration[leg, k]
            target = (1.0 - gains.contact_velocity_gain * dt) * terms.foot_velocity[leg, i]
            target += dt * (plan.foot_acceleration[leg, i] - terms.foot_bias_acceleration[leg, i])
            gap[c] = free - target
            normal_free += plan.normal[leg, i] * free
            normal_target += plan.normal[leg, i] * target
        # A foot that is measured sinking is braked like any other, not thrown up within one tick.
        bounds[contact] = (min(0.0, normal_target) - normal_free) / dt - 1e-9
        for j in range(size):
            rows[contact, j] = 0.0
        for i in range(3):
            for k in range(6):
                share = plan.normal[leg, i] * wrench_map[k, 3 * contact + i]
                # Most of the wrench map is empty.
                if share != 0.0:
                    for j in range(size):
                        rows[contact, j] += share * spread[k, j]


@compiled
def joint_torques(terms: Any, base_acceleration: Array, joint_acceleration: Array, torque: Array) -> None:
    """Joint torques without contact forces of a motion, (4, 3), written: B^T a + C qdd + h."""
    for leg in range(4):
        for k in range(3):
            total = terms.leg_bias[leg, k]
            for i in range(6):
                total += terms.coupling[leg, i, k] * base_acceleration[i]
            for j in range(3):
                total += terms.leg_mass_matrix[leg, k, j] * joint_acceleration[leg, j]
            torque[leg, k] = total


@compiled
def inverse_dynamics_tick(
    tree: Any, gains: Any, plan: Any, terms: Any, legs: Any, contacts: int, wrench_map: Array, rows: Array, bounds: Array,
    joint_acceleration: Array, dt: float, control: Any,
) -> int:  # fmt: skip
    """Torques and contact forces for prescribed joint accelerations; see `two_stage`.

    Args:
        legs, contacts: see `loaded_legs`.
        wrench_map, rows, bounds: see `contact_problem`; rows for the contact velocities are added below the pyramids.

    Returns:
        SOLVED, RELAXED or FAILED; the control record holds base acceleration, forces and torques unless it is FAILED.
    """
    size, pyramid = 3 * contacts, ROWS_PER_CONTACT * contacts
    spread, lower, force = stack_matrix(6, 13), stack_matrix(6, 6), stack_vector(12)
    lower[:] = terms.base_mass_matrix
    for i in range(6):
        load = terms.base_bias[i]
        for leg in range(4):
            for k in range(3):
                load += terms.coupling[leg, i, k] * joint_acceleration[leg, k]
        for j in range(size):
            spread[i, j] = wrench_map[i, j]
        spread[i, size] = -load
    if not solve_positive_definite(lower, spread, 6, size + 1):
        return FAILED
    status, internal, basis = SOLVED, 0, stack_matrix(12, 12)
    if contacts > 0:
        gap = stack_vector(12)
        contact_velocities(
            gains, plan, terms, legs, size, wrench_map, spread, joint_acceleration, dt, gap, rows[pyramid:], bounds[pyramid:]
        )
        internal = internal_forces(wrench_map, size, basis)
        drop_internal(basis, size, internal, gap)
        status = stage_one(wrench_map, spread, gap, rows, bounds, size, dt, force)
        if status == FAILED:
            return FAILED
    for i in range(6):
        total = spread[i, size]
        for j in range(size):
            total += spread[i, j] * force[j]
        control.base_acceleration[i] = total
    torque = stack_matrix(4, 3)
    joint_torques(terms, control.base_acceleration, joint_acceleration, torque)
    if contacts > 0:
        second = stage_two(
            basis, internal, rows, bounds, size, legs, terms.foot_jacobian, torque, tree.effort_limit, force
        )
        status = max(status, second)
    control.force[:] = 0.0
    for contact in range(contacts):
        for i in range(3):
            control.force[legs[contact], i] = force[3 * contact + i]
    control.saturated = 0
    for leg in range(4):
        for k in range(3):
            total, limit = torque[leg, k], tree.effort_limit[leg, k]
            for i in range(3):
                total -= terms.foot_jacobian[leg, i, k] * control.force[leg, i]
            if not math.isfinite(total):
                return FAILED
            if abs(total) > limit * (1.0 + 1e-9):
                control.saturated += 1
            control.effort[leg, k] = min(limit, max(-limit, total))
    return status


@compiled
def control_tick(tree: Any, gains: Any, plan: Any, state: Any, dt: float, terms: Any, control: Any) -> None:
    """Compute the joint command of one tick.

    Args:
        tree: the believed robot, a record of `robot.tree`.
        gains: a GAINS record.
        plan: a PLAN record.
        state: a STATE record.
        dt: control period, s.
        terms: a TERMS record, written.
        control: a CONTROL record, written; its status says whether it may be used.
    """
    control.status = FAILED
    base_rotation = stack_matrix(3, 3)
    if not read_inputs(tree, plan, state, dt, base_rotation, terms):
        return
    wanted, constant, by_base = stack_vector(6), stack_matrix(4, 3), stack_matrix(12, 6)
    wanted_base_acceleration(gains, plan, state, base_rotation, wanted)
    leg_accelerations(gains, plan, state, terms, constant, by_base)
    keep_swing_in_range(
        plan.load, state.joint_position, state.joint_velocity, tree.position_lower, tree.position_upper, constant, by_base
    )

    # With legs that move along with the base, the base equation is mass a + bias = wrench map f.
    mass, bias = stack_matrix(6, 6), stack_vector(6)
    mass[:], bias[:] = terms.base_mass_matrix, terms.base_bias
    for leg in range(4):
        for i in range(6):
            for k in range(3):
                coupling = terms.coupling[leg, i, k]
                bias[i] += coupling * constant[leg, k]
                for j in range(6):
                    mass[i, j] += coupling * by_base[3 * leg + k, j]
    legs, acceleration = stack_integers(4), stack_vector(6)
    contacts = loaded_legs(plan, legs)
    # For four feet, with one more row for the velocity of each.
    wrench_map, rows, bounds = stack_matrix(6, 12), stack_matrix(28, 12), stack_vector(28)
    contact_problem(gains, plan, terms, legs, contacts, wrench_map, rows, bounds)
    status = SOLVED
    if contacts == 0:
        # Free flight: the base goes where gravity and the legs take it.
        fall = stack_matrix(6, 1)
        for i in range(6):
            fall[i, 0] = -bias[i]
        if not solve_general(mass, fall, 6, 1):
            return
        acceleration[:] = fall[:, 0]
    else:
        total_mass = terms.base_mass_matrix[0, 0]
        length = math.sqrt(terms.base_mass_matrix[4, 4] / total_mass)
        status = balance(
            mass, bias, wrench_map, wanted, rows, bounds, 3 * contacts, total_mass * tree.gravity, length, acceleration
        )
        if status == FAILED:
            return
    for leg in range(4):
        for k in range(3):
            total = constant[leg, k]
            for j in range(6):
                total += by_base[3 * leg + k, j] * acceleration[j]
            control.joint_acceleration[leg, k] = total
    dynamics = inverse_dynamics_tick(
        tree, gains, plan, terms, legs, contacts, wrench_map, rows, bounds, control.joint_acceleration, dt, control
    )
    if dynamics == FAILED:
        return
    joint_targets(tree, gains, plan, state, base_rotation, terms, dt, control)
    control.status = max(status, dynamics)
