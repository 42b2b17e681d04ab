# SPDX-License-Identifier: Apache-2.0
"""How long a verdict is waited for."""

from surefoot.nodes.deadline import verdict_deadline
from surefoot.traces.decision.settings import DecisionSettings


def test_running_free_the_setting_holds_and_in_lockstep_load_is_no_silence() -> None:
    settings = DecisionSettings(deadline=7.0)
    assert verdict_deadline(settings, lockstep=False) == 7.0
    assert verdict_deadline(settings, lockstep=True) == 70.0
