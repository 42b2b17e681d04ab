# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with rigid contact and Coulomb's friction as a complementarity problem [Zapolsky and Drumwright 2016, section 5].

Forces are not unique with more than two or three contacts, and consecutive answers may lie far apart: torques chatter. It is a model to
compare with and to predict forces by, not one to drive motors.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.coulomb_complementarity import LARGEST_FRICTION, coulomb_complementarity
from surefoot.contact.enumeration import LARGEST, complementary_solutions, nearest
from surefoot.contact.inscribed_pyramid import EDGES, check_edges, friction_directions
from surefoot.contact.lemke import solve_lemke
from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.contact.reduction import Reduction, reduced
from surefoot.inverse_dynamics.multibody_law import SLACK, answer, failed, obeys, solved_or_mended
from surefoot.inverse_dynamics.repair import nearest_consistent

Array = NDArray[np.float64]

NOT_ON_HARDWARE = "its contact forces jump from tick to tick where they are not unique, and with them the torques"


@dataclass(frozen=True)
class CoulombLcp:
    """A `MultibodyLaw` by Lemke's method.

    Attributes:
        edges: of the friction pyramids, which are inscribed.
        stays_near: whether, on few contacts, all basic solutions are looked through for the one whose torques differ least from the
            previous ones, or from none at all without a previous answer [Alg. 3]. It takes exponential time.

    Raises:
        ConfigurationError: edges that make no pyramid.
    """

    edges: int = EDGES
    stays_near: bool = False

    def __post_init__(self) -> None:
        check_edges(self.edges)

    def __call__(self, problem: MultibodyContactProblem, previous: MultibodyContactSolution | None = None) -> MultibodyContactSolution:
        """See `MultibodyLaw`."""
        given = reduced(problem)
        result = None if given is None else solved_or_mended(given, lambda reduction: self._solve(reduction, previous), self._mended)
        if result is None:
            return failed(problem)
        reduction, (force, pivots), repaired = result
        return answer(reduction, force, pivots, repaired=repaired)

    def _solve(self, reduction: Reduction, previous: MultibodyContactSolution | None) -> tuple[Array, int] | None:
        """Forces in the axes of the contacts and pivots, or None."""
        friction = np.minimum(reduction.problem.friction, LARGEST_FRICTION)
        for apart in (reduction.open_if_unloaded, np.zeros(reduction.contacts, np.bool_)):
            near = np.flatnonzero(~apart)
            lcp = coulomb_complementarity(reduction, near, friction[near], self.edges, SLACK)
            if self.stays_near and 0 < len(lcp.offset) <= LARGEST:
                solutions, pivots = complementary_solutions(lcp.matrix, lcp.offset), 2 ** len(lcp.offset)
                forces = solutions @ lcp.to_force.T
                torques = np.array([reduction.torque(force, reduction.acceleration(force)) for force in forces])
                reference = np.zeros(len(reduction.problem.actuated)) if previous is None else previous.torque
                chosen = nearest(torques, reference)
                force = None if chosen is None else forces[chosen]
            else:
                result = solve_lemke(lcp.matrix, lcp.offset)
                force, pivots = (lcp.to_force @ result.solution if result.solved else None), result.pivots
            if force is not None and obeys(reduction, force, friction, self.edges):
                return force, pivots
            if not apart.any():
                break
        return None

    def _mended(self, reduction: Reduction) -> MultibodyContactProblem | None:
        """Accelerations for which Lemke's method must find a solution.

        Its condition is that no forces inside the pyramids that move nothing would work against the contact velocities. That holds once
        some force, inside of the pyramids or not, brings the contact velocities into the dual of the pyramids.
        """
        friction = np.minimum(reduction.problem.friction, LARGEST_FRICTION)
        corners, contacts = friction_directions(self.edges), reduction.contacts
        rows = np.zeros((contacts * self.edges, 3 * contacts))
        for contact in range(contacts):
            sides = slice(self.edges * contact, self.edges * (contact + 1))
            rows[sides, 3 * contact] = 1.0
            rows[sides, 3 * contact + 1 : 3 * contact + 3] = friction[contact] * corners
        return nearest_consistent(reduction, rows, np.zeros((0, 3 * contacts)), np.empty(0, np.int64))


coulomb_lcp = CoulombLcp()
