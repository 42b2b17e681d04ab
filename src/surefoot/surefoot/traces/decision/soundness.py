# SPDX-License-Identifier: Apache-2.0
"""What can be rehearsed at all: an enquiry comes from outside, and what is in it decides how much memory and time it takes."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.snapshot import Candidate, Snapshot

LONGEST = 120.0
"""s of a horizon, and until a verdict is due."""

LONGEST_WAIT = 30.0
"""s from the moment at which a verdict is due to a change that may still be rehearsed, and longest blend: many cycles of any gait."""

LEAST_ALONE = 0.05
"""s that an intermediate gait is walked at least when it has come: the first half of a change is over before the second begins."""

MOST_CANDIDATES = 256

MOST_TOGETHER = 1e5
"""Particle-seconds of all traces of an enquiry. Their paths are kept, 8 kB for each at 250 Hz, by the process that answers."""

MOST: Mapping[str, float] = {
    "base_position": 1e6, "base_quaternion": 1e3, "base_linear_velocity": 1e3, "base_angular_velocity": 1e3, "joint_position": 1e3,
    "joint_velocity": 1e4,
}  # fmt: skip
"""Of a state, m, 1, m/s, rad/s, rad and rad/s: more is garbage, and its squares and the paths, in single precision, would overflow."""

MOST_VARIANCE = 1e12
"""Unit of what it is of, squared: more says nothing more, and garbage would overflow where copies are drawn from it."""

MOST_NUMBER = 1e12
"""Of everything else that begins a rehearsal: far beyond any time, place and torque, and its square is still a number."""

UNKNOWN = ("contact_lost_since", "held_up_since")
"""Of a PLANNER record: those that may be no number, which says that it is not so."""


def require_sound(snapshot: Snapshot, candidates: Sequence[Candidate], settings: DecisionSettings) -> None:
    """Hold an enquiry against what can be.

    Args:
        snapshot: that it begins from.
        candidates: that are asked about.
        settings: that it is to be decided with.

    Raises:
        ConfigurationError: naming the number and its bounds.
        UnknownNameError: a candidate goes through a gait that the snapshot does not have.
    """
    if not 1 <= len(candidates) <= MOST_CANDIDATES:
        raise ConfigurationError(f"{len(candidates)} candidates are asked about; it must be 1 to {MOST_CANDIDATES}")
    for name in ("horizon", "latency"):
        if not getattr(settings, name) <= LONGEST:
            raise ConfigurationError(f"{name} is {getattr(settings, name):g} s; it must be at most {LONGEST:g} s")
    known = {gait.name for gait in snapshot.intermediates}
    if len(known) < len(snapshot.intermediates):
        names = ", ".join(gait.name for gait in snapshot.intermediates)
        raise ConfigurationError(f"intermediate gaits {names}: each must have a name of its own")
    now, last = snapshot.state.time, snapshot.state.time + settings.latency + LONGEST_WAIT
    for number, candidate in enumerate(candidates):
        # Who goes through no gait is there for no time: it would count as a part of the change.
        alone = (candidate.blend_time + LEAST_ALONE, LONGEST_WAIT) if candidate.intermediate else (0.0, 0.0)
        bounds: tuple[tuple[str, float, float], ...] = (
            ("transition_point", 0.0, 1.0), ("switch_time", now, last), ("blend_time", 0.0, LONGEST_WAIT), ("intermediate_time", *alone),
        )  # fmt: skip
        for name, least, most in bounds:
            value = getattr(candidate, name)
            if not least <= value <= most:
                raise ConfigurationError(f"{name} of candidate {number} is {value:g}; it must be {least:g} to {most:g}")
        if candidate.intermediate and candidate.intermediate not in known:
            raise UnknownNameError(f"intermediate gait of candidate {number}", candidate.intermediate, known)
    longest = max(candidate.switch_time + candidate.change_time for candidate in candidates) - now + settings.horizon
    together = longest * max(len(candidates) * settings.particles, settings.most_particles)
    if together > MOST_TOGETHER:
        raise ConfigurationError(
            f"{len(candidates)} candidates with {settings.particles} particles each, {settings.most_particles} of all, over "
            f"{longest:g} s are {together:g} particle-seconds; they must be at most {MOST_TOGETHER:g}: ask for fewer, or for less time"
        )
    fewest = settings.fewest(len(candidates))
    if settings.most_particles < fewest:
        raise ConfigurationError(
            f"most_particles is {settings.most_particles}; {len(candidates)} candidates take {fewest} at least, all of them survivors"
        )
    _require_numbers(snapshot)


def _require_numbers(snapshot: Snapshot) -> None:
    """Hold every number that a rehearsal begins from against its bound."""
    record = snapshot.planner[0]
    for name in record.dtype.names or ():
        if name not in UNKNOWN:
            _require_within(f"{name} of the planner", record[name], MOST_NUMBER)
    state = snapshot.state
    for name, most in MOST.items():
        _require_within(f"{name} of the state", getattr(state, name), most)
    for name in ("joint_position_variance", "joint_velocity_variance", "pose_covariance", "twist_covariance"):
        values = np.asarray(getattr(state, name))
        _require_within(f"{name} of the state", values, MOST_VARIANCE)
        of_each = np.diag(values) if values.ndim == 2 else values
        if not (of_each >= 0.0).all():
            raise ConfigurationError(f"{name} of the state has {of_each.min():g} as its least variance; it must not be below 0")
    _require_within("integral of the law", snapshot.law.memory["integral"], MOST_NUMBER)
    _require_within("the command", snapshot.command, MOST_NUMBER)


def _require_within(what: str, values: ArrayLike, most: float) -> None:
    numbers = np.asarray(values)
    if numbers.dtype.kind == "f" and not (np.abs(numbers) <= most).all():
        raise ConfigurationError(f"{what} is {numbers.tolist()}; it must be finite and at most {most:g}")
