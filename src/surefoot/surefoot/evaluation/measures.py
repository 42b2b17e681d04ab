# SPDX-License-Identifier: Apache-2.0
"""Numbers of a run: speeds held, tilt, latencies, falls."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from surefoot.evaluation.run import Run
from surefoot.evaluation.story import DiagnosticsReported, Event, of_kind
from surefoot.evaluation.timeline import Timeline
from surefoot.robot.description import RobotDescription

SETTLING = 1.5
"""s after a change of gait or command that do not count."""
SHORTEST_PHASE = 2.0
"""s that must be left to say what speed was held."""
FALLEN_HEIGHT = 0.5
"""Base height below which a robot that should stand has fallen, in parts of the stand height."""
FALLEN_TILT = 0.7
"""Roll or pitch, rad."""


class Value(BaseModel):
    """Base of what is reported: frozen, NaN becomes null."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True, populate_by_name=True)


class Percentiles(Value):
    """Median and 99th percentile."""

    p50: float
    p99: float


class SpeedPhase(Value):
    """The speed along the commanded direction in one gait under one command, after settling."""

    gait: str
    start: float
    """s"""
    end: float
    """s"""
    commanded: float
    """m/s"""
    measured: float
    """m/s, mean"""
    relative_error: float


class Speed(Value):
    """Over all phases, weighted by their durations."""

    commanded: float
    """m/s"""
    measured: float
    """m/s"""
    relative_error: float
    """The largest of all phases."""
    phases: tuple[SpeedPhase, ...]


class Tilt(Value):
    """Largest angles while WALKING, rad."""

    roll: float
    pitch: float


def speed_of(timeline: Timeline) -> Speed | None:
    """The speeds that were held; None if no command was steady for long enough."""
    phases = []
    for span in timeline.steady_phases:
        start = span.start + SETTLING
        if span.end - start < SHORTEST_PHASE:
            continue
        inside = timeline.during(start, span.end)
        command = timeline.command[inside][0, :2]
        commanded = float(np.linalg.norm(command))
        measured = float(timeline.heading_velocity[inside].mean(axis=0) @ command / commanded)
        error = abs(measured - commanded) / commanded
        phases.append(
            SpeedPhase(gait=span.name, start=start, end=span.end, commanded=commanded, measured=measured, relative_error=error)
        )
    if not phases:
        return None
    weights = [phase.end - phase.start for phase in phases]
    return Speed(
        commanded=float(np.average([phase.commanded for phase in phases], weights=weights)),
        measured=float(np.average([phase.measured for phase in phases], weights=weights)),
        relative_error=max(phase.relative_error for phase in phases),
        phases=tuple(phases),
    )


def tilt_of(timeline: Timeline) -> Tilt | None:
    """The largest tilt while WALKING; None if it never walked."""
    angles = np.abs(timeline.roll_pitch_yaw[timeline.in_mode("WALKING")])
    return Tilt(roll=float(angles[:, 0].max()), pitch=float(angles[:, 1].max())) if len(angles) else None


def percentiles(values: NDArray[np.float64]) -> Percentiles | None:
    """Of the values that are numbers; None if there are none."""
    finite = values[np.isfinite(values)]
    return Percentiles(p50=float(np.percentile(finite, 50)), p99=float(np.percentile(finite, 99))) if len(finite) else None


def deadline_misses(run: Run) -> int:
    """Ticks whose command took longer than the control period."""
    return int((run.command_latency > run.period).sum())


def tick_of(story: list[Event]) -> Percentiles | None:
    """Duration of an inverse dynamics tick as its node reports it, µs; None if it reports nothing."""
    for event in reversed(of_kind(story, DiagnosticsReported)):
        if "inverse_dynamics" in event.node:
            middle, high = _number(event.values.get("tick_us_p50")), _number(event.values.get("tick_us_p99"))
            return None if math.isnan(middle) else Percentiles(p50=middle, p99=high)
    return None


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def fall_of(timeline: Timeline, description: RobotDescription) -> str:
    """What shows that the robot fell, in words; empty if it did not.

    Between getting READY and sitting down (or an emergency stop) the base must stay up and nothing but feet may touch the ground; it
    must never tip over.
    """
    run, angles = timeline.run, np.abs(timeline.roll_pitch_yaw[:, :2]).max(axis=1)
    # A number that is none is no proof of standing: hence the negations.
    tipped = ~(angles <= FALLEN_TILT)
    if tipped.any():
        return f"it tipped by {angles[tipped].max():.2f} rad at {run.time[tipped][0]:.2f} s (limit {FALLEN_TILT})"
    ready = next((span.start for span in timeline.modes if span.name == "READY"), math.inf)
    ends = (span.start for span in timeline.modes if span.name in ("SITTING_DOWN", "STOPPED") and span.start > ready)
    upright = timeline.during(ready, next(ends, math.inf))
    low = FALLEN_HEIGHT * description.stand_height
    sunk = upright & ~(run.base_position[:, 2] >= low)
    if sunk.any():
        return f"its base was at {run.base_position[sunk, 2].min():.2f} m at {run.time[sunk][0]:.2f} s (limit {low:.2f} m)"
    touched = upright & run.body_contact
    return f"something other than a foot touched the ground at {run.time[touched][0]:.2f} s" if touched.any() else ""
