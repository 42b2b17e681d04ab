# SPDX-License-Identifier: Apache-2.0
"""A run and its story on one time axis: which mode, which gait and which command were in force at each tick, and how the base moved."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from surefoot.evaluation.run import Run
from surefoot.evaluation.story import CommandChanged, Event, GaitStatusChanged, ModeChanged, of_kind

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

STEADY = 0.02
"""m/s and rad/s within which a command counts as the same."""


@dataclass(frozen=True)
class Span:
    """A name that was in force from one time to another, s."""

    name: str
    start: float
    end: float

    @property
    def seconds(self) -> float:
        """How long."""
        return self.end - self.start


def _spans(changes: list[tuple[float, str]], first: str, start: float, end: float) -> list[Span]:
    """Spans between changes, without those that are empty and with equal neighbours joined."""
    spans: list[Span] = []
    name, since = first, start
    for when, new in [*changes, (end, "")]:
        time = min(max(when, start), end)
        if new == name:
            continue
        if time > since:
            spans.append(Span(name, since, time))
        name, since = new, time
    return spans or [Span(first, start, end)]


class Timeline:
    """A run and its story together.

    Args:
        run: what really happened.
        story: what was said, asked and answered, in the order of time.
    """

    def __init__(self, run: Run, story: list[Event]) -> None:
        self.run, self.story = run, story
        start, end = float(run.time[0]), float(run.time[-1])
        self.modes = _spans([(event.time, event.mode) for event in of_kind(story, ModeChanged)], "OFF", start, end)
        """Modes of the servo bridge."""
        self.gaits = _spans([(event.time, event.gait) for event in of_kind(story, GaitStatusChanged)], "stand", start, end)
        """Gaits in force."""
        self.command = np.zeros((len(run.time), 3))
        """Velocity in force at each tick: forward, left, m/s, turning, rad/s, (n, 3)."""
        for event in of_kind(story, CommandChanged):
            self.command[run.time >= event.time] = (event.forward, event.left, event.turn)

    def during(self, start: float, end: float) -> Mask:
        """Ticks from one time (s) up to another, (n,)."""
        return (self.run.time >= start) & (self.run.time < end)

    def ticks(self, start: float, end: float) -> Mask:
        """The same, but at least the one tick that is nearest to the beginning, (n,)."""
        mask = self.during(start, end)
        if not mask.any():
            mask[np.abs(self.run.time - start).argmin()] = True
        return mask

    def in_mode(self, *names: str) -> Mask:
        """Ticks in any of some modes, (n,)."""
        return self._in(self.modes, names)

    def in_gait(self, *names: str) -> Mask:
        """Ticks in any of some gaits, (n,)."""
        return self._in(self.gaits, names)

    def _in(self, spans: list[Span], names: tuple[str, ...]) -> Mask:
        mask = np.zeros(len(self.run.time), np.bool_)
        for span in spans:
            if span.name in names:
                mask |= self.during(span.start, span.end)
        if spans and spans[-1].name in names:
            mask[-1] = True
        return mask

    @cached_property
    def roll_pitch_yaw(self) -> Array:
        """Of the base, yaw continuous, (n, 3), rad."""
        angles = Rotation.from_quat(self.run.base_quaternion).as_euler("ZYX")[:, ::-1]
        return np.column_stack((angles[:, :2], np.unwrap(angles[:, 2])))

    @cached_property
    def heading_velocity(self) -> Array:
        """Of the base in its own heading: forward and left, (n, 2), m/s."""
        cosine, sine = np.cos(self.roll_pitch_yaw[:, 2]), np.sin(self.roll_pitch_yaw[:, 2])
        x, y = self.run.base_linear_velocity[:, 0], self.run.base_linear_velocity[:, 1]
        return np.column_stack((cosine * x + sine * y, cosine * y - sine * x))

    @cached_property
    def steady_phases(self) -> list[Span]:
        """Spans of WALKING in one moving gait under one command that asks to move; named by the gait."""
        phases = []
        walking = self.in_mode("WALKING") & (np.linalg.norm(self.command[:, :2], axis=1) > STEADY)
        for gait in (span for span in self.gaits if span.name != "stand"):
            inside = np.flatnonzero(walking & self.during(gait.start, gait.end))
            if len(inside) == 0:
                continue
            changed = np.abs(np.diff(self.command[inside], axis=0)).max(axis=1) > 1e-4
            for part in np.split(inside, np.flatnonzero((np.diff(inside) > 1) | changed) + 1):
                phases.append(Span(gait.name, float(self.run.time[part[0]]), float(self.run.time[part[-1]])))
        return phases
