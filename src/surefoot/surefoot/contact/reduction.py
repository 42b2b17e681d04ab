# SPDX-License-Identifier: Apache-2.0
"""A multi-body contact problem with its actuated coordinates moved as prescribed: only passive motion and contact forces are left."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.cone import contact_frames
from surefoot.contact.multibody import MultibodyContactProblem

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Reduction:
    """Contact motion as free + whitened whitened^T force, in the axes of the contacts (normal, first tangent, second tangent).

    With A = lower lower^T the mass of the passive coordinates and J_p their part of the contact Jacobian, whitened = J_p lower^-T, so that
    the matrix of the complementarity problems [Zapolsky and Drumwright 2016, Eq. 44, 63] never has to be formed. Eliminating the actuated
    coordinates first is what Eq. 62 does with a larger matrix.

    Attributes:
        problem: what was reduced.
        frames: rows are the axes of the contacts in odom, (c, 3, 3).
        jacobian: (3 c, n).
        lower: Cholesky factor of the passive mass, (p, p).
        whitened: (3 c, p).
        load: passive forces that the prescribed acceleration and the bias ask for, (p,).
        free: contact velocities at the end of the step without contact forces, over the step, (3 c,), m/s^2.
        floor: what their normal parts may not fall below, -phi / step^2 [Eq. 36], (c,), m/s^2.
        scale: size of the accelerations that add up to the free ones, at least 1, m/s^2: how well those are known.
    """

    problem: MultibodyContactProblem
    frames: Array
    jacobian: Array
    lower: Array
    whitened: Array
    load: Array
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

    @property
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
        whole[problem.passive] = np.linalg.solve(self.lower.T, self.whitened.T @ force - np.linalg.solve(self.lower, self.load))
        return whole

    def torque(self, force: Array, acceleration: Array) -> Array:
        """Torques of the actuators, (m,), that go with forces in the axes of the contacts and an acceleration of all coordinates."""
        rows = self.problem.actuated
        needed: Array = self.problem.mass_matrix[rows] @ acceleration + self.problem.bias[rows] - self.jacobian[:, rows].T @ force
        return needed

    def in_odom(self, force: Array) -> Array:
        """Forces in the axes of odom, (3 c,), of forces in the axes of the contacts, (3 c,)."""
        turned: Array = np.einsum("cij,ci->cj", self.frames, force.reshape(-1, 3)).ravel()
        return turned

    def in_contact_axes(self, force: Array) -> Array:
        """Forces in the axes of the contacts, (3 c,), of forces in the axes of odom, (3 c,)."""
        turned: Array = np.einsum("cij,cj->ci", self.frames, force.reshape(-1, 3)).ravel()
        return turned


def reduced(problem: MultibodyContactProblem) -> Reduction | None:
    """The reduction of a problem; None if a number is not finite or the passive mass is not positive definite.

    Friction alone may be infinite; the step must be positive.
    """
    arrays = (problem.mass_matrix, problem.bias, problem.velocity, problem.acceleration, problem.jacobian, problem.jacobian_rate)
    total = sum(float(part.sum()) for part in (*arrays, problem.normals, problem.gaps)) + problem.step
    if not math.isfinite(total) or not problem.step > 0.0 or not bool((problem.friction >= 0.0).all()):
        return None
    actuated, passive, contacts = problem.actuated, problem.passive, problem.contacts
    try:
        lower = np.asarray(np.linalg.cholesky(problem.mass_matrix[np.ix_(passive, passive)]), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    frames = contact_frames(problem.normals)
    jacobian = np.matmul(frames, problem.jacobian.reshape(contacts, 3, len(problem.bias))).reshape(3 * contacts, len(problem.bias))
    rate = np.matmul(frames, problem.jacobian_rate.reshape(contacts, 3, 1)).ravel()
    load = problem.bias[passive] + problem.mass_matrix[np.ix_(passive, actuated)] @ problem.acceleration
    whitened = np.linalg.solve(lower, jacobian[:, passive].T).T
    fall = whitened @ np.linalg.solve(lower, load)
    parts = np.stack((jacobian @ problem.velocity / problem.step, jacobian[:, actuated] @ problem.acceleration, rate, -fall))
    scale = 1.0 + float(np.abs(parts).sum(axis=0).max(initial=0.0))
    return Reduction(problem, frames, jacobian, lower, whitened, load, parts.sum(axis=0), -problem.gaps / problem.step**2, scale)
