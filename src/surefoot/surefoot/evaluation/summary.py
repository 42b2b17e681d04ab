# SPDX-License-Identifier: Apache-2.0
"""A run in numbers: report.json."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from pydantic import Field

from surefoot.errors import SurefootError
from surefoot.evaluation.agreement import TraceAgreement, trace_agreement
from surefoot.evaluation.measures import Percentiles, Speed, Tilt, Value, deadline_misses, fall_of, percentiles, speed_of, tick_of, tilt_of
from surefoot.evaluation.run import Run
from surefoot.evaluation.steps import ASKED_GAIT, STEPS, Step, told_steps
from surefoot.evaluation.story import Event, GaitStatusChanged, VerdictGiven, of_kind
from surefoot.evaluation.timeline import Timeline
from surefoot.robot.model import RobotModel
from surefoot.traces.decision.record import RecordedDecision

FILE_NAME = "report.json"


class Commit(Value):
    """A gait change that was made; without a verdict the numbers are missing."""

    gait_from: str = Field(serialization_alias="from")
    gait_to: str = Field(serialization_alias="to")
    time: float
    """Simulated, s."""
    transition_point: float | None = None
    score: float | None = None
    lower_bound: float | None = None
    particles: int | None = None
    """Of the chosen candidate."""
    latency_s: float | None = None
    """Wall time of the verdict, s."""


class Veto(Value):
    """A request that was refused."""

    to: str
    reason: str
    score: float
    """Of the best candidate."""
    time: float
    """Simulated, s."""


class Summary(Value):
    """What a run showed. What was not measured is null."""

    passed: bool
    """Whether every step of the story happened."""
    steps: tuple[Step, ...]
    robot: str
    world: str
    seed: int
    simulated_s: float
    wall_s: float
    stood_up: bool
    fell: bool
    committed: Commit | None
    """The change to the gait that the story asks for."""
    commits: tuple[Commit, ...]
    vetoed: Veto | None
    speed: Speed | None
    tilt: Tilt | None
    latency_ms: Percentiles | None
    """From publishing a sensor sample to receiving its servo command, wall time."""
    tick_us: Percentiles | None
    """Of inverse dynamics."""
    deadline_misses: int
    """Ticks whose command took longer than the control period."""
    ticks_without_command: int
    trajectory_sha256: str
    trace_agreement: TraceAgreement | None
    notes: tuple[str, ...] = ()
    """What could not be reported, and why."""

    def write(self, path: Path) -> None:
        """Write report.json."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.model_dump_json(by_alias=True, indent=2) + "\n")


def summarize(run: Run, story: list[Event], records: Mapping[str, RecordedDecision], model: RobotModel) -> Summary:
    """Put a run into numbers. What did not happen is reported as such, never raised.

    Args:
        run: what really happened.
        story: what was said, asked and answered.
        records: of the decisions, by file name.
        model: of the robot.
    """
    timeline = Timeline(run, story)
    steps = told_steps(timeline, model.description)
    commits = tuple(_commits(timeline))
    agreement, notes = _agreement(run, story, records, model)
    latency = percentiles(1e3 * run.command_latency)
    stood = steps[[name for name, _ in STEPS].index("stood up from the measured pose")].ok
    return Summary(
        passed=all(step.ok for step in steps),
        steps=steps,
        robot=run.robot,
        world=run.world,
        seed=run.seed,
        simulated_s=run.simulated_seconds,
        wall_s=run.wall_seconds,
        stood_up=stood,
        fell=bool(fall_of(timeline, model.description)),
        committed=next((commit for commit in commits if commit.gait_to == ASKED_GAIT), None),
        commits=commits,
        vetoed=next(_vetoes(story), None),
        speed=speed_of(timeline),
        tilt=tilt_of(timeline),
        latency_ms=latency,
        tick_us=tick_of(story),
        deadline_misses=deadline_misses(run),
        ticks_without_command=run.ticks_without_command,
        trajectory_sha256=run.trajectory_sha256,
        trace_agreement=agreement,
        notes=notes,
    )


_MADE = ("COMMITTED", "SCHEDULED")
"""States of a request at whose beginning a gait changes: at last, or to one on the way."""


def _commits(timeline: Timeline) -> Iterator[Commit]:
    """Every change of the gait in force, with the verdict that allowed it where there is one."""
    verdicts = {verdict.request_id: verdict for verdict in of_kind(timeline.story, VerdictGiven) if verdict.accepted}
    statuses = of_kind(timeline.story, GaitStatusChanged)
    for before, after in pairwise(timeline.gaits):
        made = next((s for s in statuses if abs(s.time - after.start) < 0.2 and s.gait == after.name and s.state in _MADE), None)
        verdict = verdicts.get(made.request_id) if made else None
        best = verdict.best if verdict else None
        if verdict is None or best is None or after.name not in (verdict.gait_to, best.intermediate):
            yield Commit(gait_from=before.name, gait_to=after.name, time=after.start)
            continue
        yield Commit(
            gait_from=before.name,
            gait_to=after.name,
            time=after.start,
            transition_point=best.transition_point,
            score=best.score,
            lower_bound=best.lower_bound,
            particles=best.particles,
            latency_s=verdict.wall_seconds,
        )


def _vetoes(story: list[Event]) -> Iterator[Veto]:
    for verdict in of_kind(story, VerdictGiven):
        if not verdict.accepted:
            best = verdict.best
            yield Veto(to=verdict.gait_to, reason=verdict.reason, score=best.score if best else 0.0, time=verdict.time)


def _agreement(
    run: Run, story: list[Event], records: Mapping[str, RecordedDecision], model: RobotModel
) -> tuple[TraceAgreement | None, tuple[str, ...]]:
    """Of the change that the story asks for, or else of another accepted request."""
    accepted = [verdict for verdict in of_kind(story, VerdictGiven) if verdict.accepted]
    names = [Path(verdict.record).name for verdict in sorted(accepted, key=lambda verdict: verdict.gait_to != ASKED_GAIT)]
    name = next((name for name in names if name in records), None)
    if name is None:
        return None, ("no trace agreement: there is no record of an accepted request",)
    try:
        return trace_agreement(records[name], run, model=model), ()
    except SurefootError as error:
        return None, (f"no trace agreement: {error}",)
