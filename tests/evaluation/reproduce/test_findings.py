# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import pytest

from surefoot.evaluation.reproduce.findings import Finding, Results, slippery_findings, waypoint_findings
from surefoot.evaluation.reproduce.trial import Measured

WALKED = Measured(
    contender="two_stage_qp", ground="rigid, low friction", task="WaypointTrot", seed=0, seconds=30.0, fell=False, position_error=0.02,
    velocity_error=1.0, torque_rate=50.0, torque=0.5, force_error=0.5, relative_force_error=0.01, median_relative_force_error=0.01, held=0,
    without_answer=0, centre_of_mass_path=[], joint_error=[],
)  # fmt: skip


def of(findings: list[Finding], begin: str) -> Finding:
    return next(finding for finding in findings if finding.statement.startswith(begin))


def test_without_trials_nothing_is_claimed() -> None:
    assert {finding.reproduced for finding in waypoint_findings(Results([]))} == {None}


@pytest.mark.parametrize(("error", "fell", "reproduced"), [(0.03, False, True), (0.01, False, False), (0.01, True, True)])
def test_less_error_than_pid(error: float, fell: bool, reproduced: bool) -> None:
    pid = replace(WALKED, contender="joint_pid", position_error=error, fell=fell)
    assert of(waypoint_findings(Results([WALKED, pid])), "rigid, low friction: joints follow").reproduced is reproduced


def test_a_controller_that_walks_on_where_the_source_saw_it_fall_is_no_reproduction() -> None:
    begin = "rigid, low friction: no_slip_lcp falls"
    walked = replace(WALKED, contender="no_slip_lcp")
    assert of(waypoint_findings(Results([walked])), begin).reproduced is False
    assert of(waypoint_findings(Results([replace(walked, fell=True)])), begin).reproduced is True


@pytest.mark.parametrize(("error", "fell", "reproduced"), [(0.019, False, True), (0.021, False, False), (0.019, True, False)])
def test_prediction_within_two_percent(error: float, fell: bool, reproduced: bool) -> None:
    trial = replace(WALKED, contender="coulomb_lcp", relative_force_error=error, fell=fell)
    assert of(waypoint_findings(Results([trial])), "rigid, low friction: coulomb_lcp predicts").reproduced is reproduced


def test_ten_times_smoother() -> None:
    rough = replace(WALKED, contender="coulomb_lcp", torque_rate=499.0)
    begin = "torques of two_stage_qp"
    assert of(waypoint_findings(Results([WALKED, rough])), begin).reproduced is False
    assert of(waypoint_findings(Results([WALKED, replace(rough, torque_rate=501.0)])), begin).reproduced is True


def test_only_grounds_that_both_walked_are_compared() -> None:
    fallen = replace(WALKED, contender="joint_pid", torque_rate=1.0, fell=True)
    firm = replace(WALKED, ground="rigid, high friction", torque_rate=60.0)
    pid = replace(firm, contender="joint_pid", torque_rate=70.0)
    found = of(waypoint_findings(Results([WALKED, fallen, firm, pid])), "torques of two_stage_qp change less")
    assert (found.ours, found.reproduced) == ("60.0 against 70.0 N m/s", True)


def test_who_falls_is_compared_as_a_whole() -> None:
    names = ("two_stage_qp", "two_stage_qp_no_slip", "coulomb_lcp", "no_slip_lcp", "joint_pid", "sensed_contact", "sensed_contact_2")
    trials = [replace(WALKED, contender=name, fell=name == "no_slip_lcp") for name in names]
    begin = "rigid, low friction: the same controllers fall"
    assert of(waypoint_findings(Results(trials)), begin).reproduced is True
    assert of(waypoint_findings(Results([*trials[:-1], replace(trials[-1], fell=True)])), begin).reproduced is False
    assert of(waypoint_findings(Results(trials[1:])), begin).reproduced is None


def test_on_slippery_ground_it_counts_who_falls() -> None:
    mine = replace(WALKED, task="FigureEight", ground="ice")
    pid = replace(mine, contender="joint_pid", position_error=0.1)
    peer = replace(mine, contender="orthogonal_decomposition", fell=True, seconds=2.0)
    findings = slippery_findings(Results([mine, pid, peer]), "ice")
    assert of(findings, "FigureEight: less joint error than joint_pid").ours == "80% less"
    fallen = of(findings, "FigureEight: less joint error than orthogonal_decomposition")
    assert fallen.reproduced is True
    assert "fell at 2.0 s" in fallen.ours
    lost = slippery_findings(Results([replace(mine, fell=True), pid, peer]), "ice")
    assert of(lost, "FigureEight: less joint error than joint_pid").reproduced is False
    assert of(findings, "Trot").reproduced is None


@pytest.mark.parametrize(("off", "fell", "reproduced"), [(0.04, False, True), (0.001, False, False), (0.001, True, True)])
def test_the_centre_of_mass_keeps_to_the_lines(off: float, fell: bool, reproduced: bool) -> None:
    begin = "rigid, low friction: the centre of mass keeps"
    mine = replace(WALKED, centre_of_mass_path=[[0.1, 0.005], [0.2, -0.005]])
    assert mine.off_the_lines == pytest.approx(0.005)
    names = ("sensed_contact", "sensed_contact_2")
    sensed = [replace(WALKED, contender=name, centre_of_mass_path=[[0.1, off]], fell=fell) for name in names]
    assert of(waypoint_findings(Results([mine, *sensed])), begin).reproduced is reproduced
    assert of(waypoint_findings(Results([mine, sensed[0]])), begin).reproduced is None
