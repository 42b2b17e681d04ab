# SPDX-License-Identifier: Apache-2.0
"""The two stages of `convex_contact` as laws of general multi-bodies, with Coulomb's friction and without slip."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.inscribed_pyramid import EDGES, check_edges, inscribed_pyramids
from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.contact.reduction import Reduction, reduced
from surefoot.inverse_dynamics.convex_contact import ConvexContact, stage_one, stage_two
from surefoot.inverse_dynamics.law import FAILED
from surefoot.inverse_dynamics.multibody_law import TOLERANCE, acceleration_scale, answer, failed, obeys, solved_or_mended
from surefoot.inverse_dynamics.repair import nearest_consistent

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MultibodyTwoStage:
    """A `MultibodyLaw`: Stage I finds the motion, Stage II the smallest torques of it.

    Attributes:
        slips: whether contacts have Coulomb's friction; otherwise those that stay closed do not slip and friction is not read.
        edges: of the friction pyramids, which are inscribed.
        second_stage: whether there is one; without it the forces are what a solver happens to find.

    Raises:
        ConfigurationError: edges that make no pyramid.
    """

    slips: bool = True
    edges: int = EDGES
    second_stage: bool = True

    def __post_init__(self) -> None:
        check_edges(self.edges)

    def __call__(self, problem: MultibodyContactProblem, previous: MultibodyContactSolution | None = None) -> MultibodyContactSolution:
        """See `MultibodyLaw`; Stage II starts from the corners of the pyramids that the previous answer leans on."""
        given = reduced(problem)
        if given is None:
            return failed(problem)
        apart = given.open_if_unloaded
        result = solved_or_mended(given, lambda reduction: self._solve(reduction, apart), self._mended)
        if result is None:
            return failed(problem)
        reduction, (contact, force), repaired = result
        if not obeys(reduction, force, contact.friction, self.edges):
            return failed(problem)
        solution = answer(reduction, force, repaired=repaired)
        if not self.second_stage or solution.status == FAILED:
            return solution
        before = previous is not None and len(previous.force) == len(force)
        warm = reduction.in_contact_axes(previous.force) if previous is not None and before else None
        moved = stage_two(contact, force, solution.torque, warm)
        if not obeys(reduction, moved, contact.friction, self.edges):
            return solution
        better = answer(reduction, moved, repaired=repaired)
        inside = better.status < solution.status
        return better if inside or np.linalg.norm(better.torque) <= np.linalg.norm(solution.torque) else solution

    def _solve(self, reduction: Reduction, apart: NDArray[np.bool_]) -> tuple[ConvexContact, Array] | None:
        """Bounds and forces of Stage I from a first guess of which contacts stay apart, or None if there are none."""
        problem = reduction.problem
        friction = problem.friction if self.slips else np.where(apart, 0.0, np.inf)
        released, first = np.zeros_like(apart), None
        for _ in range(3 * problem.contacts + 2):
            contact = ConvexContact(reduction, friction, self.edges, apart)
            force = stage_one(contact)
            if force is None:
                if first is not None or not apart.any():
                    return first
                apart = np.zeros_like(apart)
                continue
            if not apart.any() and not released.any() and not np.isinf(friction).any():
                return contact, force
            motion, scale = reduction.contact_acceleration(force), acceleration_scale(reduction, force)
            above = motion[::3] - reduction.floor
            # Also against what makes the accelerations: once all contacts are let go only rounding is left of the forces.
            largest = max(reduction.scale * reduction.contact_mass, float(np.abs(force).max(initial=0.0)))
            loaded = force[::3] > TOLERANCE * largest
            closing = apart & (above <= TOLERANCE * scale)
            if closing.any():
                apart = apart & ~closing
                continue
            if (released & loaded).any():
                # What was let go is needed after all: the answer with everything held is the consistent one.
                return first
            held = np.isinf(friction) & ~apart
            if not self.slips and np.abs(motion.reshape(-1, 3)[held, 1:]).max(initial=0.0) > 10.0 * TOLERANCE * scale:
                return first
            first = first or (contact, force)
            landing = loaded & (friction == 0.0) & ~released
            if not self.slips and landing.any():
                friction = np.where(landing, np.inf, friction)
                continue
            first = (contact, force) if not released.any() else first
            # What has infinite friction is held by its tangents as long as it is closed, and no longer.
            pulled = np.abs(force.reshape(-1, 3)[:, 1:]).max(axis=1, initial=0.0) > 0.0
            opening = held & ~loaded & pulled & (above > TOLERANCE * scale)
            if not opening.any():
                return contact, force
            friction, released = np.where(opening, 0.0, friction), released | opening
        return first

    def _mended(self, reduction: Reduction) -> MultibodyContactProblem | None:
        normal = np.eye(len(reduction.free))[::3]
        if not self.slips:
            contacts = np.flatnonzero(~reduction.open_if_unloaded)
            return nearest_consistent(reduction, normal, normal, np.column_stack((3 * contacts + 1, 3 * contacts + 2)).ravel())
        rows = inscribed_pyramids(reduction.problem.friction, self.edges)
        return nearest_consistent(reduction, normal, rows, np.empty(0, np.int64))


two_stage_qp = MultibodyTwoStage()
two_stage_qp_no_slip = MultibodyTwoStage(slips=False)
