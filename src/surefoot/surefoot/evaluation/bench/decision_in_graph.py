# SPDX-License-Identifier: Apache-2.0
"""How long a verdict takes beside a robot that walks on meanwhile, and what the control loop notices of the rehearsals.

The whole graph runs free, slower than the world where the machine cannot keep up with it. A scripted gamepad asks for one gait change after
the other. The ticks during which a rehearsal ran are set beside those of the same walk during which none did.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from yaml import safe_dump

from surefoot.errors import SurefootError
from surefoot.evaluation.bench.commands import finish, start
from surefoot.evaluation.bench.domain import own_domain
from surefoot.evaluation.measures import percentiles
from surefoot.evaluation.run import FILE_NAME, Run, read_run
from surefoot.evaluation.story import FILE_NAME as STORY_FILE
from surefoot.evaluation.story import Event, GaitRequested, VerdictGiven, of_kind, read_story

BEGIN = 4.4
"""When walking is switched on, the change from standing that comes before those that count, s."""
BUTTONS = ("gait_2", "gait_1")
"""For a trot and for a walk, in turns."""
WALKING = 2.0
"""Between a verdict and the next request, at the least: for that long nothing is rehearsed, s."""


@dataclass(frozen=True)
class WithGraph:
    """Verdicts on a robot that walks on.

    Attributes:
        slow_motion: seconds of the wall for each second of the robot.
        verdicts: how many.
        accepted: of them.
        median_s, p95_s: wall time of the verdicts.
        particles_used: median of the particles of a verdict.
        misses, misses_without: share of the ticks whose command came later than the next sample, or never, of those during which a
            rehearsal ran and of the others.
        p99_ms, p99_without_ms: 99th percentile of the wall time from a sensor sample to its command.
    """

    slow_motion: float
    verdicts: int
    accepted: int
    median_s: float
    p95_s: float
    particles_used: float
    misses: float
    misses_without: float
    p99_ms: float
    p99_without_ms: float


def decide_in_graph(robot: str, changes: int, slow_motion: float, latency: float, seed: int = 0) -> WithGraph:
    """Let a simulated robot walk, and ask for gait changes.

    Args:
        robot: name or path.
        changes: that are asked for, one after the other.
        slow_motion: seconds of the wall for each second of the robot.
        latency: after which a verdict is due, s.
        seed: of the sensors and of the clouds.

    Raises:
        SurefootError: the graph failed, or too few verdicts came.
    """
    times = [BEGIN + (1 + i) * (latency + WALKING) for i in range(changes)]
    with TemporaryDirectory(prefix="surefoot_decision_") as name, own_domain() as domain:
        folder = Path(name)
        story = folder / "changes.yaml"
        story.write_text(safe_dump(_story(times, latency)))
        words = (
            "launch", "sim", f"robot:={robot}", f"story:={story}", f"seed:={seed}", "realtime:=true", f"slow_motion:={slow_motion}",
            f"record_directory:={folder}", f"duration:={times[-1] + latency + WALKING}",
        )  # fmt: skip
        finish(start(words, folder / "graph.log", domain), folder / "graph.log")
        return measured(read_run(folder / FILE_NAME), read_story(folder / STORY_FILE), slow_motion)


def measured(run: Run, events: Sequence[Event], slow_motion: float) -> WithGraph:
    """What the record of such a walk shows.

    Args:
        run: what the simulator wrote.
        events: what the narrator wrote.
        slow_motion: seconds of the wall for each second of the robot.

    Raises:
        SurefootError: there is no verdict, or no tick beside the rehearsals.
    """
    asked = {request.request_id: request.time for request in of_kind(events, GaitRequested)}
    # The first one is that of the walk itself, out of standing.
    verdicts = [one for one in of_kind(events, VerdictGiven) if one.wall_seconds and asked.get(one.request_id, 0.0) > BEGIN + WALKING]
    begins, seconds = [asked[one.request_id] for one in verdicts], [one.wall_seconds or 0.0 for one in verdicts]
    during = np.zeros(len(run.time), dtype=bool)
    for begin, lasted in zip(begins, seconds, strict=True):
        during |= (run.time >= begin) & (run.time <= begin + lasted / slow_motion)
    beside = (run.time >= min(begins, default=np.inf) - WALKING) & ~during
    latency, period = run.command_latency, slow_motion * run.period
    rehearsed, undisturbed = percentiles(1e3 * latency[during]), percentiles(1e3 * latency[beside])
    if rehearsed is None or undisturbed is None:
        raise SurefootError(f"{len(verdicts)} verdicts came in {run.time[-1]:.1f} s: there is nothing to compare")
    return WithGraph(
        slow_motion=slow_motion,
        verdicts=len(verdicts),
        accepted=sum(verdict.accepted for verdict in verdicts),
        median_s=float(np.median(seconds)),
        p95_s=float(np.percentile(seconds, 95.0)),
        particles_used=float(np.median([verdict.particles_used for verdict in verdicts])),
        misses=_misses(latency[during], period),
        misses_without=_misses(latency[beside], period),
        p99_ms=rehearsed.p99,
        p99_without_ms=undisturbed.p99,
    )


def _misses(latency: NDArray[np.float64], period: float) -> float:
    return float(np.mean(~(latency <= period)))


def _story(times: Sequence[float], latency: float) -> dict[str, object]:
    steps: list[dict[str, object]] = [
        {"at": 0.5, "says": "arms it", "press": ["arm"]},
        {"at": 1.0, "says": "tells it to stand up", "press": ["stand"]},
        {"at": 3.8, "says": "pushes the stick forward", "hold": ["dead_man"], "axes": {"forward": 0.6}, "over": 0.5},
        {"at": BEGIN, "says": "switches walking on", "press": ["walk"]},
    ]
    for i, time in enumerate(times):
        steps.append({"at": time, "says": "asks for the other gait", "press": [BUTTONS[i % len(BUTTONS)]]})
    return {"title": "one gait change after the other", "end": times[-1] + latency + WALKING, "steps": steps}
