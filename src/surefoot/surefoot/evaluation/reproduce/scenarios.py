# SPDX-License-Identifier: Apache-2.0
"""What gait changes are asked for, of which robots and on which ground."""

from dataclasses import dataclass, field

import numpy as np

from surefoot.evaluation.reproduce.requests import Request

GAITS_FROM = ("walk", "walking_trot", "trot")
GAITS_TO = ("walk", "amble", "walking_trot", "trot", "running_trot", "pace", "bound", "gallop", "pronk")
SPEEDS = (0.25, 0.5, 0.8)
TURN_RATES = (0.0, 0.0, 0.4)
STARTS = 2
"""Walks of each gait, command and slope, from which requests start."""


@dataclass(frozen=True)
class Scenario:
    """What is unusual about the robot or its ground, and known to be possible.

    Attributes:
        ground: name of the believed ground ahead; empty: that under the feet.
        speeds: forward, m/s.
        slopes: of the ground along the way, rise over length; the robot stands on it and knows it.
        widened: what replaces the numbers of the cloud, by parameter.
    """

    ground: str = ""
    speeds: tuple[float, ...] = SPEEDS
    slopes: tuple[float, ...] = (0.0,)
    widened: dict[str, dict[str, float]] = field(default_factory=dict)


SCENARIOS = {
    "flat": Scenario(),
    # Up to 11 degrees up and down, and not known better than by what feet under load tell of it.
    "slope": Scenario(slopes=(-0.2, -0.1, 0.1, 0.2), widened={"slope": {"sigma": 0.02, "truncation": 2.0}}),
    # Nobody who knows of ice hurries.
    "ice": Scenario(ground="ice", speeds=(0.1, 0.2, 0.3)),
    "payload": Scenario(widened={"payload_mass": {"sigma": 0.12, "truncation": 2.0}}),
}


def draw_requests(count: int, seed: int) -> tuple[Request, ...]:
    """Requests in all scenarios by turns; request i is the same however many are drawn."""
    requests = []
    names = tuple(SCENARIOS)
    for i in range(count):
        random, scenario = np.random.default_rng([seed, i]), SCENARIOS[names[i % len(names)]]
        gait_from = str(random.choice(GAITS_FROM))
        gait_to = str(random.choice([name for name in GAITS_TO if name != gait_from]))
        command = float(random.choice(scenario.speeds)), 0.0, float(random.choice(TURN_RATES))
        start, slope = int(random.integers(STARTS)), float(random.choice(scenario.slopes))
        requests.append(Request(1_000_000 * seed + i, names[i % len(names)], gait_from, gait_to, command, start, slope))
    return tuple(requests)
