# SPDX-License-Identifier: Apache-2.0
"""What the sources find, as statements about numbers, and whether ours agree."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from surefoot.evaluation.reproduce.paper import LESS_ERROR_THAN_NO_SLIP, LESS_ERROR_THAN_PID, TRACKING
from surefoot.evaluation.reproduce.trial import Measured

LOW, HIGH = "low friction", "high friction"
"""As in the names of `grounds.GROUNDS`."""


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

    def mean_rate(self, contender: str, other: str, grounds: Sequence[str]) -> tuple[float, float]:
        """Mean torque rates of two controllers over those grounds on which neither fell, N m/s; NaN without any."""
        pairs = [(self.of(ground, contender), self.of(ground, other)) for ground in grounds]
        rates = [(one.torque_rate, two.torque_rate) for one, two in pairs if one and two and not (one.fell or two.fell)]
        return (sum(one for one, _ in rates) / len(rates), sum(two for _, two in rates) / len(rates)) if rates else (math.nan, math.nan)


def waypoint_findings(results: Results) -> list[Finding]:
    """What [Zapolsky and Drumwright 2016, section 8] finds in the waypoint trot."""
    grounds = [f"{surface}, {friction}" for surface in ("rigid", "compliant") for friction in (LOW, HIGH)]
    pid, sensed = "joints follow better under two_stage_qp than under joint_pid", "predicted forces serve better than sensed ones"
    findings = [_follows_better(results, ground, "joint_pid", pid) for ground in grounds]
    findings += [_fell(results, f"{surface}, {LOW}", "no_slip_lcp") for surface in ("rigid", "compliant")]
    findings.append(_fell(results, f"compliant, {LOW}", "two_stage_qp_no_slip"))
    findings += [_follows_better(results, f"{surface}, {HIGH}", "sensed_contact", sensed) for surface in ("rigid", "compliant")]
    findings += [_keeps_to_the_lines(results, f"rigid, {friction}") for friction in (LOW, HIGH)]
    for surface in ("rigid", "matched"):
        findings += [_predicts(results, f"{surface}, {word}", "coulomb_lcp", error) for word, error in ((LOW, 0.0194), (HIGH, 0.0155))]
        findings.append(_predicts(results, f"{surface}, {HIGH}", "no_slip_lcp", 0.0116))
    findings += [_same_fall(results, ground) for ground in grounds]
    findings.append(_smoother(results, grounds, "coulomb_lcp", 10.0, "53 against 678"))
    findings.append(_smoother(results, grounds, "joint_pid", 1.0, "53 against 100"))
    return findings


def slippery_findings(results: Results, ground: str) -> list[Finding]:
    """What [Zapolsky et al. 2013, section 4] finds with HyQ on ground with a friction of 0.1."""
    findings = []
    pairs = [(task, share, "joint_pid") for task, share in LESS_ERROR_THAN_PID.items()]
    pairs += [(task, share, "orthogonal_decomposition") for task, share in LESS_ERROR_THAN_NO_SLIP.items()]
    for task, share, other in pairs:
        mine, theirs = results.of(ground, "two_stage_qp", task), results.of(ground, other, task)
        ours = f"{_error(mine)} against {_error(theirs)}"
        if mine and theirs and not (mine.fell or theirs.fell):
            ours = f"{1.0 - mine.position_error / theirs.position_error:.0%} less"
        findings.append(Finding(f"{task}: less joint error than {other}", f"{share:.0%} less", ours, _better(mine, theirs)))
    return findings


def _better(mine: Measured | None, other: Measured | None) -> bool | None:
    """Whether one robot walked where the other fell or erred more; None if one of them was not asked."""
    if mine is None or other is None:
        return None
    return not mine.fell and (other.fell or mine.position_error < other.position_error)


def _printed(ground: str, contender: str) -> str:
    row = TRACKING[ground][contender]
    return "fell" if row is None else f"{row[0]:.4f}"


def _follows_better(results: Results, ground: str, other: str, statement: str) -> Finding:
    mine, theirs = results.of(ground, "two_stage_qp"), results.of(ground, other)
    printed = f"{_printed(ground, 'two_stage_qp')} against {_printed(ground, other)}"
    return Finding(f"{ground}: {statement}", printed, f"{_error(mine)} against {_error(theirs)}", _better(mine, theirs))


def _keeps_to_the_lines(results: Results, ground: str) -> Finding:
    """[Zapolsky and Drumwright 2016, Fig. 17]; its paths are pictures without numbers."""
    mine, *sensed = (results.of(ground, name) for name in ("two_stage_qp", "sensed_contact", "sensed_contact_2"))
    known = [trial for trial in sensed if trial is not None]
    ours = " and ".join(f"{_off(trial)}" for trial in known)
    fine = None
    if mine is not None and len(known) == len(sensed):
        fine = not mine.fell and all(trial.fell or trial.off_the_lines > mine.off_the_lines for trial in known)
    statement = f"{ground}: the centre of mass keeps to straight lines better with predicted forces than with sensed ones"
    return Finding(statement, "pictures", f"{_off(mine)} against {ours}", fine)


def _off(trial: Measured | None) -> str:
    if trial is None:
        return "-"
    return f"{1e3 * trial.off_the_lines:.0f} mm" + (f" (fell at {trial.seconds:.1f} s)" if trial.fell else "")


def _same_fall(results: Results, ground: str) -> Finding:
    paper = TRACKING[ground]
    trials = {name: results.of(ground, name) for name in paper}
    theirs = [name for name, row in paper.items() if row is None]
    ours = [name for name, trial in trials.items() if trial is not None and trial.fell]
    fine = None if any(trial is None for trial in trials.values()) else ours == theirs
    return Finding(f"{ground}: the same controllers fall", ", ".join(theirs) or "none", ", ".join(ours) or "none", fine)


def _smoother(results: Results, grounds: Sequence[str], other: str, times: float, printed: str) -> Finding:
    smooth, rough = results.mean_rate("two_stage_qp", other, grounds)
    fine = None if math.isnan(smooth) else rough > times * smooth
    more = f" {times:.0f} times" if times > 1.0 else ""
    statement = f"torques of two_stage_qp change{more} less than those of {other}"
    return Finding(statement, printed, f"{smooth:.1f} against {rough:.1f} N m/s", fine)


def _error(trial: Measured | None) -> str:
    if trial is None:
        return "-"
    return f"{trial.position_error:.4f}" + (f" (fell at {trial.seconds:.1f} s)" if trial.fell else "")


def _fell(results: Results, ground: str, contender: str) -> Finding:
    trial = results.of(ground, contender)
    ours = "-" if trial is None else f"fell at {trial.seconds:.1f} s" if trial.fell else "walked on"
    return Finding(f"{ground}: {contender} falls", "fell", ours, None if trial is None else trial.fell)


def _predicts(results: Results, ground: str, contender: str, theirs: float) -> Finding:
    trial = results.of(ground, contender)
    statement = f"{ground}: {contender} predicts the sum of normal forces within 2 %"
    if trial is None:
        return Finding(statement, f"{theirs:.2%}", "-", None)
    ours = f"{trial.relative_force_error:.2%}, median {trial.median_relative_force_error:.2%}" + (
        f" (fell at {trial.seconds:.1f} s)" if trial.fell else ""
    )
    return Finding(statement, f"{theirs:.2%}", ours, trial.relative_force_error < 0.02 and not trial.fell)
