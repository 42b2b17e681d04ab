# SPDX-License-Identifier: Apache-2.0
"""What the contact laws of general multi-bodies share: their form, and how an answer is put together and checked."""

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.inscribed_pyramid import EDGES, pulls_or_slides
from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.contact.reduction import Reduction, plain, reduced
from surefoot.inverse_dynamics.law import FAILED, RELAXED, SOLVED

Array = NDArray[np.float64]

Found = TypeVar("Found")

TOLERANCE = 1e-7
"""How far an answer may be outside of a bound, relative to the size of what is added up."""
SLACK = 3e-9
"""What contacts may go below their floors while a solver looks for forces, relative to the size of the accelerations that add up. Where
they are clamped between bodies there would otherwise be nothing between too much and too little."""
RESIDUAL = 1e-9
"""Likewise, of the equations of motion."""


class MultibodyLaw(Protocol):
    """A contact law of general multi-bodies. It never raises; it answers FAILED."""

    def __call__(self, problem: MultibodyContactProblem, previous: MultibodyContactSolution | None = None, /) -> MultibodyContactSolution:
        """Contact forces and torques that give the actuated coordinates their accelerations.

        Args:
            problem: to be solved.
            previous: the answer of the tick before, from which a law may start or stay near to; it is used if the contacts are as many.
        """
        ...


def solved_or_mended(
    reduction: Reduction,
    solve: Callable[[Reduction], Found | None],
    mend: Callable[[Reduction], MultibodyContactProblem | None],
) -> tuple[Reduction, Found, bool] | None:
    """What a law finds for a problem, or else for the nearest consistent one [section 4.5].

    Args:
        reduction: of the problem as it was given.
        solve: the law; None where it finds nothing.
        mend: the nearest problem that rigid contact allows; None where it is the given one.

    Returns:
        The reduction that was solved, what was found, and whether it was mended; None where nothing is found for either.
    """
    found = solve(reduction)
    if found is not None:
        return reduction, found, False
    mended = mend(reduction)
    nearest = reduction if mended is None else reduced(mended)
    found = None if nearest is None else solve(nearest)
    return None if nearest is None or found is None else (nearest, found, True)


def failed(problem: MultibodyContactProblem, iterations: int = 0) -> MultibodyContactSolution:
    """The answer that there is no answer."""
    sizes = 3 * problem.contacts, len(problem.actuated), len(problem.bias)
    force, torque, acceleration = (np.full(size, np.nan) for size in sizes)
    return MultibodyContactSolution(force, torque, acceleration, FAILED, iterations)


def answer(
    reduction: Reduction, force: Array, iterations: int = 0, *, repaired: bool = False, relaxed: bool = False
) -> MultibodyContactSolution:
    """The answer of contact forces in the axes of the contacts, (3 c,): SOLVED, or RELAXED beyond a torque limit.

    Torques are not clamped. It is FAILED if a number is not finite or the equations of motion do not hold.
    """
    problem = reduction.problem
    acceleration = reduction.acceleration(force)
    torque, odom = reduction.torque(force, acceleration), reduction.in_odom(force)
    if not _moves(
        plain(problem.mass_matrix), plain(problem.bias), plain(problem.jacobian), np.array(problem.actuated), odom, torque, acceleration
    ):
        return failed(problem, iterations)
    beyond = bool((np.abs(torque) > problem.effort_limit * (1.0 + 1e-9)).any())
    status = RELAXED if relaxed or beyond else SOLVED
    return MultibodyContactSolution(odom, torque, acceleration, status, iterations, repaired)


@compiled
def _moves(
    mass: Array, bias: Array, jacobian: Array, actuated: NDArray[np.int64], force: Array, torque: Array, acceleration: Array
) -> bool:
    """Whether the equations of motion hold and every number is finite."""
    total = np.abs(force).sum()
    needed, pushed = mass @ acceleration, jacobian.T @ force
    residual = needed + bias - pushed
    for place in range(len(actuated)):
        residual[actuated[place]] -= torque[place]
    size, worst, most = 1.0 + total, 0.0, np.zeros(3)
    for i in range(len(bias)):
        worst = max(worst, abs(residual[i]))
        most[0], most[1], most[2] = max(most[0], abs(needed[i])), max(most[1], abs(bias[i])), max(most[2], abs(pushed[i]))
    size += most.sum()
    return math.isfinite(total + torque.sum() + residual.sum()) and worst <= RESIDUAL * size


def obeys(reduction: Reduction, force: Array, friction: Array | None = None, edges: int = EDGES) -> bool:
    """Whether forces in the axes of the contacts do not pull, stay in their pyramids and let no contact go below its floor.

    Args:
        force: (3 c,), N.
        friction: coefficients, (c,); infinite if none is given.
        edges: of the pyramids, which are inscribed.
    """
    coefficients = np.full(reduction.contacts, np.inf) if friction is None else plain(friction)
    if not pulls_or_slides(force, coefficients, edges) <= TOLERANCE * (1.0 + float(np.abs(force).max(initial=0.0))):
        return False
    above = reduction.contact_acceleration(force)[::3] - reduction.floor
    return bool((above >= -TOLERANCE * acceleration_scale(reduction, force)).all())


def acceleration_scale(reduction: Reduction, force: Array) -> float:
    """Size of the contact accelerations that add up, m/s^2."""
    motion = reduction.whitened.T @ force
    return reduction.scale + reduction.longest * math.sqrt(motion @ motion)
