# SPDX-License-Identifier: Apache-2.0
"""The one parameter of the cloud that tells two groups of traces apart best, if there is one: a decision stump with a permutation test."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]

FALSE_ALARM = 0.01
"""How often a parameter is named although the groups have nothing to do with any."""
SHUFFLES = 999
FEWEST = 4
"""Traces in the smaller group below which no parameter is named."""


@dataclass(frozen=True)
class Separation:
    """A parameter and the value that separate a group from the rest.

    Attributes:
        parameter: in words.
        threshold: half-way between the two draws that it lies between.
        below: whether the group lies below it.
        inside, group: how many of the group are on its side, out of how many.
        others_inside, others: the same of the rest.
        chance: of an equally good separation of groups that have nothing to do with any parameter.
    """

    parameter: str
    threshold: float
    below: bool
    inside: int
    group: int
    others_inside: int
    others: int
    chance: float


def columns(parameters: Mapping[str, Array]) -> tuple[list[str], Array]:
    """Names and values, (n, k), of the parameters that vary."""
    kept = {name: np.asarray(values, np.float64) for name, values in parameters.items()}
    kept = {name: values for name, values in kept.items() if len(values) > 0 and np.isfinite(values).all() and np.ptp(values) > 0.0}
    return list(kept), np.stack(list(kept.values()), axis=1) if kept else np.zeros((0, 0))


def separation(parameters: Mapping[str, Array], group: NDArray[np.bool_], seed: int = 0) -> Separation | None:
    """What separates a group of traces from the rest, or None if nothing does.

    All parameters and thresholds are tried on the true groups and on shuffled ones alike, so the chance accounts for their number.

    Args:
        parameters: draws of the traces by name, (n,) each.
        group: which traces are in it, (n,).
        seed: of the shuffles.
    """
    count, members = len(group), int(group.sum())
    if min(members, count - members) < FEWEST:
        return None
    names, values = columns(parameters)
    if not names:
        return None
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    places, tied = np.ascontiguousarray(order.T), np.ascontiguousarray((np.diff(ordered, axis=0) <= 0.0).T)
    labels = group.astype(np.int64)
    strength, column, cut = _best(places, tied, labels, members)
    random = np.random.default_rng(seed)
    as_good, tried, allowed = 0, 0, int(FALSE_ALARM * (SHUFFLES + 1))
    for _ in range(SHUFFLES):
        as_good += _best(places, tied, random.permutation(labels), members)[0] >= strength * (1.0 - 1e-12)
        tried += 1
        if as_good >= allowed:
            # It cannot come below the rate any more.
            return None
    before = int(labels[places[column, : cut + 1]].sum())
    below = before * (count - cut - 1) > (members - before) * (cut + 1)
    inside, size = (before, cut + 1) if below else (members - before, count - cut - 1)
    threshold = 0.5 * float(ordered[cut, column] + ordered[cut + 1, column])
    chance = (as_good + 1) / (tried + 1)
    return Separation(names[column].replace("_", " "), threshold, bool(below), inside, members, size - inside, count - members, chance)


@compiled
def _best(places: Any, tied: Any, labels: Any, members: int) -> tuple[float, int, int]:
    """The largest squared correlation of a group with a side of a threshold: times a constant, the column, and the last place below it."""
    columns, count = places.shape
    strongest, column, cut = -1.0, 0, 0
    for c in range(columns):
        before = 0
        for i in range(count - 1):
            before += labels[places[c, i]]
            if tied[c, i]:
                continue
            size = i + 1
            excess = float(before * count - size * members)
            strength = excess * excess / (size * (count - size))
            if strength > strongest:
                strongest, column, cut = strength, c, i
    return strongest, column, cut
