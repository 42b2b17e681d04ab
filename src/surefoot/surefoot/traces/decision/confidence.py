# SPDX-License-Identifier: Apache-2.0
"""How sure some outcomes make us of a success probability: once, after a number fixed beforehand, or at every moment of a race.

A race looks at its data after every round and stops when it likes, so its bounds must hold at all moments together. They come from a
mixture of likelihood ratios, whose chance ever to pass 1 / error is at most the error [Ville 1939; Robbins 1970; Howard, Ramdas,
McAuliffe and Sekhon 2021].
"""

import math
from collections.abc import Callable
from functools import lru_cache

from scipy.optimize import brentq
from scipy.special import betaincinv

_BETS = ((0.3, 0.0), (0.1, 0.02), (0.1, 0.05), (0.1, 0.1), (0.1, 0.2), (0.1, 0.35), (0.1, 0.55), (0.1, 0.8))
"""Weights of the mixture, and the failure probabilities that it bets on, in parts of the one that is to be refuted. Most is on a change
that never fails, since that is the one that is to be taken soon.
"""


def lower_bound(successes: int, trials: int, confidence: float) -> float:
    """One-sided lower bound of a success probability after a number of trials fixed beforehand (Clopper and Pearson)."""
    if successes == 0:
        return 0.0
    return float(betaincinv(successes, trials - successes + 1, 1.0 - confidence))


def upper_bound(successes: int, trials: int, confidence: float) -> float:
    """One-sided upper bound of a success probability after a number of trials fixed beforehand (Clopper and Pearson)."""
    if successes == trials:
        return 1.0
    return float(betaincinv(successes + 1, trials - successes, confidence))


def log_evidence(successes: int, trials: int, probability: float) -> float:
    """Logarithm of the evidence against a success probability of at most so much, from outcomes seen so far.

    As long as the success probability is no higher, the chance that the evidence ever passes 1 / error, whenever one looks, is at most
    the error. Each bet is on a failure probability u (1 - p) with u < 1, for which an outcome multiplies the evidence by
    u at a failure and by (1 - (1 - p) u) / p at a success: an expectation of 1 at p and less below it.

    Args:
        successes, trials: seen so far.
        probability: p, between 0 and 1.
    """
    failures = trials - successes
    logarithms = [
        math.log(weight)
        + successes * math.log((1.0 - (1.0 - probability) * part) / probability)
        + (failures * math.log(part) if failures > 0 else 0.0)
        for weight, part in _BETS
        if part > 0.0 or failures == 0
    ]
    largest = max(logarithms)
    return largest + math.log(sum(math.exp(value - largest) for value in logarithms))


@lru_cache(maxsize=1 << 16)
def is_above(successes: int, trials: int, probability: float, confidence: float) -> bool:
    """Whether the outcomes so far show a success probability above this one, at any moment of a race, with this confidence."""
    return log_evidence(successes, trials, probability) >= -math.log1p(-confidence)


@lru_cache(maxsize=4096)
def running_lower_bound(successes: int, trials: int, confidence: float) -> float:
    """Lower bound of a success probability that holds at every moment of a race together, with this confidence.

    Args:
        successes, trials: so far.
        confidence: between 0 and 1.
    """
    if successes == 0:
        return 0.0
    needed = -math.log1p(-confidence)
    # The evidence falls as the probability rises; just under 1 none is left.
    smallest, largest = 1e-12, 1.0 - 1e-12
    if log_evidence(successes, trials, smallest) < needed:
        return 0.0
    if log_evidence(successes, trials, largest) >= needed:
        return largest
    return float(brentq(lambda p: log_evidence(successes, trials, p) - needed, smallest, largest, xtol=1e-13))


def running_upper_bound(successes: int, trials: int, confidence: float) -> float:
    """Upper bound of a success probability that holds at every moment of a race together, with this confidence."""
    return 1.0 - running_lower_bound(trials - successes, trials, confidence)


@lru_cache(maxsize=64)
def fewest_to_accept(accept_at: float, confidence: float) -> int:
    """How many particles, all of them survivors, let the running lower bound pass a success probability."""
    enough = 1
    while not is_above(enough, enough, accept_at, confidence):
        enough *= 2
    return least(lambda trials: is_above(trials, trials, accept_at, confidence), enough)


def least(holds: Callable[[int], bool], most: int) -> int:
    """The least natural number for which something holds that holds for every greater one, `most` among them."""
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
