# SPDX-License-Identifier: Apache-2.0
"""What the sources find, as statements about numbers, and whether ours agree."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from surefoot.evaluation.reproduce.paper import LESS_ERROR_THAN_NO_SLIP, LESS_ERROR_THAN_PID, TRACKING
from surefoot.evaluation.reproduce.trial import Measured

LOW, HIGH = "low friction", "high friction"


@dataclass(frozen=True)
class Finding:
    """One statement of a source.

    Attributes:
        statement: in words.
        theirs, ours: the numbers that it rests on.
        reproduced: whether ours agree; None where our trials have no number for it.
    """

    statement: str
    theirs: str
    ours: str
    reproduced: bool | None


class Results:
    """Trials by ground and controller."""

    def __init__(self, trials: Iterable[Measured]) -> None:
        self.trials = tuple(trials)
        self._by_key = {(trial.ground, trial.contender, trial.task): trial for trial in self.trials}

    def of(self, ground: str, contender: str, task: str = "WaypointTrot") -> Measured | None:
        """One trial, None where there is none."""
        return self._by_key.get((ground, contender, task))

    def walked(self, ground: str, contender: str, task: str = "WaypointTrot") -> Measured | None:
        """One trial, None where there is none or the robot fell."""
        trial = self.of(ground, contender, task)
        return None if trial is None or trial.fell else trial

    def mean(self, contender: str, value: Callable[[Measured], float], grounds: Sequence[str]) -> float:
        """Mean of a number over those grounds on which the controller did not fall; NaN without any."""
        values = [value(trial) for ground in grounds if (trial := self.walked(ground, contender)) is not None]
        return sum(values) / len(values) if values else math.nan


def waypoint_findings(results: Results) -> list[Finding]:
    """What [Zapolsky and Drumwright 2016, section 8] finds in the waypoint trot."""
    grounds = [f"{surface}, {friction}" for surface in ("rigid", "compliant") for friction in (LOW, HIGH)]
    findings = [_less_error_than_pid(results, ground) for ground in grounds]
    findings += [_fell(results, f"{surface}, {LOW}", "no_slip_lcp") for surface in ("rigid", "compliant")]
    findings.append(_fell(results, f"compliant, {LOW}", "two_stage_qp_no_slip"))
    findings += [_sensed_is_worse(results, f"{surface}, {HIGH}") for surface in ("rigid", "compliant")]
    findings += [_predicts(results, f"rigid, {LOW}", "coulomb_lcp", 0.0194), _predicts(results, f"rigid, {HIGH}", "coulomb_lcp", 0.0155)]
    findings.append(_predicts(results, f"rigid, {HIGH}", "no_slip_lcp", 0.0116))
    rates = {name: results.mean(name, lambda trial: trial.torque_rate, grounds) for name in ("two_stage_qp", "coulomb_lcp", "joint_pid")}
    smooth, rough = rates["two_stage_qp"], rates["coulomb_lcp"]
    findings.append(
        Finding(
            "torques of two_stage_qp change 10 times less than those of coulomb_lcp", "53 against 678", f"{smooth:.1f} against {rough:.1f}",
            None if math.isnan(smooth + rough) else rough >= 10.0 * smooth,
        )
    )  # fmt: skip
    pid = rates["joint_pid"]
    findings.append(
        Finding(
            "and less than those of joint_pid", "53 against 100", f"{smooth:.1f} against {pid:.1f}",
            None if math.isnan(smooth + pid) else smooth < pid,
        )
    )  # fmt: skip
    return findings


def slippery_findings(results: Results, ground: str) -> list[Finding]:
    """What [Zapolsky et al. 2013, section 4] finds with HyQ on ground with a friction of 0.1."""
    findings = []
    pairs = [(task, share, "joint_pid") for task, share in LESS_ERROR_THAN_PID.items()]
    pairs += [(task, share, "orthogonal_decomposition") for task, share in LESS_ERROR_THAN_NO_SLIP.items()]
    for task, share, other in pairs:
        mine, theirs = results.walked(ground, "two_stage_qp", task), results.of(ground, other, task)
        less = math.nan if mine is None or theirs is None or theirs.fell else 1.0 - mine.position_error / theirs.position_error
        ours = f"{less:.0%} less" if math.isfinite(less) else _in_words(mine, theirs, other)
        fine = None if mine is None or theirs is None else theirs.fell or less > 0.0
        findings.append(Finding(f"{task}: less joint error than {other}", f"{share:.0%} less", ours, fine))
    return findings


def _in_words(mine: Measured | None, theirs: Measured | None, other: str) -> str:
    if theirs is not None and theirs.fell:
        return f"{other} fell after {theirs.seconds:.1f} s"
    return "two_stage_qp fell" if mine is None else "no trial"


def _less_error_than_pid(results: Results, ground: str) -> Finding:
    paper = TRACKING[ground]
    theirs = " against ".join("fell" if (row := paper[name]) is None else f"{row[0]:.4f}" for name in ("two_stage_qp", "joint_pid"))
    mine, pid = results.walked(ground, "two_stage_qp"), results.of(ground, "joint_pid")
    ours = f"{_error(mine)} against {_error(pid)}"
    fine = (
        None
        if pid is None or results.of(ground, "two_stage_qp") is None
        else mine is not None and (pid.fell or mine.position_error < pid.position_error)
    )
    return Finding(f"{ground}: joints follow better under two_stage_qp than under joint_pid", theirs, ours, fine)


def _error(trial: Measured | None) -> str:
    if trial is None:
        return "-"
    return f"{trial.position_error:.4f}" + (f" (fell at {trial.seconds:.1f} s)" if trial.fell else "")


def _fell(results: Results, ground: str, contender: str) -> Finding:
    trial = results.of(ground, contender)
    ours = "-" if trial is None else f"fell at {trial.seconds:.1f} s" if trial.fell else "walked on"
    return Finding(f"{ground}: {contender} falls", "fell", ours, None if trial is None else trial.fell)


def _sensed_is_worse(results: Results, ground: str) -> Finding:
    mine, sensed = results.walked(ground, "two_stage_qp"), results.of(ground, "sensed_contact")
    numbers = TRACKING[ground]["two_stage_qp"], TRACKING[ground]["sensed_contact"]
    theirs = " against ".join("fell" if row is None else f"{row[0]:.4f}" for row in numbers)
    fine = None if sensed is None or mine is None else sensed.fell or mine.position_error < sensed.position_error
    return Finding(f"{ground}: predicted forces serve better than sensed ones", theirs, f"{_error(mine)} against {_error(sensed)}", fine)


def _predicts(results: Results, ground: str, contender: str, theirs: float) -> Finding:
    trial = results.of(ground, contender)
    statement = f"{ground}: {contender} predicts the sum of normal forces within 2 %"
    if trial is None:
        return Finding(statement, f"{theirs:.2%}", "-", None)
    ours = f"{trial.relative_force_error:.2%}, median {trial.median_relative_force_error:.2%}" + (
        f" (fell at {trial.seconds:.1f} s)" if trial.fell else ""
    )
    return Finding(statement, f"{theirs:.2%}", ours, trial.relative_force_error < 0.02 and not trial.fell)
