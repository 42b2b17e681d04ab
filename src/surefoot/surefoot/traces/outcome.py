# SPDX-License-Identifier: Apache-2.0
"""What a rehearsal of one candidate on some particles showed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SURVIVED = 0
"""S: every requirement held and every objective was met."""
FAILED = 1
"""K: a requirement was violated."""
UNFINISHED = 2
"""U: nothing was violated, but an objective was not met."""


@dataclass(frozen=True)
class Outcomes:
    """Traces of n particles under one candidate.

    Attributes:
        indices: of the particles, (n,).
        verdict: SURVIVED, FAILED or UNFINISHED, (n,).
        violated: name of what ended or spoiled each trace, empty for survivors, n long.
        failure_time: s after the start of the trace; NaN for the others and for traces that nobody ran, (n,).
        base_path: base position and quaternion w x y z in odom at each tick, (n, ticks + 1, 7); the last pose is repeated
            after the end of a trace.
        foot_contact: whether each foot bears load at each tick, (n, ticks + 1, 4), bool.
        period: s between ticks.
        switch_tick: tick at which the gait changes.
        particle_seconds: simulated time of all traces together, s.
    """

    indices: NDArray[np.int64]
    verdict: NDArray[np.int64]
    violated: tuple[str, ...]
    failure_time: NDArray[np.float64]
    base_path: NDArray[np.float32]
    foot_contact: NDArray[np.bool_]
    period: float
    switch_tick: int
    particle_seconds: float


def joined(parts: list[Outcomes]) -> Outcomes:
    """One result out of the results of disjoint groups of particles of the same candidate, in the order of the particles."""
    indices = np.concatenate([part.indices for part in parts])
    order = np.argsort(indices, kind="stable")
    names = [name for part in parts for name in part.violated]
    return Outcomes(
        indices=indices[order],
        verdict=np.concatenate([part.verdict for part in parts])[order],
        violated=tuple(names[i] for i in order),
        failure_time=np.concatenate([part.failure_time for part in parts])[order],
        base_path=np.concatenate([part.base_path for part in parts])[order],
        foot_contact=np.concatenate([part.foot_contact for part in parts])[order],
        period=parts[0].period,
        switch_tick=parts[0].switch_tick,
        particle_seconds=sum(part.particle_seconds for part in parts),
    )
