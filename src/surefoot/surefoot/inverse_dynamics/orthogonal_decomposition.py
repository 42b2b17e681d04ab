# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics without slip by a QR decomposition of the contact Jacobian [Mistry, Buchli and Schaal 2010]."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.contact.reduction import Reduction, reduced
from surefoot.inverse_dynamics.multibody_law import TOLERANCE, answer, failed

Array = NDArray[np.float64]


def orthogonal_decomposition(
    problem: MultibodyContactProblem, previous: MultibodyContactSolution | None = None
) -> MultibodyContactSolution:
    """A `MultibodyLaw` for which contacts are glued: J v+ = 0, forces may pull. Gaps and friction are not read.

    With J^T = [Q_c Q_u] [R; 0] the equations of motion multiplied by Q_u^T hold no contact force, and of the torques that solve them the
    smallest are taken; the forces come from the rest of the equations [Mistry et al. 2010, Eq. 11-14]. The passive motion that the source
    takes for given comes from J v+ = 0 and, where the contacts leave it free, from its own equations of motion.

    The answer is RELAXED where a contact has to pull, and it is repaired where the accelerations wanted would move a contact: then the
    nearest ones that do not take their place.
    """
    reduction = reduced(problem)
    if reduction is None:
        return failed(problem)
    reduction, repaired = _consistent(reduction)
    force = _force(reduction)
    pulls = bool((force[::3] < -TOLERANCE * np.abs(force).max(initial=0.0)).any())
    solution = answer(reduction, force, repaired=repaired, relaxed=pulls)
    still = np.abs(reduction.contact_acceleration(force)).max(initial=0.0)
    # Not in parts of what the forces do: contacts that all but contradict are held by forces whose rounding alone moves them.
    return solution if still <= TOLERANCE * reduction.scale else failed(problem)


def _consistent(reduction: Reduction) -> tuple[Reduction, bool]:
    """The reduction with accelerations that leave the contacts where they are, and whether they had to be changed."""
    problem = reduction.problem
    outside = _complement(reduction.whitened)
    unmet = outside.T @ reduction.free
    if not unmet.size or np.abs(unmet).max() <= 0.1 * TOLERANCE * reduction.scale:
        return reduction, False
    coupling = np.linalg.solve(reduction.lower, problem.mass_matrix[np.ix_(reduction.passive, problem.actuated)])
    by_change = outside.T @ (reduction.jacobian[:, problem.actuated] - reduction.whitened @ coupling)
    change = np.linalg.lstsq(by_change, -unmet, rcond=1e-10)[0]
    mended = reduced(replace(problem, acceleration=problem.acceleration + change))
    return (reduction if mended is None else mended), True


def _complement(rows: Array) -> Array:
    """Orthonormal basis of what is orthogonal to the columns of a matrix (k, p), (k, r)."""
    if not rows.size:
        return np.eye(len(rows))
    left, lengths, _ = np.linalg.svd(rows)
    basis: Array = left[:, int(np.count_nonzero(lengths > 1e-9 * lengths[0])) :]
    return basis


def _force(reduction: Reduction) -> Array:
    """Contact forces in the axes of the contacts, (3 c,)."""
    problem = reduction.problem
    if not len(reduction.free):
        return np.zeros(0)
    # Any force that holds the contacts gives the motion; which forces bear it is decided below.
    motion = np.linalg.lstsq(reduction.whitened, -reduction.free, rcond=1e-6)[0]
    holding: Array = np.asarray(np.linalg.lstsq(reduction.whitened.T, motion, rcond=1e-6)[0], dtype=np.float64)
    needed = problem.mass_matrix @ reduction.acceleration(holding) + problem.bias
    orthogonal, triangle, order = qr(reduction.jacobian.T, pivoting=True)
    size = min(triangle.shape)
    diagonal = np.abs(np.diagonal(triangle)[:size])
    rank = int(np.count_nonzero(diagonal > 1e-10 * max(float(diagonal.max(initial=0.0)), 1e-12)))
    constrained, unconstrained = orthogonal[:, :rank], orthogonal[:, rank:]
    torque = np.linalg.lstsq(unconstrained[problem.actuated].T, unconstrained.T @ needed, rcond=1e-10)[0]
    rest = needed
    rest[problem.actuated] -= torque
    force = np.zeros(len(reduction.free))
    force[order] = np.linalg.lstsq(triangle[:rank], constrained.T @ rest, rcond=1e-12)[0]
    return force
