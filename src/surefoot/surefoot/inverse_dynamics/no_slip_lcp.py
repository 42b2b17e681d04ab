# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with rigid contact without slip, as a complementarity problem [Zapolsky and Drumwright 2016, section 4]."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.complementarity import SOLVED
from surefoot.contact.held_contacts import press_held_contacts
from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.contact.principal_pivoting import DEPENDENT
from surefoot.contact.reduction import Reduction, reduced
from surefoot.inverse_dynamics.multibody_law import TOLERANCE, acceleration_scale, answer, failed, obeys, solved_or_mended
from surefoot.inverse_dynamics.repair import nearest_consistent

Array = NDArray[np.float64]


INDEPENDENT = (0.2, 0.02, DEPENDENT)
"""Shares of a tangential direction that must be its own, one after another until nothing slips. Feet that lie nearly in one plane differ by
little in what their tangents hold; taken for independent, they hold the base upright by thousands of newtons along the ground, and leave
nothing to the normal forces."""

WEDGED, LITTLE = 20.0, 1e-3
"""Where forces that stop every slip are larger than this, in units of those that give the contacts the accelerations of the problem, a slip
of this part of the accelerations is left. In a trot a third foot that lands a part of a millimetre above the plane of the two that stand
asks for 43 to 1400 units to stop slips of 2e-7 to 3e-4, in 15 of 7750 ticks; in all others forces stay below 4.1 units."""


@dataclass(frozen=True)
class _Found:
    force: Array
    tangential_slip: float
    """Largest, over the contacts that are held, relative to the accelerations that add up."""
    pivots: int

    @property
    def largest(self) -> float:
        """Of the components of the forces, N."""
        return float(np.abs(self.force).max(initial=0.0))


def no_slip_lcp(problem: MultibodyContactProblem, previous: MultibodyContactSolution | None = None) -> MultibodyContactSolution:
    """0 <= f_N is complementary to N v+ >= -phi/dt, and contacts that stay closed do not slip: S v+ = T v+ = 0 [Eq. 36-45].

    Principal pivoting starts from the contacts that bore load in the previous answer. Work grows linearly with the contacts. If the
    accelerations wanted are not consistent with the contacts, the nearest ones that are take their place and the answer says so [section
    4.5]. The paper checks only N v+ for that; splayed legs break the tangential equations that were left out as dependent, so those are
    looked at as well. The paper also holds contacts by their tangents that open or are apart; here such a contact is let go.

    Friction coefficients are not read. The answer is RELAXED where a little slip is left, see WEDGED.
    """
    given = reduced(problem)
    if given is None:
        return failed(problem)
    warm, held = _loaded(given, previous), ~given.open_if_unloaded
    result = solved_or_mended(
        given,
        lambda reduction: _closed_contacts_held(reduction, held, warm),
        lambda reduction: _mended(reduction, held),
    )
    if result is None:
        return failed(problem)
    reduction, found, repaired = result
    if not obeys(reduction, found.force):
        return failed(problem)
    return answer(reduction, found.force, found.pivots, repaired=repaired, relaxed=found.tangential_slip > TOLERANCE)


def _loaded(reduction: Reduction, previous: MultibodyContactSolution | None) -> NDArray[np.int64]:
    if previous is None or len(previous.force) != len(reduction.free):
        return np.empty(0, np.int64)
    return np.flatnonzero(reduction.in_contact_axes(previous.force)[::3] > 0.0)


def _mended(reduction: Reduction, held: NDArray[np.bool_]) -> MultibodyContactProblem | None:
    normal, contacts = np.eye(len(reduction.free))[::3], np.flatnonzero(held)
    return nearest_consistent(reduction, normal, normal, np.column_stack((3 * contacts + 1, 3 * contacts + 2)).ravel())


def _closed_contacts_held(reduction: Reduction, held: NDArray[np.bool_], warm: NDArray[np.int64]) -> _Found | None:
    """Forces with the tangents of the contacts that stay closed, and of no other, held, from a first guess of which they are."""
    found = _all_held(reduction, held, warm)
    if found is None or found.largest <= WEDGED * reduction.scale * reduction.contact_mass:
        return found
    loose = _pressed(reduction, held, warm, INDEPENDENT[0])
    return found if loose is None or loose.tangential_slip > LITTLE or loose.largest > found.largest else loose


def _all_held(reduction: Reduction, held: NDArray[np.bool_], warm: NDArray[np.int64]) -> _Found | None:
    """The same whatever forces it takes."""
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


def _solve(reduction: Reduction, held: NDArray[np.bool_], warm: NDArray[np.int64]) -> _Found | None:
    """The answer with as few tangential equations as hold all contacts."""
    found = None
    for dependent in INDEPENDENT:
        found = _pressed(reduction, held, warm, dependent)
        if found is not None and found.tangential_slip <= TOLERANCE:
            break
    return found


def _pressed(reduction: Reduction, held: NDArray[np.bool_], warm: NDArray[np.int64], dependent: float) -> _Found | None:
    force = np.empty(len(reduction.free))
    status, pivots, slip = press_held_contacts(
        reduction.whitened, reduction.free, reduction.floor, held, warm, dependent, reduction.scale, force
    )
    return _Found(force, slip / acceleration_scale(reduction, force), pivots) if status == SOLVED else None
