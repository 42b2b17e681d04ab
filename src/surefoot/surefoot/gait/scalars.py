# SPDX-License-Identifier: Apache-2.0
"""Limits on single numbers; compiled."""

import math

from surefoot.compilation import compiled


@compiled
def toward(value: float, goal: float, largest_step: float) -> float:
    """The value moved to the goal by at most a step."""
    return value + min(largest_step, max(-largest_step, goal - value))


@compiled
def clamped(value: float, limit: float) -> float:
    """The value, at most a limit from 0."""
    return min(limit, max(-limit, value))


@compiled
def wrapped(angle: float) -> float:
    """The angle in -pi to pi."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))
