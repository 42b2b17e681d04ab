# SPDX-License-Identifier: Apache-2.0
"""How well each gait holds, and each change between gaits: with traces, and taken at once without them."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from pathlib import Path

import numpy as np

from surefoot.evaluation.bench.gaits_journal import GaitsJournal, Run
from surefoot.evaluation.bench.sample import Machine, Proportion, proportion, this_machine
from surefoot.evaluation.bench.speeds import speeds_of
from surefoot.evaluation.bench.transition import Transition, run_transition
from surefoot.evaluation.bench.walk import GaitResult, Trial, run_trial, summary
from surefoot.gait.library import STAND
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.parameters import Gait
from surefoot.processes import results_of
from surefoot.robot.load import load_robot

GAITS = (STAND, "walk", "walking_trot", "trot", "pace")
"""Whose changes are measured, every one into every other."""


@dataclass(frozen=True)
class Commit:
    """Times from request to change, s, of the changes that were made."""

    n: int
    median: float
    shortest: float
    longest: float


@dataclass(frozen=True)
class Pair:
    """All changes from one gait to another.

    Attributes:
        n: requests.
        falls, vetoed: of them, with their intervals.
        commit_s: None where no change was made.
    """

    n: int
    falls: Proportion
    vetoed: Proportion
    commit_s: Commit | None


@dataclass(frozen=True)
class GaitsResult:
    """What `bench gaits` reports.

    Attributes:
        speed: commanded forward during the changes, m/s.
        gaits: each gait by itself.
        pairs: by "from->to"; with traces ("on") and without ("off").
        all: the same over all pairs together.
        transitions: every one.
    """

    robot: str
    machine: Machine
    seeds: int
    speed: float
    gaits: tuple[GaitResult, ...]
    pairs: dict[str, dict[str, Pair]]
    all: dict[str, Pair]
    transitions: tuple[Transition, ...]


def bench_gaits(
    robot: str,
    seeds: int = 2,
    gaits: Sequence[str] = GAITS,
    traces: Sequence[bool] = (True, False),
    speed: float | None = None,
    seconds: float = 3.0,
    processes: int = 2,
    particles: int | None = None,
    progress: Callable[[Trial | Transition], None] = lambda done: None,
    journal: Path | None = None,
) -> GaitsResult:
    """Run every gait by itself and every ordered pair of them, with seeds 0, 1, ... in worker processes.

    Args:
        robot: name or path.
        seeds: of each gait and pair.
        gaits: names of them.
        traces: whether changes are rehearsed; both for both.
        speed: commanded forward during the changes, m/s; the least at which a gait is measured by itself if None.
        seconds: measured of each gait by itself.
        processes: how many at once.
        particles: of each candidate and round of a rehearsal; as config/decision.yaml says if None.
        progress: called with each run when it ends.
        journal: file that keeps the runs; a bench that was stopped goes on from there, and one with more seeds or gaits as well.

    Raises:
        UnknownNameError: the robot has no such gait.
        ConfigurationError: the journal is of other numbers, another robot or other code.
    """
    machine, model = this_machine(), load_robot(robot)
    library = gaits_of(model)
    wanted = {name: library[name] for name in gaits}
    alone = speeds_alone(wanted, speeds_of(model))
    commanded = min(alone.values(), default=0.0) if speed is None else speed
    given = {"robot": model.description.model_dump(mode="json"), "urdf": hashlib.sha256(model.urdf.encode()).hexdigest()[:16]}
    kept = GaitsJournal(journal, given | {"speed": commanded, "seconds": seconds, "particles": particles})
    alone_calls: dict[Run, Callable[[], Trial]] = {
        (name, "", False, seed): partial(run_trial, robot, name, alone[name], seed, seconds) for seed in range(seeds) for name in alone
    }
    change_calls: dict[Run, Callable[[], Transition]] = {
        (*pair, traced, seed): partial(run_transition, robot, *pair, commanded, seed, traced, particles)
        for seed in range(seeds)
        for pair in permutations(wanted, 2)
        for traced in traces
    }

    def heard(one: Trial | Transition) -> None:
        kept.add(one)
        progress(one)

    results_of(processes, [call for run, call in alone_calls.items() if run not in kept.done], heard)
    results_of(processes, [call for run, call in change_calls.items() if run not in kept.done], heard)
    trials = [one for run in alone_calls if isinstance(one := kept.done[run], Trial)]
    changes = [one for run in change_calls if isinstance(one := kept.done[run], Transition)]
    return GaitsResult(
        robot=model.description.name,
        machine=machine,
        seeds=seeds,
        speed=commanded,
        gaits=tuple(summary([trial for trial in trials if trial.gait == name]) for name in alone),
        pairs={f"{a}->{b}": both(changes, a, b) for a, b in permutations(wanted, 2)},
        all=both(changes),
        transitions=tuple(sorted(changes, key=lambda change: (change.gait_from, change.gait_to, change.traces, change.seed))),
    )


def speeds_alone(gaits: Mapping[str, Gait], speeds: Mapping[str, float]) -> dict[str, float]:
    """At what speed each gait that moves is measured by itself, m/s: that of the robot for its name, or the least of them, if it may."""
    least = min(speeds.values())
    return {name: min(speeds.get(name, least), gait.max_forward_speed) for name, gait in gaits.items() if gait.moves}


def both(changes: Sequence[Transition], gait_from: str | None = None, gait_to: str | None = None) -> dict[str, Pair]:
    """What became of the changes from one gait to another, or of all: those with traces ("on") and those without ("off")."""
    some = [change for change in changes if gait_from in (None, change.gait_from) and gait_to in (None, change.gait_to)]
    split = {"on": [change for change in some if change.traces], "off": [change for change in some if not change.traces]}
    return {name: pair(part) for name, part in split.items() if part}


def pair(changes: Sequence[Transition]) -> Pair:
    """All of these changes together."""
    times = np.array([change.commit_s for change in changes])
    times = times[np.isfinite(times)]
    n = len(changes)
    return Pair(
        n=n,
        falls=proportion(sum(change.fell for change in changes), n),
        vetoed=proportion(sum(change.vetoed for change in changes), n),
        commit_s=Commit(len(times), float(np.median(times)), float(times.min()), float(times.max())) if len(times) else None,
    )
