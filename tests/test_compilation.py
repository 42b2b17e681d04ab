# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from surefoot.compilation import reachable_modules, source_digest


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "room").mkdir()
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "room" / "__init__.py").write_text("")
    (tmp_path / "constants.py").write_text("GAIN = 1.0\n")
    (tmp_path / "room" / "low.py").write_text("from surefoot.constants import (\n    GAIN,\n)\n")
    (tmp_path / "room" / "high.py").write_text("from surefoot.room import low\n")
    (tmp_path / "room" / "apart.py").write_text("import math\n")
    return tmp_path


def digest(module: str, package: Path) -> str:
    source_digest.cache_clear()
    return source_digest(module, package)


def test_imports_are_followed_through_other_modules(package: Path) -> None:
    assert reachable_modules("surefoot.room.high", package) == {
        "surefoot.room.high", "surefoot.room", "surefoot.room.low", "surefoot.constants"
    }  # fmt: skip


def test_a_constant_two_imports_away_names_a_new_state(package: Path) -> None:
    before = digest("surefoot.room.high", package), digest("surefoot.room.apart", package)
    (package / "constants.py").write_text("GAIN = 2.0\n")
    after = digest("surefoot.room.high", package), digest("surefoot.room.apart", package)
    assert after[0] != before[0]
    assert after[1] == before[1]


def test_the_controller_hangs_on_solver_and_law() -> None:
    reached = reachable_modules("surefoot.locomotion.compiled.controller")
    assert {"surefoot.contact.active_set", "surefoot.inverse_dynamics.law", "surefoot.robot.spatial"} <= reached


def test_a_module_outside_of_the_package_has_a_state_too() -> None:
    assert source_digest("somewhere.else") != source_digest("surefoot.robot.spatial")


def test_no_import_of_several_in_a_row_is_passed_over() -> None:
    reached = reachable_modules("surefoot.gait.planner")
    assert {f"surefoot.gait.{name}" for name in ("foothold", "modes", "reference", "swing", "timing")} <= reached
