# SPDX-License-Identifier: Apache-2.0
"""What is said of a cell of the fault matrix."""

from typing import Any

import pytest

from surefoot.cli.faults_table import words_of
from surefoot.evaluation.faults.matrix import Cell

WALKS_ON: dict[str, Any] = {
    "interface": "imu", "fault": "slow", "phase": "standing", "mode": "READY", "reason": "pose reached", "reaction": None, "up": True,
    "illegal": "", "failed": "", "not_run": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({}, "goes on"),
        ({"mode": "FAULT", "reason": "command stale: none for 0.052 s", "reaction": 0.056}, "command stale after 56 ms"),
        # Whose bridge is gone has no mode any more.
        ({"mode": "", "up": False}, "no command, down"),
        ({"failed": "it fell"}, "failed: it fell"),
        ({"not_run": "no time"}, "not run: no time"),
    ],
)
def test_a_cell_in_few_words(other: dict[str, Any], words: str) -> None:
    assert words_of(Cell(**(WALKS_ON | other))) == words
