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
from scipy.linalg.lapack import dposv

from surefoot.contact.quadratic_program import solve_quadratic_program
from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.whole_body_contacts import LoadedFeet
from surefoot.inverse_dynamics.whole_body_tasks import TaskRows
from surefoot.robot.model import GRAVITY, RigidBodyTerms

Array = NDArray[np.float64]

_IDENTITY, _ONE = np.eye(12), np.ones(1)

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
    mass, bias, count = terms.mass_matrix, terms.bias, len(feet.jacobian)
    unit, size = mass[0, 0] * GRAVITY, 12 + feet.directions.shape[1]
    # mass u' + bias - J^T f is zero in the base rows and the torque in the joint rows.
    minus_force = (-unit * feet.directions).T.dot(feet.jacobian)
    right = np.empty((size + 1, 6))
    right[:12], right[12:size], right[size] = mass[6:, :6], minus_force[:, :6], bias[:6]
    _, base, refusal = dposv(mass[:6, :6], right.T)
    if refusal:
        return None
    acceleration = np.zeros((18, size + 1))
    np.negative(base, out=acceleration[:6])
    acceleration[6:, :12] = _IDENTITY

    # Rows over u': tasks, contacts, and the joint rows of the mass matrix, which give the torques.
    whole = np.concatenate([*(task.jacobian for task in tasks), feet.jacobian, mass[6:]]).dot(acceleration)
    whole[-12:, 12:size] += minus_force[:, 6:].T
    whole[-12:, size] += bias[6:]
    whole[-12:] /= effort_limit[:, np.newaxis]
    torque = whole[-12:].copy()

    rate, force_rate = (weights.torque_rate, weights.force_rate) if previous is not None else (0.0, 0.0)
    weight = np.concatenate([*(task.weight for task in tasks), np.empty(count + 12)])
    weight[-12 - count : -12], weight[-12:] = weights.contact_slack, weights.torque + rate
    # From here on the last column of the rows is what is left of their targets.
    whole[: -12 - count, size] -= np.concatenate([task.acceleration for task in tasks])
    whole[-12 - count : -12, size] -= feet.acceleration
    if previous is not None and weights.torque + rate > 0.0:
        whole[-12:, size] -= rate / (weights.torque + rate) * (previous.torque / effort_limit)
    by_unknown = whole[:, :size]
    weighted = weight[:, np.newaxis] * by_unknown
    hessian, gradient = weighted.T.dot(by_unknown), whole[:, size].dot(weighted)
    diagonal = hessian.ravel()[:: size + 1]
    diagonal[:12] += weights.joint_acceleration
    diagonal[12:] += weights.force + force_rate
    if previous is not None and force_rate > 0.0:
        gradient[12:] -= force_rate / unit * (previous.force @ feet.directions)

    pyramids = len(feet.bounds)
    rows, bounds = np.zeros((pyramids + 24, size)), np.empty(pyramids + 24)
    rows[:pyramids, 12:] = feet.rows
    rows[pyramids:-12] = torque[:, :size]
    np.negative(torque[:, :size], out=rows[-12:])
    np.divide(feet.bounds, unit, out=bounds[:pyramids])
    np.subtract(-1.0, torque[:, size], out=bounds[pyramids:-12])
    np.subtract(torque[:, size], 1.0, out=bounds[-12:])
    return Reduced(hessian, gradient, rows, bounds, acceleration, torque)


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
    program = reduced_program(terms, feet, tasks, weights, effort_limit, previous)
    if program is None:
        return None
    result = solve_quadratic_program(program.hessian, program.gradient, program.rows, program.bounds)
    if not result.solved:
        return None
    unknown = np.concatenate((result.solution, _ONE))
    acceleration, torque = program.acceleration.dot(unknown), program.torque.dot(unknown)
    force = feet.directions.dot(terms.mass_matrix[0, 0] * GRAVITY * result.solution[12:])
    # The solver holds its bounds up to rounding; the servo's bound is exact.
    return WholeBodyMotion(acceleration, effort_limit * torque.clip(-1.0, 1.0), force, feet.jacobian.dot(acceleration) - feet.acceleration)
