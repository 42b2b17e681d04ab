# SPDX-License-Identifier: Apache-2.0
"""Where the traces of a candidate part: the first event that is not the same in all, and the first that goes with the outcome."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from surefoot.traces.findings.events import KINDS, surface_name
from surefoot.traces.findings.marks import LINK_NAMES
from surefoot.traces.outcome import FAILED, SURVIVED, UNFINISHED, Outcomes

FALSE_ALARM = 0.01
"""How often an event is said to go with failures although it has nothing to do with them, at most."""

_What = tuple[int, int]
"""Kind and surface."""


@dataclass(frozen=True)
class Parting:
    """An event that some traces have and others have not.

    Attributes:
        time: of the earliest such event, s after the start of the traces.
        part: link.
        kind, surface: see `events.Event`.
        traces: places of those that have it among the outcomes.
        others: places of those that went on past that event's turn otherwise.
    """

    time: float
    part: str
    kind: int
    surface: int
    traces: tuple[int, ...]
    others: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.part} {KINDS[self.kind]} {surface_name(self.surface)}"


def partings(outcomes: Outcomes, with_last: bool = True) -> list[Parting]:
    """The events by which traces come apart, the earliest first.

    Each link's events are counted by themselves, since those of two links that come together have no order. Traces that agree in all
    earlier events of a link part at its next one where it is of another kind or on another surface, or where one of them goes on to its
    end without it. Who ended before is in neither group.

    Args:
        outcomes: of the traces.
        with_last: whether what happened in the very tick that ended a failed trace counts.
    """
    ends = _ends(outcomes)
    sequences = _sequences(outcomes, ends if with_last else [end - 1 for end in ends])
    found = []
    for part in {part for events in sequences for part in events}:
        groups = [list(range(len(sequences)))]
        step = 0
        while groups:
            following = []
            for group in groups:
                branches: dict[_What, list[int]] = defaultdict(list)
                ticks: dict[_What, list[int]] = defaultdict(list)
                for i in group:
                    events = sequences[i].get(part, [])
                    if len(events) > step:
                        tick, what = events[step]
                        branches[what].append(i)
                        ticks[what].append(tick)
                for what, members in branches.items():
                    # Who did something else at its turn, or had the time to.
                    last = max(ticks[what])
                    others = [i for i in group if i not in members and (len(sequences[i].get(part, [])) > step or ends[i] > last)]
                    if others:
                        found.append(_parting(outcomes, min(ticks[what]), part, what, members, others))
                    if len(members) > 1:
                        following.append(members)
            groups, step = following, step + 1
    return sorted(found, key=lambda parting: (parting.time, parting.part, parting.kind))


def first_parting(outcomes: Outcomes) -> Parting | None:
    """The first event that is not the same in all traces."""
    found = partings(outcomes)
    return found[0] if found else None


def telling_parting(outcomes: Outcomes) -> tuple[Parting, float] | None:
    """The first event that goes with failures, and the chance of such an agreement without reason [Fisher's exact test, all events tried
    counted]; None if there is none. The event by which a trace is known to have failed says nothing new.
    """
    bad = np.isin(outcomes.verdict, (FAILED, UNFINISHED))
    if not bad.any() or not (outcomes.verdict == SURVIVED).any():
        return None
    found = [parting for parting in partings(outcomes, with_last=False) if len(parting.traces) > 1]
    for parting in found:
        chance = min(1.0, len(found) * _chance(bad, parting))
        if chance <= FALSE_ALARM:
            return parting, chance
    return None


def _chance(bad: NDArray[np.bool_], parting: Parting) -> float:
    """Of so many bad outcomes, or more, among the traces with the event."""
    having, others = bad[list(parting.traces)], bad[list(parting.others)]
    total, all_bad = len(having) + len(others), int(having.sum() + others.sum())
    return float(hypergeom.sf(having.sum() - 1, total, all_bad, len(having)))


def _sequences(outcomes: Outcomes, last: list[int]) -> list[dict[int, list[tuple[int, _What]]]]:
    """Tick and kind of the events of each link up to a last tick, trace by trace."""
    place = {int(index): i for i, index in enumerate(outcomes.indices)}
    result: list[dict[int, list[tuple[int, _What]]]] = [defaultdict(list) for _ in place]
    for particle, tick, kind, part, surface in outcomes.events.tolist():
        if tick <= last[place[particle]]:
            result[place[particle]][part].append((tick, (kind, surface)))
    return result


def _ends(outcomes: Outcomes) -> list[int]:
    """Last tick of each trace."""
    last = outcomes.base_path.shape[1] - 1
    ended = np.where(np.isfinite(outcomes.failure_time), np.nan_to_num(outcomes.failure_time) / outcomes.period, last)
    return [round(float(tick)) for tick in ended]


def _parting(outcomes: Outcomes, tick: int, part: int, what: _What, members: list[int], others: list[int]) -> Parting:
    return Parting(tick * outcomes.period, LINK_NAMES[part], *what, tuple(members), tuple(others))
