# SPDX-License-Identifier: Apache-2.0
"""The quadratic program of whole-body control, reduced to joint accelerations and contact forces.

The full program has accelerations, torques, contact forces and foot slack as variables [Chatzinikolaidis 2021, Eq. 4.8]. The joint
rows of the equations of motion give the torques, the base rows the base acceleration and the contact rows the slack, each exactly, so
12 joint accelerations and 3 components a contact are left. No force and no torque is always feasible: with slack on the feet the
program has a solution in every state.
"""

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.active_set import SOLVED
from surefoot.contact.quadratic_program import solve_program
from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.whole_body_contacts import LoadedFeet
from surefoot.inverse_dynamics.whole_body_tasks import TaskRows
from surefoot.robot.model import GRAVITY, RigidBodyTerms
from surefoot.robot.spatial import solve_positive_definite

Array = NDArray[np.float64]

SMALLEST_WEIGHT = 1e-8
"""Of what makes the program strictly convex; below it the solver's factorisation is not to be trusted."""


@dataclass(frozen=True)
class WholeBodyWeights:
    """Weights beside those of the tasks, against squared accelerations in m/s^2.

    Torques count in parts of their limits and forces in parts of the weight of the robot.

    Raises:
        ConfigurationError: a weight is out of its range.
    """

    contact_slack: float = 1e3
    joint_acceleration: float = 1e-7
    torque: float = 1e-4
    torque_rate: float = 1e-4
    force: float = 1e-6
    force_rate: float = 0.0

    def __post_init__(self) -> None:
        for item in fields(self):
            value, lowest = getattr(self, item.name), 0.0 if item.name.endswith(("rate", "torque")) else SMALLEST_WEIGHT
            if not (np.isfinite(value) and value >= lowest):
                raise ConfigurationError(f"whole-body weight '{item.name}' is {value}; give a finite number of at least {lowest:g}")


class Previous(NamedTuple):
    """What the rate terms hold on to: torques of the tick before, (12,), N m, and forces of the present contacts, (3 n,), N."""

    torque: Array
    force: Array


class WholeBodyMotion(NamedTuple):
    """Solution of the program.

    Attributes:
        acceleration: u', (18,).
        torque: inside the limits, (12,), N m.
        force: (3 n,), N.
        slack: acceleration of the contact points beyond the wanted one, (3 n,), m/s^2.
    """

    acceleration: Array
    torque: Array
    force: Array
    slack: Array


class ProgramData(NamedTuple):
    """What the program is written from, n contact components and t rows of tasks.

    Attributes:
        mass, bias: of the equations of motion, (18, 18) and (18,).
        jacobian, contact_acceleration, directions, pyramid_rows, pyramid_bounds: see `LoadedFeet`.
        task_jacobian, task_acceleration, task_weight: of all tasks, (t, 18), (t,) and (t,).
        contact_slack, joint_acceleration, torque, force, torque_rate, force_rate: see `WholeBodyWeights`.
        previous_torque, previous_force: what the rate terms hold on to, (12,), N m, and (n,), N.
        effort_limit: (12,), above 0, N m.
    """

    mass: Array
    bias: Array
    jacobian: Array
    contact_acceleration: Array
    directions: Array
    pyramid_rows: Array
    pyramid_bounds: Array
    task_jacobian: Array
    task_acceleration: Array
    task_weight: Array
    contact_slack: float
    joint_acceleration: float
    torque: float
    force: float
    torque_rate: float
    force_rate: float
    previous_torque: Array
    previous_force: Array
    effort_limit: Array


def program_data(
    terms: RigidBodyTerms, feet: LoadedFeet, tasks: list[TaskRows], weights: WholeBodyWeights, effort_limit: Array,
    previous: Previous | None = None,
) -> ProgramData:  # fmt: skip
    """Everything in the form in which compiled functions read it; see `solve_whole_body`."""
    # Without a tick before nothing is held on to.
    torque, force = previous if previous is not None else (np.zeros(12), np.zeros(len(feet.jacobian)))
    torque_rate, force_rate = (weights.torque_rate, weights.force_rate) if previous is not None else (0.0, 0.0)
    return ProgramData(
        terms.mass_matrix, terms.bias, feet.jacobian, feet.acceleration, feet.directions, feet.rows, feet.bounds,
        np.concatenate([task.jacobian for task in tasks]), np.concatenate([task.acceleration for task in tasks]),
        np.concatenate([task.weight for task in tasks]), weights.contact_slack, weights.joint_acceleration, weights.torque, weights.force,
        torque_rate, force_rate, torque, force, effort_limit,
    )  # fmt: skip


class Reduced(NamedTuple):
    """1/2 x^T hessian x + gradient^T x subject to rows x >= bounds.

    The unknowns x are the joint accelerations and what the contact forces are made of, in parts of the weight, (12 + k,).

    Attributes:
        hessian, gradient: (12 + k, 12 + k) and (12 + k,).
        rows, bounds: first those of the friction pyramids, then those of the torque limits.
        acceleration: u' by (x, 1), (18, 12 + k + 1).
        torque: joint torques in parts of their limits by (x, 1), (12, 12 + k + 1).
        written: False where the mass matrix of the base is not positive definite: nothing above is to be read then.
    """

    hessian: Array
    gradient: Array
    rows: Array
    bounds: Array
    acceleration: Array
    torque: Array
    written: bool


@compiled
def reduced_program(data: ProgramData) -> Reduced:
    """The program; the tick and the tests read the same."""
    mass, bias, jacobian, directions, effort_limit = data.mass, data.bias, data.jacobian, data.directions, data.effort_limit
    unit, size, count, wanted = mass[0, 0] * GRAVITY, 12 + directions.shape[1], len(jacobian), len(data.task_weight)
    pyramids = len(data.pyramid_bounds)
    program = Reduced(
        np.empty((size, size)), np.empty(size), np.zeros((pyramids + 24, size)), np.empty(pyramids + 24), np.zeros((18, size + 1)),
        np.empty((12, size + 1)), True,
    )  # fmt: skip
    # mass u' + bias - J^T f is zero in the base rows and the torque in the joint rows.
    by_force = -unit * (jacobian.T @ directions)
    base = np.empty((6, size + 1))
    base[:, :12], base[:, 12:size], base[:, size] = mass[:6, 6:], by_force[:6], bias[:6]
    if not solve_positive_definite(mass[:6, :6].copy(), base, 6, size + 1):
        return Reduced(program.hessian, program.gradient, program.rows, program.bounds, program.acceleration, program.torque, False)
    program.acceleration[:6] = -base
    program.acceleration[6:, :12] = np.eye(12)

    # Rows over u': tasks, contacts, and the joint rows of the mass matrix, which give the torques in parts of their limits.
    slack, torques = slice(wanted, wanted + count), slice(wanted + count, wanted + count + 12)
    whole, weight, torque_weight = np.empty((wanted + count + 12, 18)), np.empty(wanted + count + 12), data.torque + data.torque_rate
    whole[:wanted], whole[slack], whole[torques] = data.task_jacobian, jacobian, mass[6:]
    weight[:wanted], weight[slack], weight[torques] = data.task_weight, data.contact_slack, torque_weight
    left = whole @ program.acceleration
    left[torques, 12:size] += by_force[6:]
    left[torques, size] += bias[6:]
    for joint in range(12):
        program.torque[joint] = left[wanted + count + joint] / effort_limit[joint]
    left[torques] = program.torque
    # From here on the last column of the rows is what is left of their targets.
    left[:wanted, size] -= data.task_acceleration
    left[slack, size] -= data.contact_acceleration
    if torque_weight > 0.0:
        left[torques, size] -= data.torque_rate / torque_weight * (data.previous_torque / effort_limit)
    by_unknown = np.ascontiguousarray(left[:, :size])
    weighted = by_unknown.copy()
    for row in range(len(weight)):
        weighted[row] *= weight[row]
    program.hessian[:], program.gradient[:] = weighted.T @ by_unknown, np.ascontiguousarray(left[:, size]) @ weighted
    for unknown in range(size):
        program.hessian[unknown, unknown] += data.joint_acceleration if unknown < 12 else data.force + data.force_rate
    program.gradient[12:] -= data.force_rate / unit * (data.previous_force @ directions)

    program.rows[:pyramids, 12:], program.bounds[:pyramids] = data.pyramid_rows, data.pyramid_bounds / unit
    program.rows[pyramids:-12], program.rows[-12:] = program.torque[:, :size], -program.torque[:, :size]
    program.bounds[pyramids:-12], program.bounds[-12:] = -1.0 - program.torque[:, size], program.torque[:, size] - 1.0
    return program


def solve_whole_body(
    terms: RigidBodyTerms, feet: LoadedFeet, tasks: list[TaskRows], weights: WholeBodyWeights, effort_limit: Array,
    previous: Previous | None = None,
) -> WholeBodyMotion | None:  # fmt: skip
    """Accelerations, torques and contact forces that serve the tasks best inside torque limits and friction pyramids.

    Args:
        tasks: at least one.
        effort_limit: (12,), above 0, N m.
        previous: for the rate terms, which are off without it.

    Returns:
        None where the solver gave no answer that stands its check.
    """
    acceleration, torque, force = np.empty(18), np.empty(12), np.empty(len(feet.jacobian))
    if not _solve(program_data(terms, feet, tasks, weights, effort_limit, previous), acceleration, torque, force):
        return None
    return WholeBodyMotion(acceleration, torque, force, feet.jacobian.dot(acceleration) - feet.acceleration)


@compiled
def _solve(data: ProgramData, acceleration: Array, torque: Array, force: Array) -> bool:
    """Write the last three, unless there is no answer."""
    program = reduced_program(data)
    size = len(program.gradient)
    unknown, multiplier = np.ones(size + 1), np.empty(len(program.bounds))
    if not program.written:
        return False
    if solve_program(program.hessian, program.gradient, program.rows, program.bounds, unknown[:size], multiplier) != SOLVED:
        return False
    acceleration[:], force[:] = program.acceleration @ unknown, data.mass[0, 0] * GRAVITY * (data.directions @ unknown[12:size])
    # The solver holds its bounds up to rounding; the servo's bound is exact.
    torque[:] = data.effort_limit * np.minimum(np.maximum(program.torque @ unknown, -1.0), 1.0)
    return True
