# SPDX-License-Identifier: Apache-2.0
"""Every row of the source's table, and what the library adds to it."""

from dataclasses import replace

import pytest

from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.proposal import CONTROLLERS, LOW_FRICTION, Situation, Task, propose, verdicts
from surefoot.inverse_dynamics.selector import controller_names, make_controller
from surefoot.robot.model import RobotModel

GRASP = Task.GRASPING
HIGH, LOW = float("inf"), 0.1

ROWS = {
    # Table 18: situation, the best, which pass in the order of the columns.
    "two-footed gait, high friction": (Situation(2, HIGH), "no_slip_lcp", (True, True, True, True)),
    "two-footed gait, low friction": (Situation(2, LOW), "coulomb_lcp", (False, False, True, True)),
    "quadruped walking, high friction": (Situation(4, HIGH), "two_stage_qp_no_slip", (True, True, False, True)),
    "quadruped walking, low friction": (Situation(4, LOW), "two_stage_qp", (False, False, False, True)),
    "grasp of a high-friction object": (Situation(4, HIGH, GRASP), "two_stage_qp_no_slip", (True, True, False, True)),
    "grasp of a low-friction object": (Situation(4, LOW, GRASP), "two_stage_qp", (False, False, False, True)),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_table(row: str) -> None:
    situation, best, passed = ROWS[row]
    cells = verdicts(situation)
    assert tuple(cells) == CONTROLLERS
    assert tuple(cell.passed for cell in cells.values()) == passed
    assert [name for name, cell in cells.items() if cell.best] == [best]
    proposal = propose(situation)
    assert proposal.name == best
    assert {proposal.name, *proposal.others} == {name for name, cell in cells.items() if cell.passed}


def test_failures_say_why() -> None:
    low = verdicts(Situation(4, LOW))
    assert low["no_slip_lcp"].remark == "slips and falls"
    assert low["coulomb_lcp"].remark == "torque chatter"


def test_hardware_never_chatters() -> None:
    for contacts in range(7):
        for friction in (None, 0.0, LOW, 0.6, HIGH):
            for task in Task:
                proposal = propose(Situation(contacts, friction, task, hardware=True))
                assert "coulomb_lcp" not in (proposal.name, *proposal.others)
    assert propose(Situation(2, LOW, hardware=True)).name == "two_stage_qp"
    assert "coulomb_lcp may not drive motors" in propose(Situation(2, LOW, hardware=True)).reason


def test_friction_that_nobody_knows_is_low() -> None:
    assert propose(Situation(4, None)).name == propose(Situation(4, LOW)).name == "two_stage_qp"
    assert Situation(4, LOW_FRICTION - 1e-6).slippery
    assert not Situation(4, LOW_FRICTION).slippery


def test_without_masses_only_feedback_is_left() -> None:
    assert propose(Situation(4, HIGH, dynamics=False)).name == "joint_pid"
    assert "slip" in propose(Situation(4, LOW, dynamics=False)).reason
    with pytest.raises(ConfigurationError, match="joint_pid"):
        propose(Situation(4, HIGH, dynamics=False), available=("two_stage_qp",))


def test_sensed_forces_are_an_alternative_in_a_simulated_grasp_only() -> None:
    assert "sensed_contact" in propose(Situation(4, LOW, GRASP, contact_forces=True)).others
    assert "sensed_contact" not in propose(Situation(4, LOW, GRASP, contact_forces=True, hardware=True)).others
    assert "sensed_contact" not in propose(Situation(4, LOW, contact_forces=True)).others


def test_what_is_not_available_is_not_proposed() -> None:
    assert propose(Situation(4, HIGH), available=("two_stage_qp", "no_slip_lcp")).name == "two_stage_qp"
    with pytest.raises(ConfigurationError, match="4 contacts, low friction"):
        propose(Situation(4, LOW), available=("no_slip_lcp",))


@pytest.mark.parametrize("row", ROWS)
def test_what_is_proposed_can_be_made(row: str, hyq: RobotModel) -> None:
    for hardware in (False, True):
        proposal = propose(replace(ROWS[row][0], hardware=hardware), available=controller_names())
        for name in (proposal.name, *proposal.others):
            assert callable(make_controller(name, hyq, hardware=hardware).control), name


@pytest.mark.parametrize(("contacts", "friction"), [(-1, 0.5), (4, -0.1), (4, float("nan"))])
def test_situations_that_cannot_be_are_refused(contacts: int, friction: float) -> None:
    with pytest.raises(ConfigurationError, match="is no situation"):
        Situation(contacts, friction)
