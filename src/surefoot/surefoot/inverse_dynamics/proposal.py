# SPDX-License-Identifier: Apache-2.0
"""Which controller for which situation [Zapolsky 2017, Appendix E, Table 18]."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.selector import reason_against_hardware

LOW_FRICTION = 0.5
"""Coulomb coefficient below which ground counts as slippery. The source has 0.1 for low and no slip at all for high; walking asks for
tangential forces of up to half of the normal ones."""


class Task(StrEnum):
    """What the robot does with its contacts."""

    LOCOMOTION = "locomotion"
    GRASPING = "grasping"


class Verdict(NamedTuple):
    """One cell of the table.

    Attributes:
        passed: neither fell nor chattered.
        best: the choice of the source for this row.
        remark: why it failed, or what it is like.
    """

    passed: bool
    best: bool
    remark: str


@dataclass(frozen=True)
class Situation:
    """What is known when a controller is to be chosen.

    Attributes:
        contacts: largest number at once.
        friction: smallest Coulomb coefficient that is believed in, None if nobody knows.
        task: locomotion or grasping.
        hardware: a real robot, whose gears and motors torque chatter destroys.
        contact_forces: feet or fingers feel exact contact forces, as only a simulator's do.
        dynamics: masses and inertias of the robot are known.

    Raises:
        ConfigurationError: a number is negative.
    """

    contacts: int
    friction: float | None
    task: Task = Task.LOCOMOTION
    hardware: bool = False
    contact_forces: bool = False
    dynamics: bool = True

    def __post_init__(self) -> None:
        if self.contacts < 0 or (self.friction is not None and not self.friction >= 0.0):
            raise ConfigurationError(f"{self.contacts} contacts with friction {self.friction} is no situation; neither can be negative")

    @property
    def slippery(self) -> bool:
        """Whether slip must be expected; friction that nobody knows counts as low."""
        return self.friction is None or self.friction < LOW_FRICTION


@dataclass(frozen=True)
class Proposal:
    """A choice and why.

    Attributes:
        name: of the controller, for `selector.make_controller`.
        reason: for a person.
        others: further controllers that pass in this situation, best first.
    """

    name: str
    reason: str
    others: tuple[str, ...] = ()


CONTROLLERS = ("no_slip_lcp", "two_stage_qp_no_slip", "coulomb_lcp", "two_stage_qp")
"""The columns of the table."""

_SLIPS, _CHATTERS = "slips and falls", "torque chatter"
_NO_SLIP_FAILS = Verdict(False, False, _SLIPS)
_CHATTER_FAILS = Verdict(False, False, _CHATTERS)
_EVEN, _UNEVEN = "continuous, evenly distributed forces", "continuous, unevenly distributed forces"

_FEW_FIRM = (
    Verdict(True, True, f"{_EVEN}, fastest"),
    Verdict(True, False, f"{_EVEN}, slower"),
    Verdict(True, False, f"{_EVEN}, slower"),
    Verdict(True, False, f"{_EVEN}, slowest"),
)
_FEW_SLIPPERY = (_NO_SLIP_FAILS, _NO_SLIP_FAILS, Verdict(True, True, "continuous forces"), Verdict(True, False, "continuous forces"))
_MANY_FIRM = (
    Verdict(True, False, f"{_UNEVEN}, fastest"),
    Verdict(True, True, f"{_EVEN}, slower"),
    _CHATTER_FAILS,
    Verdict(True, False, f"{_EVEN}, slowest"),
)
_MANY_SLIPPERY = (_NO_SLIP_FAILS, _NO_SLIP_FAILS, _CHATTER_FAILS, Verdict(True, True, "continuous forces"))

FEW_CONTACTS = 2
"""Up to as many contacts make a two-footed gait."""


def verdicts(situation: Situation) -> dict[str, Verdict]:
    """The row of the table for a situation, by the name of the controller. A grasp counts as many contacts, however many fingers hold."""
    few = situation.task is Task.LOCOMOTION and situation.contacts <= FEW_CONTACTS
    if few:
        row = _FEW_SLIPPERY if situation.slippery else _FEW_FIRM
    else:
        row = _MANY_SLIPPERY if situation.slippery else _MANY_FIRM
    return dict(zip(CONTROLLERS, row, strict=True))


def propose(situation: Situation, available: Collection[str] = (*CONTROLLERS, "sensed_contact", "joint_pid")) -> Proposal:
    """The controller that the table marks as best, or the nearest that may be used.

    Beyond the table: hardware never gets what `selector.reason_against_hardware` refuses; without masses only `joint_pid` is left;
    `sensed_contact` is an alternative where exact contact forces are felt in a grasp, the one task in which the source saw it keep up.

    Args:
        situation: what is known.
        available: names that can be made, such as `selector.controller_names()`.

    Raises:
        ConfigurationError: none of the available controllers passes in this situation.
    """
    if not situation.dynamics:
        return _only_feedback(situation, available)
    row = verdicts(situation)
    passing = [name for name in CONTROLLERS if row[name].passed and name in available]
    ground = "unknown" if situation.friction is None else "low" if situation.slippery else "high"
    reason = f"{situation.contacts} contacts, {ground} friction"
    refused = [name for name in passing if situation.hardware and reason_against_hardware(name)]
    passing = [name for name in passing if name not in refused]
    if refused:
        reason += f"; {' and '.join(refused)} may not drive motors"
    # After the source's choice, the order of its priorities: even forces, then speed.
    passing.sort(key=lambda name: (not row[name].best, row[name].remark.startswith(_UNEVEN), CONTROLLERS.index(name)))
    if situation.contact_forces and situation.task is Task.GRASPING and not situation.hardware and "sensed_contact" in available:
        passing.append("sensed_contact")
    if not passing:
        raise ConfigurationError(f"no available controller passes with {reason}; make one of {', '.join(CONTROLLERS)} available")
    name = passing[0]
    remark = row[name].remark if name in row else "measured contact forces"
    return Proposal(name, f"{reason}: {remark}", tuple(passing[1:]))


def _only_feedback(situation: Situation, available: Collection[str]) -> Proposal:
    if "joint_pid" not in available:
        raise ConfigurationError("without masses only 'joint_pid' can be used, and it is not available; make it available")
    warning = "; expect it to slip" if situation.slippery else ""
    return Proposal("joint_pid", f"masses and inertias are not known{warning}")
