# SPDX-License-Identifier: Apache-2.0
"""How long the contact laws of multi-bodies take as the contacts get more [Zapolsky and Drumwright 2016, Fig. 19].

Each tick is solved twice: cold, and warm with the answer of the tick before. All laws take turns, so that they meet the same machine. What
takes far longer than a tick at some number of contacts is not asked for more of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.evaluation.bench.patches import FootPatches
from surefoot.evaluation.bench.sample import Times, times_of
from surefoot.inverse_dynamics.coulomb_lcp import coulomb_lcp
from surefoot.inverse_dynamics.inverse_contact import inverse_contact
from surefoot.inverse_dynamics.law import FAILED
from surefoot.inverse_dynamics.multibody_law import MultibodyLaw
from surefoot.inverse_dynamics.multibody_two_stage import two_stage_qp, two_stage_qp_no_slip
from surefoot.inverse_dynamics.no_slip_lcp import no_slip_lcp
from surefoot.inverse_dynamics.orthogonal_decomposition import orthogonal_decomposition
from surefoot.robot.load import load_robot

LAWS: Mapping[str, MultibodyLaw] = {
    "no_slip_lcp": no_slip_lcp,
    "two_stage_qp": two_stage_qp,
    "two_stage_qp_no_slip": two_stage_qp_no_slip,
    "coulomb_lcp": coulomb_lcp,
    "orthogonal_decomposition": orthogonal_decomposition,
    "inverse_contact": inverse_contact,
}

POINTS_PER_FOOT = (1, 2, 3, 4, 6, 8, 10, 11, 12, 14, 16)
GIVEN_UP = 0.05
"""s; a law with a longer median is not asked for more contacts."""
BUDGET = 1e-3
"""s; what a tick may take at 1000 Hz."""
GROWTH_FROM = 16
"""Contacts from which on the exponent of growth is fitted: below, what does not depend on them decides."""


@dataclass(frozen=True)
class ContactCost:
    """One law on one number of contacts.

    Attributes:
        contacts: of the robot.
        cold, warm: times without and with the answer of the tick before.
        answered: of the warm ticks, how many have an answer; one beyond a torque limit counts.
        repaired: of these, how many had their accelerations changed.
    """

    contacts: int
    cold: Times
    warm: Times
    answered: int
    repaired: int


@dataclass(frozen=True)
class ContactsResult:
    """Times by number of contacts.

    Attributes:
        ticks: measured of each law and number of contacts.
        curves: by law, with rising numbers of contacts.
        under_1ms, cold_under_1ms: largest number of contacts whose median, warm or cold, is below 1 ms; 0 if there is none.
        growth: exponent of the number of contacts in the warm medians from `GROWTH_FROM` contacts on; NaN with fewer than two of them.
    """

    ticks: int
    curves: dict[str, list[ContactCost]]
    under_1ms: dict[str, int]
    cold_under_1ms: dict[str, int]
    growth: dict[str, float]


def bench_contacts(
    robot: str, ticks: int = 40, points_per_foot: Sequence[int] = POINTS_PER_FOOT, laws: Mapping[str, MultibodyLaw] = LAWS, seed: int = 0
) -> ContactsResult:
    """Time the laws on a robot that stands with more and more contact points under each foot.

    Args:
        robot: name or path.
        ticks: measured of each law and number of contacts.
        points_per_foot: rising.
        laws: by name.
        seed: of the states.
    """
    patches, curves = FootPatches(load_robot(robot), seed), {name: list[ContactCost]() for name in laws}
    for points in points_per_foot:
        problems = [patches.problem(points, tick) for tick in range(ticks + 1)]
        asked = {name: law for name, law in laws.items() if not curves[name] or 1e-6 * curves[name][-1].warm.median_us < GIVEN_UP}
        for name, cost in _costs(problems, asked).items():
            curves[name].append(cost)
    return ContactsResult(
        ticks,
        curves,
        {name: _largest_below(curve, "warm") for name, curve in curves.items()},
        {name: _largest_below(curve, "cold") for name, curve in curves.items()},
        {name: growth([(cost.contacts, cost.warm.median_us) for cost in curve]) for name, curve in curves.items()},
    )


def growth(times: Sequence[tuple[int, float]]) -> float:
    """Slope of a line through (log contacts, log time): 1 if time is in proportion; NaN for fewer than two numbers from GROWTH_FROM on."""
    many = np.log([pair for pair in times if pair[0] >= GROWTH_FROM])
    return float(np.polyfit(many[:, 0], many[:, 1], 1)[0]) if len(many) > 1 else float("nan")


def _costs(problems: Sequence[MultibodyContactProblem], laws: Mapping[str, MultibodyLaw]) -> dict[str, ContactCost]:
    """Of all laws, tick by tick; the first problem is a warm-up."""
    cold, warm = ({name: np.zeros(len(problems)) for name in laws} for _ in range(2))
    answered, repaired = dict.fromkeys(laws, 0), dict.fromkeys(laws, 0)
    last: dict[str, MultibodyContactSolution | None] = dict.fromkeys(laws)
    for tick, problem in enumerate(problems):
        for name, law in laws.items():
            start = perf_counter()
            law(problem)
            between = perf_counter()
            answer = law(problem, last[name])
            cold[name][tick], warm[name][tick] = between - start, perf_counter() - between
            last[name] = None if answer.status == FAILED else answer
            answered[name] += tick > 0 and answer.status != FAILED
            repaired[name] += tick > 0 and answer.repaired
    contacts = problems[0].contacts
    return {
        name: ContactCost(contacts, times_of(cold[name][1:]), times_of(warm[name][1:]), answered[name], repaired[name]) for name in laws
    }


def _largest_below(curve: Sequence[ContactCost], which: str) -> int:
    return max((cost.contacts for cost in curve if 1e-6 * getattr(cost, which).median_us < BUDGET), default=0)
