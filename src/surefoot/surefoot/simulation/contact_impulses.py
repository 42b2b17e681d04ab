# SPDX-License-Identifier: Apache-2.0
"""Forces of rigid contacts over a time step: complementarity solved exactly, or relaxed and counted."""

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.complementarity import is_complementary
from surefoot.contact.coulomb_complementarity import LARGEST_FRICTION, coulomb_complementarity
from surefoot.contact.inscribed_pyramid import check_edges, clipped_into_pyramids
from surefoot.contact.lemke import solve_lemke
from surefoot.contact.reduction import Reduction

Array = NDArray[np.float64]

NEAR = 1e-3
"""m. Contacts that would come nearer than this by themselves are looked at together; the others are checked afterwards."""
BELOW = 1e-10
"""m. How far a contact that was left out may go below the ground."""
SWEEPS = 500
"""Of the relaxation that stands in where pivoting finds nothing."""


class ContactImpulses:
    """Solves the contacts of one time step after the other.

    Args:
        edges: of the friction pyramids, which are inscribed in Coulomb's cones.

    Attributes:
        solves: complementarity problems that were met.
        warm: of these, how many the contact modes of the step before solved.
        pivots: of Lemke's method, in all.
        relaxed: problems that Lemke's method did not solve; their forces are those of a projected Gauss-Seidel relaxation.

    Raises:
        ConfigurationError: edges that make no pyramid.
    """

    def __init__(self, edges: int) -> None:
        check_edges(edges)
        self._edges = edges
        self._near: list[int] = []
        self._loaded = np.empty(0, np.int64)
        self.solves = self.warm = self.pivots = self.relaxed = 0

    def forces(self, reduction: Reduction) -> Array:
        """Mean forces over the step, in the axes of the contacts, (3 c,), N."""
        step, friction = reduction.problem.step, np.minimum(reduction.problem.friction, LARGEST_FRICTION)
        contacts = reduction.contacts
        near = (reduction.free[::3] - reduction.floor) * step**2 < NEAR
        force = np.zeros(3 * contacts)
        for _ in range(contacts + 1):
            if near.any():
                force = self._solved(reduction, np.flatnonzero(near), friction)
            below = (reduction.contact_acceleration(force)[::3] - reduction.floor) * step**2 < -BELOW
            missed = below & ~near
            if not missed.any():
                break
            near |= missed
        return force

    def _solved(self, reduction: Reduction, near: NDArray[np.int64], friction: Array) -> Array:
        problem = coulomb_complementarity(reduction, near, friction[near], self._edges)
        self.solves += 1
        if self._near == near.tolist():
            solution = _of_modes(problem.matrix, problem.offset, self._loaded)
            if solution is not None:
                self.warm += 1
                return problem.to_force @ solution
        result = solve_lemke(problem.matrix, problem.offset)
        self.pivots += result.pivots
        if result.solved:
            self._near, self._loaded = near.tolist(), np.flatnonzero(result.solution > 0.0)
            return problem.to_force @ result.solution
        self.relaxed += 1
        self._near = []
        return _relaxed(reduction, near, friction, self._edges)


def _of_modes(matrix: Array, offset: Array, loaded: NDArray[np.int64]) -> Array | None:
    """The solution in which only `loaded` variables are above 0, or None if there is none."""
    solution = np.zeros(len(offset))
    if loaded.size:
        try:
            solution[loaded] = np.linalg.solve(matrix[np.ix_(loaded, loaded)], -offset[loaded])
        except np.linalg.LinAlgError:
            return None
    return np.maximum(solution, 0.0) if is_complementary(matrix, offset, solution) else None


def _relaxed(reduction: Reduction, near: NDArray[np.int64], friction: Array, edges: int) -> Array:
    """Forces by sweeps over the contacts, each moved against its velocity and clipped into its pyramid; within bounds at any time."""
    force = np.zeros(3 * reduction.contacts)
    target = reduction.free.copy()
    target[::3] -= reduction.floor
    motion = np.zeros(reduction.whitened.shape[1])
    for _ in range(SWEEPS):
        for contact in near:
            rows = slice(3 * contact, 3 * contact + 3)
            whitened = reduction.whitened[rows]
            velocity = target[rows] + whitened @ motion
            size = float(np.einsum("ij,ij->", whitened, whitened))
            moved = clipped_into_pyramids(force[rows] - velocity / max(size, 1e-12), friction[contact : contact + 1], edges)
            motion += whitened.T @ (moved - force[rows])
            force[rows] = moved
    return force
