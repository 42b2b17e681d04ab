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

from surefoot.contact.quadratic_program import solve_quadratic_program
from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.whole_body_contacts import LoadedFeet
from surefoot.inverse_dynamics.whole_body_tasks import TaskRows
from surefoot.robot.model import GRAVITY, RigidBodyTerms

Array = NDArray[np.float64]

_IDENTITY = np.eye(12)

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


@dataclass(frozen=True)
class WholeBodyMotion:
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
    """1/2 x^T hessian x + gradient^T x subject to rows x >= bounds, with u' = by_unknown x + constant, likewise the torque."""

    hessian: Array
    gradient: Array
    rows: Array
    bounds: Array
    by_unknown: Array
    constant: Array
    torque_by_unknown: Array
    torque_constant: Array


def reduced_program(
    terms: RigidBodyTerms, feet: LoadedFeet, tasks: list[TaskRows], weights: WholeBodyWeights, effort_limit: Array,
    previous: Previous | None,
) -> Reduced:  # fmt: skip
    """The program in x = (joint accelerations, unknowns of the contact forces in parts of the weight), (12 + k,).

    Raises:
        numpy.linalg.LinAlgError: the mass matrix is singular.
    """
    mass, bias, count = terms.mass_matrix, terms.bias, len(feet.jacobian)
    unit, size = mass[0, 0] * GRAVITY, 12 + feet.directions.shape[1]
    by_force = unit * (feet.jacobian.T @ feet.directions)
    right = np.empty((6, size + 1))
    right[:, :12] = -mass[:6, 6:]
    right[:, 12:size] = by_force[:6]
    right[:, size] = -bias[:6]
    base = np.linalg.solve(mass[:6, :6], right)

    # Rows over u': tasks, contacts, and the joint rows of the mass matrix, which give the torques.
    task_rows = np.concatenate([task.jacobian for task in tasks] + [feet.jacobian, mass[6:]])
    whole = task_rows[:, :6] @ base
    whole[:, :12] += task_rows[:, 6:]
    whole[-12:, 12:size] -= by_force[6:]
    whole[-12:, size] += bias[6:]
    torque_by_unknown, torque_constant = whole[-12:, :size].copy(), whole[-12:, size].copy()

    rate = weights.torque_rate if previous is not None else 0.0
    force_rate = weights.force_rate if previous is not None else 0.0
    weight = np.concatenate(
        [task.weight for task in tasks] + [np.full(count, weights.contact_slack), (weights.torque + rate) / effort_limit**2]
    )
    target = np.concatenate([task.acceleration for task in tasks] + [feet.acceleration, np.zeros(12)])
    if previous is not None and weights.torque + rate > 0.0:
        target[-12:] = rate / (weights.torque + rate) * previous.torque
    weighted = weight[:, np.newaxis] * whole[:, :size]
    hessian = whole[:, :size].T @ weighted
    gradient = (whole[:, size] - target) @ weighted
    diagonal = np.einsum("ii->i", hessian)
    diagonal[:12] += weights.joint_acceleration
    diagonal[12:] += weights.force + force_rate
    if previous is not None:
        gradient[12:] -= force_rate / unit * (previous.force @ feet.directions)

    pyramids = len(feet.bounds)
    rows, bounds = np.zeros((pyramids + 24, size)), np.empty(pyramids + 24)
    rows[:pyramids, 12:], bounds[:pyramids] = feet.rows, feet.bounds / unit
    rows[pyramids : pyramids + 12] = torque_by_unknown / effort_limit[:, np.newaxis]
    rows[pyramids + 12 :] = -rows[pyramids : pyramids + 12]
    share = torque_constant / effort_limit
    bounds[pyramids : pyramids + 12], bounds[pyramids + 12 :] = -1.0 - share, share - 1.0

    by_unknown, constant = np.zeros((18, size)), np.zeros(18)
    by_unknown[:6], constant[:6] = base[:, :size], base[:, size]
    by_unknown[6:, :12] = _IDENTITY
    return Reduced(hessian, gradient, rows, bounds, by_unknown, constant, torque_by_unknown, torque_constant)


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
    try:
        program = reduced_program(terms, feet, tasks, weights, effort_limit, previous)
    except np.linalg.LinAlgError:
        return None
    result = solve_quadratic_program(program.hessian, program.gradient, program.rows, program.bounds)
    if not result.solved:
        return None
    acceleration = program.by_unknown @ result.solution + program.constant
    torque = program.torque_by_unknown @ result.solution + program.torque_constant
    force = terms.mass_matrix[0, 0] * GRAVITY * (feet.directions @ result.solution[12:])
    # The solver holds its bounds up to rounding; the servo's bound is exact.
    return WholeBodyMotion(
        acceleration, np.clip(torque, -effort_limit, effort_limit), force, feet.jacobian @ acceleration - feet.acceleration
    )
