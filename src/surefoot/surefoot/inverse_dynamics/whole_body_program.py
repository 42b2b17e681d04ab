# SPDX-License-Identifier: Apache-2.0
"""The quadratic program of whole-body control, reduced to joint accelerations and contact forces.

The full program has accelerations, torques, contact forces and foot slack as variables [Chatzinikolaidis 2021, Eq. 4.8]. The joint
rows of the equations of motion give the torques, the base rows the base acceleration and the contact rows the slack, each exactly, so
12 joint accelerations and 3 components a contact are left. No force and no torque is always feasible: with slack on the feet the
program has a solution in every state.
"""

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

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


class Reduced(NamedTuple):
    """1/2 x^T hessian x + gradient^T x subject to rows x >= bounds.

    Attributes:
        acceleration: u' by (x, 1), (18, size + 1).
        torque: joint torques in parts of their limits by (x, 1), (12, size + 1).
    """

    hessian: Array
    gradient: Array
    rows: Array
    bounds: Array
    acceleration: Array
    torque: Array


def reduced_program(
    terms: RigidBodyTerms, feet: LoadedFeet, tasks: list[TaskRows], weights: WholeBodyWeights, effort_limit: Array,
    previous: Previous | None,
) -> Reduced | None:  # fmt: skip
    """The program in x = (joint accelerations, unknowns of the contact forces in parts of the weight), (12 + k,).

    Returns:
        None where the mass matrix of the base is not positive definite.
    """
    size, constraints = 12 + feet.directions.shape[1], len(feet.bounds) + 24
    program = Reduced(
        np.empty((size, size)), np.empty(size), np.zeros((constraints, size)), np.empty(constraints), np.zeros((18, size + 1)),
        np.empty((12, size + 1)),
    )  # fmt: skip
    return program if _write_program(*program, *_given(terms, feet, tasks, weights, effort_limit, previous)) else None


def _given(
    terms: RigidBodyTerms, feet: LoadedFeet, tasks: list[TaskRows], weights: WholeBodyWeights, effort_limit: Array,
    previous: Previous | None,
) -> tuple[Any, ...]:  # fmt: skip
    """What `_write_program` and `_solve` read, in their order."""
    # Without a tick before nothing is held on to.
    torque, force = previous if previous is not None else (np.zeros(12), np.zeros(len(feet.jacobian)))
    torque_rate, force_rate = (weights.torque_rate, weights.force_rate) if previous is not None else (0.0, 0.0)
    return (
        terms.mass_matrix, terms.bias, feet.jacobian, feet.acceleration, feet.directions, feet.rows, feet.bounds,
        np.concatenate([task.jacobian for task in tasks]), np.concatenate([task.acceleration for task in tasks]),
        np.concatenate([task.weight for task in tasks]), weights.contact_slack, weights.joint_acceleration, weights.torque, weights.force,
        torque_rate, force_rate, torque, force, effort_limit,
    )  # fmt: skip


@compiled
def _write_program(
    hessian: Array, gradient: Array, rows: Array, bounds: Array, acceleration: Array, torque: Array,
    mass: Array, bias: Array, jacobian: Array, contact_acceleration: Array, directions: Array, pyramid_rows: Array, pyramid_bounds: Array,
    task_jacobian: Array, task_acceleration: Array, task_weight: Array, contact_slack: float, joint_weight: float, torque_weight: float,
    force_weight: float, torque_rate: float, force_rate: float, previous_torque: Array, previous_force: Array, effort_limit: Array,
) -> bool:  # fmt: skip
    """Write a `Reduced`, the first six; rows and acceleration are zeros when they come."""
    unit, size, count, wanted = mass[0, 0] * GRAVITY, len(gradient), len(jacobian), len(task_weight)
    # mass u' + bias - J^T f is zero in the base rows and the torque in the joint rows.
    by_force = -unit * (jacobian.T @ directions)
    base = np.empty((6, size + 1))
    base[:, :12], base[:, 12:size], base[:, size] = mass[:6, 6:], by_force[:6], bias[:6]
    if not solve_positive_definite(mass[:6, :6].copy(), base, 6, size + 1):
        return False
    acceleration[:6] = -base
    acceleration[6:, :12] = np.eye(12)

    # Rows over u': tasks, contacts, and the joint rows of the mass matrix, which give the torques in parts of their limits.
    slack, torques = slice(wanted, wanted + count), slice(wanted + count, wanted + count + 12)
    whole, weight = np.empty((wanted + count + 12, 18)), np.empty(wanted + count + 12)
    whole[:wanted], whole[slack], whole[torques] = task_jacobian, jacobian, mass[6:]
    weight[:wanted], weight[slack], weight[torques] = task_weight, contact_slack, torque_weight + torque_rate
    left = whole @ acceleration
    left[torques, 12:size] += by_force[6:]
    left[torques, size] += bias[6:]
    for joint in range(12):
        torque[joint] = left[wanted + count + joint] / effort_limit[joint]
    left[torques] = torque
    # From here on the last column of the rows is what is left of their targets.
    left[:wanted, size] -= task_acceleration
    left[slack, size] -= contact_acceleration
    if torque_weight + torque_rate > 0.0:
        left[torques, size] -= torque_rate / (torque_weight + torque_rate) * (previous_torque / effort_limit)
    by_unknown = np.ascontiguousarray(left[:, :size])
    weighted = by_unknown.copy()
    for row in range(len(weight)):
        weighted[row] *= weight[row]
    hessian[:], gradient[:] = weighted.T @ by_unknown, np.ascontiguousarray(left[:, size]) @ weighted
    for unknown in range(size):
        hessian[unknown, unknown] += joint_weight if unknown < 12 else force_weight + force_rate
    gradient[12:] -= force_rate / unit * (previous_force @ directions)

    pyramids = len(pyramid_bounds)
    rows[:pyramids, 12:], bounds[:pyramids] = pyramid_rows, pyramid_bounds / unit
    rows[pyramids:-12], rows[-12:] = torque[:, :size], -torque[:, :size]
    bounds[pyramids:-12], bounds[-12:] = -1.0 - torque[:, size], torque[:, size] - 1.0
    return True


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
    if not _solve(acceleration, torque, force, *_given(terms, feet, tasks, weights, effort_limit, previous)):
        return None
    return WholeBodyMotion(acceleration, torque, force, feet.jacobian.dot(acceleration) - feet.acceleration)


@compiled
def _solve(
    acceleration: Array, torque: Array, force: Array,
    mass: Array, bias: Array, jacobian: Array, contact_acceleration: Array, directions: Array, pyramid_rows: Array, pyramid_bounds: Array,
    task_jacobian: Array, task_acceleration: Array, task_weight: Array, contact_slack: float, joint_weight: float, torque_weight: float,
    force_weight: float, torque_rate: float, force_rate: float, previous_torque: Array, previous_force: Array, effort_limit: Array,
) -> bool:  # fmt: skip
    """Write the first three, unless there is no answer."""
    size, constraints = 12 + directions.shape[1], len(pyramid_bounds) + 24
    hessian, gradient, rows, bounds = np.empty((size, size)), np.empty(size), np.zeros((constraints, size)), np.empty(constraints)
    accelerations, torques = np.zeros((18, size + 1)), np.empty((12, size + 1))
    if not _write_program(
        hessian, gradient, rows, bounds, accelerations, torques, mass, bias, jacobian, contact_acceleration, directions, pyramid_rows,
        pyramid_bounds, task_jacobian, task_acceleration, task_weight, contact_slack, joint_weight, torque_weight, force_weight,
        torque_rate, force_rate, previous_torque, previous_force, effort_limit,
    ):  # fmt: skip
        return False
    unknown, multiplier = np.ones(size + 1), np.empty(constraints)
    if solve_program(hessian, gradient, rows, bounds, unknown[:size], multiplier) != SOLVED:
        return False
    acceleration[:], force[:] = accelerations @ unknown, mass[0, 0] * GRAVITY * (directions @ unknown[12:size])
    # The solver holds its bounds up to rounding; the servo's bound is exact.
    torque[:] = effort_limit * np.minimum(np.maximum(torques @ unknown, -1.0), 1.0)
    return True
