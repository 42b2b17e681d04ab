# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from surefoot.servos.gates import GATES
from surefoot.servos.modes import MOVES, Mode
from surefoot.servos.safety_page import MODES, safety_page
from surefoot.servos.settings import BridgeSettings

PAGE = Path(__file__).parents[2] / "docs" / "safety.md"


def test_the_page_is_that_of_the_code() -> None:
    assert PAGE.read_text() == safety_page(), "run: python -m surefoot.servos.safety_page > docs/safety.md"


def test_it_has_everything() -> None:
    page = safety_page()
    assert set(MODES) == set(Mode)
    assert all(f"| {gate.name} | " in page for gate in GATES)
    assert all(f"| `{name}` | " in page for name in BridgeSettings.model_fields)
    assert page.count("| FAULT |") >= len([move for move in MOVES if move.target == Mode.FAULT])
