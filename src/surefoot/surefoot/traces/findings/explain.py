# SPDX-License-Identifier: Apache-2.0
"""Why traces came out as they did, in sentences; where the numbers say nothing, nothing is said."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.findings.dip import dip
from surefoot.traces.findings.parting import telling_parting
from surefoot.traces.findings.separation import FEWEST, Separation, separation
from surefoot.traces.findings.spread import COORDINATES, Spread, spread_of
from surefoot.traces.outcome import FAILED, INCONSISTENT, SURVIVED, UNFINISHED, Outcomes

Array = NDArray[np.float64]


def explanation(outcomes: Outcomes, parameters: Mapping[str, Array]) -> tuple[str, ...]:
    """Sentences about one candidate's traces for the report of a decision, the most telling first; none where there is nothing to say.

    Args:
        outcomes: of the candidate.
        parameters: draws of the same particles in the order of `outcomes.indices`, (n,) by name; NaN for traces that nobody ran.
    """
    bad = np.isin(outcomes.verdict, (FAILED, UNFINISHED))
    known = bad | (outcomes.verdict == SURVIVED)
    for values in parameters.values():
        # Nothing is known of traces that nobody ran.
        known &= np.isfinite(values)
    lines = []
    found = separation({name: np.asarray(values)[known] for name, values in parameters.items()}, bad[known])
    if found is not None:
        lines.append(_separated(found, "failure", "failures", "survivors"))
    lines += _parting(outcomes, bad)
    lines += _spread(spread_of(outcomes), parameters)
    broken, misplaced = int(outcomes.diverged.sum()), int((outcomes.verdict == INCONSISTENT).sum())
    if broken:
        lines.append(f"{_traces(broken)} of {len(outcomes.indices)} broke down in the simulation's own numbers; none counts as a success")
    if misplaced:
        blame = "the model is at fault, none counts as a success"
        lines.append(f"{_traces(misplaced)} of {len(outcomes.indices)} began where no robot can be; {blame}")
    return tuple(lines)


def warm_up() -> None:
    """Compile what explanations need, so that no veto waits for it."""
    dip(np.arange(3.0))
    separation({"any": np.arange(2.0 * FEWEST)}, np.arange(2 * FEWEST) < FEWEST)


def _traces(count: int) -> str:
    return f"{count} trace" if count == 1 else f"{count} traces"


def _separated(found: Separation, one: str, many: str, others: str) -> str:
    """As in "7 of 9 failures have friction under 0.31; so have 2 of 51 survivors"."""
    name = one if found.group == 1 else many
    side = "under" if found.below else "over"
    return (
        f"{found.inside} of {found.group} {name} have {found.parameter} {side} {found.threshold:.3g}; "
        f"so have {found.others_inside} of {found.others} {others}"
    )


def _parting(outcomes: Outcomes, bad: NDArray[np.bool_]) -> list[str]:
    telling = telling_parting(outcomes)
    if telling is None:
        return []
    parting, _ = telling
    having, missing = bad[list(parting.traces)], bad[list(parting.others)]
    moment = parting.time - outcomes.switch_tick * outcomes.period
    side = "before" if moment < 0.0 else "after"
    return [
        f"{abs(moment):.2f} s {side} the change {parting}: {having.sum()} of {len(having)} traces with it fail, "
        f"{missing.sum()} of {len(missing)} without"
    ]


def _spread(spread: Spread, parameters: Mapping[str, Array]) -> list[str]:
    parted = spread.parted
    if parted is None:
        return []
    low, high = (int((parted.group == side).sum()) for side in (0, 1))
    apart = parted.centres[1] - parted.centres[0]
    measure = f"{apart:.2f} rad apart in yaw" if parted.coordinate == COORDINATES[2] else _apart(parted.coordinate, apart)
    lines = [f"the traces that go on to the end part into two groups, {low} and {high}, {measure}"]
    smaller = 0 if low <= high else 1
    found = separation({name: np.asarray(values)[spread.members] for name, values in parameters.items()}, parted.group == smaller)
    if found is not None:
        lines.append(_separated(found, "trace of the smaller group", "traces of the smaller group", "traces of the other"))
    return lines


def _apart(coordinate: str, distance: float) -> str:
    return f"{distance:.2f} m apart {'along' if coordinate == COORDINATES[0] else 'across'} the heading"
