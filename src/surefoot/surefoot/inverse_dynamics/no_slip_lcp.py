# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with rigid contact without slip, as a complementarity problem [Zapolsky and Drumwright 2016, section 4]."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.complementarity import SOLVED
from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.contact.principal_pivoting import find_independent_rows, solve_principal_pivoting
from surefoot.contact.reduction import Reduction, reduced
from surefoot.inverse_dynamics.multibody_law import TOLERANCE, acceleration_scale, answer, failed, obeys, solved_or_mended
from surefoot.inverse_dynamics.repair import nearest_consistent

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Found:
    force: Array
    tangential_slip: float
    """Largest, over the contacts that are held, relative to the accelerations that add up."""
    pivots: int


def no_slip_lcp(problem: MultibodyContactProblem, previous: MultibodyContactSolution | None = None) -> MultibodyContactSolution:
    """0 <= f_N is complementary to N v+ >= -phi/dt, and contacts that stay closed do not slip: S v+ = T v+ = 0 [Eq. 36-45].

    Principal pivoting starts from the contacts that bore load in the previous answer. Work grows linearly with the contacts. If the
    accelerations wanted are not consistent with the contacts, the nearest ones that are take their place and the answer says so [section
    4.5]. The paper checks only N v+ for that; splayed legs break the tangential equations that were left out as dependent, so those are
    looked at as well. The paper also holds contacts by their tangents that open or are apart; here such a contact is let go.

    Friction coefficients are not read.
    """
    given = reduced(problem)
    if given is None:
        return failed(problem)
    warm, held, normal = _loaded(given, previous), ~given.open_if_unloaded, np.eye(len(given.free))[::3]
    result = solved_or_mended(
        given,
        lambda reduction: _closed_contacts_held(reduction, held, warm),
        lambda reduction: nearest_consistent(reduction, normal, normal, _tangents(held)),
    )
    if result is None:
        return failed(problem)
    reduction, found, repaired = result
    if not obeys(reduction, found.force, normal):
        return failed(problem)
    return answer(reduction, found.force, found.pivots, repaired=repaired)


def _loaded(reduction: Reduction, previous: MultibodyContactSolution | None) -> Sequence[int]:
    if previous is None or len(previous.force) != len(reduction.free):
        return ()
    return [int(contact) for contact in np.flatnonzero(reduction.in_contact_axes(previous.force)[::3] > 0.0)]


def _tangents(held: NDArray[np.bool_]) -> NDArray[np.int64]:
    contacts = np.flatnonzero(held)
    return np.column_stack((3 * contacts + 1, 3 * contacts + 2)).ravel()


def _closed_contacts_held(reduction: Reduction, held: NDArray[np.bool_], warm: Sequence[int]) -> _Found | None:
    """Forces with the tangents of the contacts that stay closed, and of no other, held, from a first guess of which they are."""
    released = np.zeros_like(held)
    pivots, first = 0, None
    for _ in range(2 * len(held) + 1):
        found = _solve(reduction, held, warm)
        if found is None or found.tangential_slip > TOLERANCE:
            return first
        pivots += found.pivots
        load = found.force[::3]
        if (released & (load > 0.0)).any():
            # What was let go is needed after all: the answer with everything held is the consistent one.
            return first
        found = _Found(found.force, found.tangential_slip, pivots)
        # A contact that was taken to stay apart and does not is held if it can be; else it lands and slides.
        first = first or found
        if (~held & (load > 0.0)).any():
            held = held | (load > 0.0)
            continue
        first = found if not released.any() else first
        above = reduction.contact_acceleration(found.force)[::3] - reduction.floor
        pulled = np.abs(found.force.reshape(-1, 3)[:, 1:]).max(axis=1, initial=0.0) > 0.0
        opening = held & (load == 0.0) & (above > TOLERANCE * acceleration_scale(reduction, found.force)) & pulled
        if not opening.any():
            return found
        held, released = held & ~opening, released | opening
    return first


def _solve(reduction: Reduction, held: NDArray[np.bool_], warm: Sequence[int]) -> _Found | None:
    normal, tangents = reduction.whitened[::3], _tangents(held)
    tangential = reduction.whitened[tangents]
    independent, basis = find_independent_rows(tangential)
    chosen = tangential[independent]
    motion: Array = np.zeros(normal.shape[1])
    if len(independent):
        motion = np.asarray(np.linalg.lstsq(chosen, -reduction.free[tangents[independent]], rcond=None)[0], dtype=np.float64)
    rows = normal - (normal @ basis.T) @ basis
    rows[np.einsum("ij,ij->i", rows, rows) <= 1e-16 * np.einsum("ij,ij->i", normal, normal)] = 0.0
    force = np.zeros(len(reduction.free))
    scale = reduction.scale + float(np.abs(normal @ motion).max(initial=0.0))
    result = solve_principal_pivoting(rows, reduction.free[::3] - reduction.floor + normal @ motion, warm, scale)
    if result.status != SOLVED:
        return None
    motion = motion + result.motion
    force[::3] = result.solution
    if len(independent):
        force[tangents[independent]] = np.linalg.lstsq(chosen.T, motion - normal.T @ result.solution, rcond=None)[0]
    slip = np.abs(reduction.free[tangents] + tangential @ motion).max(initial=0.0) / acceleration_scale(reduction, force)
    return _Found(force, float(slip), result.pivots)
