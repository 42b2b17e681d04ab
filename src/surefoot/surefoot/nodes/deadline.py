# SPDX-License-Identifier: Apache-2.0
"""How long a verdict is waited for."""

from surefoot.traces.decision.settings import DecisionSettings

LOCKSTEP_FACTOR = 10.0
"""In lockstep the robot waits with everybody else: only a silence that no load explains is one."""


def verdict_deadline(settings: DecisionSettings, lockstep: bool) -> float:
    """Wall time after which silence is a veto, s."""
    return settings.deadline * (LOCKSTEP_FACTOR if lockstep else 1.0)
