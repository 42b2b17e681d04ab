# SPDX-License-Identifier: Apache-2.0
"""The steps of the story: whether each of them happened, and what shows it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefoot.evaluation.contact_events import debounced
from surefoot.evaluation.measures import Speed, Value, fall_of, speed_of
from surefoot.evaluation.story import CandidateResult, GaitStatusChanged, VerdictGiven, of_kind
from surefoot.evaluation.timeline import Span, Timeline
from surefoot.robot.description import RobotDescription

FIRST_GAIT, ASKED_GAIT = "walk", "trot"
FEWEST_POINTS, FEWEST_PARTICLES = 4, 16
STILL = 0.02
"""m that the base may move while the robot lies unarmed; twice as many rad for a joint."""
ALREADY_SETTLED = 0.5
"""s that the simulated body has to come to rest on the ground."""
GENTLE_START = 0.3
"""rad that a joint may move within the first 0.1 s of standing up: a command that starts at the measured pose moves it less."""
UP, DOWN = 0.85, 0.6
"""Base heights of a robot that stands at least, and that lies at most, in parts of the stand height."""
SPEED_HELD = 0.1
"""Relative error of the speed."""
FEWEST_STEPS = 3
DIAGONAL = 0.8
"""Part of the time that the two feet of a diagonal are both up or both down in a trot."""
KEPT_WALKING = 2.0
"""s that the robot must go on after a veto."""
STANDS_STILL = 0.05
"""m/s, mean over the last 0.5 s."""


class Step(Value):
    """One step of the story."""

    name: str
    ok: bool
    evidence: str
    """In words and numbers."""


@dataclass(frozen=True)
class Tale:
    """What the steps are read from."""

    timeline: Timeline
    description: RobotDescription
    speed: Speed | None

    def verdicts(self, accepted: bool, gait: str = "") -> list[VerdictGiven]:
        """Verdicts of one kind, on one gait or on any."""
        return [v for v in of_kind(self.timeline.story, VerdictGiven) if v.accepted == accepted and gait in ("", v.gait_to)]

    def first_mode(self, name: str, after: float = -math.inf) -> Span | None:
        """The first span of a mode that begins after a time, s."""
        return next((span for span in self.timeline.modes if span.name == name and span.start >= after), None)

    def commitment(self, verdict: VerdictGiven) -> GaitStatusChanged | None:
        """The moment at which an accepted change was made."""
        statuses = of_kind(self.timeline.story, GaitStatusChanged)
        same = (s for s in statuses if s.state == "COMMITTED" and s.request_id == verdict.request_id and s.gait == verdict.gait_to)
        return next(same, None)


Finding = tuple[bool, str]


def _lay_still(tale: Tale) -> Finding:
    timeline, run = tale.timeline, tale.timeline.run
    first = timeline.modes[0]
    if first.name != "OFF" or len(timeline.modes) == 1:
        return False, "it was never armed" if first.name == "OFF" else f"it began in {first.name}, not OFF"
    begin = first.start + min(ALREADY_SETTLED, 0.5 * first.seconds)
    inside = timeline.ticks(begin, first.end)
    base = float(np.linalg.norm(np.ptp(run.base_position[inside], axis=0)))
    joint = float(np.ptp(run.joint_position[inside], axis=0).max())
    words = f"unarmed for {first.seconds:.1f} s; once at rest its base moved {1e3 * base:.1f} mm and no joint more than {joint:.3f} rad"
    return base <= STILL and joint <= 2.0 * STILL, words


def _stood_up(tale: Tale) -> Finding:
    timeline, run = tale.timeline, tale.timeline.run
    rising = tale.first_mode("STANDING_UP")
    if rising is None:
        return False, "it was never in mode STANDING_UP"
    ready = tale.first_mode("READY", rising.start)
    if ready is None:
        return False, f"it never got READY; it was STANDING_UP for {rising.seconds:.1f} s"
    low, high = (float(run.base_position[timeline.ticks(span.start, span.end), 2][pick]) for span, pick in ((rising, 0), (ready, -1)))
    jump = float(np.ptp(run.joint_position[timeline.ticks(rising.start, rising.start + 0.1)], axis=0).max())
    words = f"base from {low:.2f} m to {high:.2f} m in {ready.start - rising.start:.1f} s; no joint moved more than {jump:.3f} rad at first"
    return high >= UP * tale.description.stand_height and jump <= GENTLE_START, words


def _walked(tale: Tale) -> Finding:
    phases = [phase for phase in tale.speed.phases if phase.gait == FIRST_GAIT] if tale.speed else []
    if not phases:
        return False, f"no phase of {FIRST_GAIT} under a steady command was long enough to measure its speed"
    words = ", ".join(f"{phase.measured:.3f} m/s of {phase.commanded:.2f} m/s over {phase.end - phase.start:.1f} s" for phase in phases)
    return all(phase.relative_error <= SPEED_HELD for phase in phases), words


def _rehearsed(tale: Tale) -> Finding:
    verdicts = tale.verdicts(True, ASKED_GAIT) + tale.verdicts(False, ASKED_GAIT)
    if not verdicts:
        return False, f"there is no verdict on a {ASKED_GAIT}"
    scores = verdicts[0].scores
    points, fewest = len({score.transition_point for score in scores}), min((score.particles for score in scores), default=0)
    words = f"{points} points, {fewest} particles or more each: " + "; ".join(_point(score) for score in scores)
    return points >= FEWEST_POINTS and fewest >= FEWEST_PARTICLES, words


def _point(score: CandidateResult) -> str:
    return f"{score.transition_point:.0%}{score.manner}: {score.survived}/{score.particles}"


def _committed(tale: Tale) -> Finding:
    verdicts = tale.verdicts(True, ASKED_GAIT)
    if not verdicts:
        refusals = tale.verdicts(False, ASKED_GAIT)
        return False, f"the {ASKED_GAIT} was vetoed: {refusals[0].reason}" if refusals else f"there is no verdict on a {ASKED_GAIT}"
    verdict = verdicts[0]
    if not 0 <= verdict.chosen < len(verdict.scores):
        return False, "the verdict accepts but chooses no candidate"
    chosen, surest = verdict.scores[verdict.chosen], max(score.lower_bound for score in verdict.scores)
    made = tale.commitment(verdict)
    if made is None:
        return False, f"accepted at {chosen.transition_point:.0%}, but the change was never made"
    bound = f"success at least {chosen.lower_bound:.2f} (surest {surest:.2f})"
    words = f"at {chosen.transition_point:.0%}{chosen.manner}, with score {chosen.score:.2f}, {bound}"
    late = made.time - chosen.switch_time - chosen.intermediate_time if chosen.switch_time is not None else 0.0
    punctual = abs(late) <= 0.1
    return chosen.lower_bound >= surest and punctual, f"{words}, at {made.time:.2f} s" + ("" if punctual else f", {late:+.2f} s off")


def _trotted(tale: Tale) -> Finding:
    timeline, run = tale.timeline, tale.timeline.run
    inside = timeline.in_gait(ASKED_GAIT) & timeline.in_mode("WALKING")
    seconds = float(inside.sum() * run.period)
    if seconds < 1.0:
        return False, f"it was in {ASKED_GAIT} for {seconds:.1f} s"
    contact = run.foot_load[inside] > tale.description.control.foot_force_threshold
    ticks = max(1, round(0.05 / run.period))
    steps = min(int((np.diff(debounced(contact[:, leg], ticks).astype(int)) > 0).sum()) for leg in range(4))
    together = min(float((contact[:, a] == contact[:, b]).mean()) for a, b in ((0, 3), (1, 2)))
    distance = float(np.linalg.norm(np.ptp(run.base_position[inside, :2], axis=0)))
    words = f"{seconds:.1f} s and {distance:.2f} m, {steps} steps of each foot or more, diagonal feet together {together:.0%} of the time"
    asked = float(np.linalg.norm(timeline.command[inside, :2], axis=1).sum() * run.period)
    return steps >= FEWEST_STEPS and together >= DIAGONAL and distance >= 0.5 * asked > 0.0, words


def _vetoed(tale: Tale) -> Finding:
    vetoes = tale.verdicts(False)
    if not vetoes:
        return False, "no request was vetoed"
    timeline, verdict = tale.timeline, vetoes[0]
    if not verdict.reason:
        return False, f"the {verdict.gait_to} was vetoed without a reason"
    index = min(int(np.searchsorted(timeline.run.time, verdict.time)), len(timeline.run.time) - 1)
    asked = np.linalg.norm(timeline.command[:, :2], axis=1)
    after = timeline.run.time >= timeline.run.time[index]
    # Until the person lets go of the stick, or has another request granted.
    ended = after & (asked < 0.9 * asked[index])
    granted = [other.time for other in tale.verdicts(True) if other.time > verdict.time]
    end = min([float(timeline.run.time[ended][0]) if ended.any() else float(timeline.run.time[-1]), *granted])
    watched = after & (timeline.run.time < end)
    seconds = float(watched.sum() * timeline.run.period)
    kept = watched & timeline.in_mode("WALKING") & timeline.in_gait(verdict.gait_from)
    speed = float(np.linalg.norm(timeline.heading_velocity[watched].mean(axis=0))) if watched.any() else 0.0
    words = f"{verdict.reason}; "
    if (watched & ~kept).any():
        ended_after = timeline.run.time[watched & ~kept][0] - verdict.time
        return False, words + f"but it did not keep walking in {verdict.gait_from}: that ended {ended_after:.1f} s later"
    words += f"kept to {verdict.gait_from} at {speed:.2f} m/s for {seconds:.1f} s"
    return seconds >= KEPT_WALKING and speed >= 0.5 * asked[index] > 0.0, words


def _stopped(tale: Tale) -> Finding:
    timeline = tale.timeline
    moving = timeline.in_mode("WALKING") & (np.abs(timeline.command).max(axis=1) > 1e-6)
    if not moving.any():
        return False, "it was never told to walk"
    let_go = float(timeline.run.time[np.flatnonzero(moving)[-1]])
    sitting = tale.first_mode("SITTING_DOWN", let_go)
    end = sitting.start if sitting else float(timeline.run.time[-1])
    if end - let_go < 0.5:
        return False, f"the command was not zero for 0.5 s; it last asked to move at {let_go:.1f} s"
    speed = np.linalg.norm(timeline.run.base_linear_velocity[timeline.ticks(end - 0.5, end), :2], axis=1).mean()
    upright = timeline.in_mode("WALKING", "READY")[timeline.ticks(let_go, end)].all()
    words = f"{speed:.3f} m/s {end - let_go:.1f} s after the command became zero"
    return bool(speed <= STANDS_STILL and upright), words if upright else words + ", but not on its feet"


def _sat(tale: Tale) -> Finding:
    last, height = tale.timeline.modes[-1], float(tale.timeline.run.base_position[-1, 2])
    words = f"the last mode is {last.name}, the base at {height:.2f} m"
    return last.name == "SITTING" and height <= DOWN * tale.description.stand_height, words


def _never_fell(tale: Tale) -> Finding:
    fall = fall_of(tale.timeline, tale.description)
    if fall:
        return False, fall
    if tale.first_mode("READY") is None:
        return False, "it never stood, so it could not fall"
    fault = tale.first_mode("FAULT")
    if fault is not None:
        return False, f"it did not fall, but a gate tripped at {fault.start:.2f} s"
    largest = np.abs(tale.timeline.roll_pitch_yaw[:, :2]).max()
    return True, f"largest roll or pitch {largest:.3f} rad"


STEPS: tuple[tuple[str, Callable[[Tale], Finding]], ...] = (
    ("lay still until armed", _lay_still),
    ("stood up from the measured pose", _stood_up),
    ("walked at the asked speed", _walked),
    (f"rehearsed the {ASKED_GAIT}", _rehearsed),
    ("committed at the best point", _committed),
    ("trotted", _trotted),
    ("vetoed with a reason and kept walking", _vetoed),
    ("stopped", _stopped),
    ("sat down", _sat),
    ("never fell", _never_fell),
)
"""Every step of the story, in its order."""


def told_steps(timeline: Timeline, description: RobotDescription) -> tuple[Step, ...]:
    """Every step of the story, happened or not."""
    tale = Tale(timeline, description, speed_of(timeline))
    return tuple(Step(name=name, ok=bool(ok), evidence=words) for name, find in STEPS for ok, words in (find(tale),))
