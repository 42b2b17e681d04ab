# SPDX-License-Identifier: Apache-2.0
"""A multi-body contact problem with its actuated coordinates moved as prescribed: only passive motion and contact forces are left."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.multibody import MultibodyContactProblem
from surefoot.contact.pyramid import contact_frame

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Reduction:
    """Contact motion as free + whitened whitened^T force, in the axes of the contacts (normal, first tangent, second tangent).

    With A = lower lower^T the mass of the passive coordinates and J_p their part of the contact Jacobian, whitened = J_p lower^-T, so that
    the matrix of the complementarity problems [Zapolsky and Drumwright 2016, Eq. 44, 63] never has to be formed. Eliminating the actuated
    coordinates first is what Eq. 62 does with a larger matrix. Of the ways to set the problem up this takes the fewest operations and the
    least time with 12 joints, since only the mass of the floating base is factorised: see `evaluation.bench.setup_cost`, where it is
    measured beside both ways of the paper [Tables 1 and 2].

    Attributes:
        problem: what was reduced.
        passive: indices of the passive coordinates, (p,).
        frames: rows are the axes of the contacts in odom, (c, 3, 3).
        jacobian: (3 c, n).
        lower: Cholesky factor of the passive mass, (p, p).
        whitened: (3 c, p).
        settled: lower^-1 times the passive forces that the prescribed acceleration and the bias ask for, (p,).
        free: contact velocities at the end of the step without contact forces, over the step, (3 c,), m/s^2.
        floor: what their normal parts may not fall below, -phi / step^2 [Eq. 36], (c,), m/s^2.
        scale: size of the accelerations that add up to the free ones, at least 1, m/s^2: how well those are known.
    """

    problem: MultibodyContactProblem
    passive: NDArray[np.int64]
    frames: Array
    jacobian: Array
    lower: Array
    whitened: Array
    settled: Array
    free: Array
    floor: Array
    scale: float

    @property
    def contacts(self) -> int:
        """How many contact points there are."""
        return len(self.floor)

    @property
    def open_if_unloaded(self) -> NDArray[np.bool_]:
        """Contacts that are apart and stay so over the step while no contact bears load, (c,)."""
        apart: NDArray[np.bool_] = (self.problem.gaps > 0.0) & (self.free[::3] > self.floor)
        return apart

    @cached_property
    def longest(self) -> float:
        """Length of the longest row of the whitened Jacobian, 1/sqrt(kg)."""
        return math.sqrt(float(np.einsum("ij,ij->i", self.whitened, self.whitened).max(initial=0.0)))

    @cached_property
    def contact_mass(self) -> float:
        """Mass that the passive coordinates show to a contact force on average, kg; 1 if none of them is moved by one."""
        mobility = float(np.einsum("ij,ij->", self.whitened, self.whitened))
        return len(self.whitened) / mobility if mobility > 1e-9 else 1.0

    def contact_acceleration(self, force: Array) -> Array:
        """End velocities of the contacts over the step, (3 c,), m/s^2, under forces in the axes of the contacts, (3 c,)."""
        motion: Array = self.free + self.whitened @ (self.whitened.T @ force)
        return motion

    def acceleration(self, force: Array) -> Array:
        """Acceleration of all coordinates, (n,), under forces in the axes of the contacts, (3 c,)."""
        problem = self.problem
        whole = np.empty(len(problem.bias))
        whole[problem.actuated] = problem.acceleration
        whole[self.passive] = _solve_transposed(self.lower, self.whitened.T @ force - self.settled)
        return whole

    def torque(self, force: Array, acceleration: Array) -> Array:
        """Torques of the actuators, (m,), that go with forces in the axes of the contacts and an acceleration of all coordinates."""
        problem = self.problem
        needed: Array = (problem.mass_matrix @ acceleration + problem.bias - self.jacobian.T @ force)[problem.actuated]
        return needed

    def in_odom(self, force: Array) -> Array:
        """Forces in the axes of odom, (3 c,), of forces in the axes of the contacts, (3 c,)."""
        turned: Array = np.einsum("cij,ci->cj", self.frames, force.reshape(-1, 3)).ravel()
        return turned

    def in_contact_axes(self, force: Array) -> Array:
        """Forces in the axes of the contacts, (3 c,), of forces in the axes of odom, (3 c,)."""
        turned: Array = np.einsum("cij,cj->ci", self.frames, force.reshape(-1, 3)).ravel()
        return turned


def plain(values: Array) -> Array:
    """A copy that compiled functions take as it is: they would be compiled again for an array that is read-only or a view."""
    return np.array(values, dtype=np.float64, order="C")


def reduced(problem: MultibodyContactProblem) -> Reduction | None:
    """The reduction of a problem; None if a number is not finite or the passive mass is not positive definite.

    Friction alone may be infinite; the step must be positive.
    """
    if not problem.step > 0.0 or not bool((problem.friction >= 0.0).all()):
        return None
    size, contacts = len(problem.bias), problem.contacts
    actuated, moved = np.array(problem.actuated, dtype=np.int64), np.zeros(size, np.bool_)
    moved[actuated] = True
    passive = np.flatnonzero(~moved)
    frames, jacobian, free = np.empty((contacts, 3, 3)), np.empty((3 * contacts, size)), np.empty(3 * contacts)
    lower, whitened = np.zeros((len(passive), len(passive))), np.empty((3 * contacts, len(passive)))
    settled, gaps = np.empty(len(passive)), plain(problem.gaps)
    scale = _reduce(
        plain(problem.mass_matrix),
        plain(problem.bias),
        plain(problem.velocity),
        actuated,
        passive,
        plain(problem.acceleration),
        plain(problem.jacobian),
        plain(problem.jacobian_rate),
        plain(problem.normals),
        gaps,
        float(problem.step),
        frames,
        jacobian,
        lower,
        whitened,
        settled,
        free,
    )
    if not math.isfinite(scale):
        return None
    return Reduction(problem, passive, frames, jacobian, lower, whitened, settled, free, -gaps / problem.step**2, scale)


@compiled
def _reduce(
    mass: Array,
    bias: Array,
    velocity: Array,
    actuated: NDArray[np.int64],
    passive: NDArray[np.int64],
    acceleration: Array,
    jacobian_in_odom: Array,
    rate_in_odom: Array,
    normals: Array,
    gaps: Array,
    step: float,
    frames: Array,
    jacobian: Array,
    lower: Array,
    whitened: Array,
    settled: Array,
    free: Array,
) -> float:
    """Write the last six of the attributes of `Reduction` that are arrays, except the floor; returns the scale, NaN if there is none."""
    total = step + acceleration.sum() + rate_in_odom.sum() + normals.sum() + gaps.sum() + velocity.sum() + bias.sum()
    total += mass.sum() + jacobian_in_odom.sum()
    if not math.isfinite(total):
        return np.nan
    rest, size = len(passive), len(bias)
    for i in range(rest):
        for j in range(i + 1):
            left = mass[passive[i], passive[j]]
            for k in range(j):
                left -= lower[i, k] * lower[j, k]
            if i > j:
                lower[i, j] = left / lower[j, j]
            elif left > 0.0:
                lower[i, i] = math.sqrt(left)
            else:
                return np.nan
        load = bias[passive[i]]
        for j in range(len(actuated)):
            load += mass[passive[i], actuated[j]] * acceleration[j]
        for k in range(i):
            load -= lower[i, k] * settled[k]
        settled[i] = load / lower[i, i]
    largest = 0.0
    for contact in range(len(normals)):
        contact_frame(normals[contact], frames[contact])
        for axis in range(3):
            row, direction = 3 * contact + axis, frames[contact, axis]
            rate, carried, pushed, fall = 0.0, 0.0, 0.0, 0.0
            for k in range(3):
                rate += direction[k] * rate_in_odom[3 * contact + k]
            for i in range(size):
                entry = 0.0
                for k in range(3):
                    entry += direction[k] * jacobian_in_odom[3 * contact + k, i]
                jacobian[row, i] = entry
                carried += entry * velocity[i] / step
            for j in range(len(actuated)):
                pushed += jacobian[row, actuated[j]] * acceleration[j]
            for i in range(rest):
                left = jacobian[row, passive[i]]
                for k in range(i):
                    left -= lower[i, k] * whitened[row, k]
                whitened[row, i] = left / lower[i, i]
                fall += whitened[row, i] * settled[i]
            free[row] = carried + pushed + rate - fall
            largest = max(largest, abs(carried) + abs(pushed) + abs(rate) + abs(fall))
    return 1.0 + largest


@compiled
def _solve_transposed(lower: Array, side: Array) -> Array:
    """x of lower^T x = side."""
    solution = side.copy()
    for i in range(len(side) - 1, -1, -1):
        for k in range(i + 1, len(side)):
            solution[i] -= lower[k, i] * solution[k]
        solution[i] /= lower[i, i]
    return solution
