# SPDX-License-Identifier: Apache-2.0
"""Steps of making the environment: only what changed, and on from where it stopped."""

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from surefoot.environment import __main__ as making
from surefoot.environment.commands import StepFailed, run_logged
from surefoot.environment.steps import Place, Step


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Replaces the real steps by three that only note that they ran. sources of b: the file b.txt; c fails while fail.txt is there."""
    names: list[str] = []

    def steps(place: Place) -> list[tuple[Step, ...]]:
        def work(name: str) -> Step:
            def note(report: object) -> None:
                names.append(name)
                if name == "a":
                    place.python.parent.mkdir(parents=True, exist_ok=True)
                    place.python.touch()
                if name == "c" and (place.root / "fail.txt").exists():
                    raise StepFailed("c cannot")

            source = place.root / f"{name}.txt"
            return Step(name, f"doing {name}", source.read_text() if source.exists() else "", note)

        return [(work("a"),), (work("b"),), (work("c"),)]

    monkeypatch.setattr(making, "all_steps", steps)
    monkeypatch.setattr(making, "missing_requirements", list)
    return names


def test_made_once(done: list[str], tmp_path: Path) -> None:
    assert making.main(tmp_path, "sum 1") == 0
    assert making.main(tmp_path, "sum 1") == 0
    assert done == ["a", "b", "c"]
    assert (tmp_path / ".venv/surefoot/ready").read_text() == "sum 1"


def test_a_changed_step_is_made_again_with_all_after_it(done: list[str], tmp_path: Path) -> None:
    making.main(tmp_path, "sum 1")
    (tmp_path / "b.txt").write_text("changed")
    assert making.main(tmp_path, "sum 2") == 0
    assert done == ["a", "b", "c", "b", "c"]


def test_a_failure_is_told_and_the_next_run_goes_on_there(done: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fail.txt").touch()
    assert making.main(tmp_path, "sum 1") == 1
    assert "c cannot" in capsys.readouterr().err
    assert not (tmp_path / ".venv/surefoot/ready").exists()
    (tmp_path / "fail.txt").unlink()
    assert making.main(tmp_path, "sum 1") == 0
    assert done == ["a", "b", "c", "c"]


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Replaces the real steps by one row of the given work."""

    def use(*work: Callable[[Place], None]) -> None:
        def steps(place: Place) -> list[tuple[Step, ...]]:
            return [tuple(Step(name, name, "", lambda _, each=each: each(place)) for name, each in zip("abcd", work, strict=False))]

        monkeypatch.setattr(making, "all_steps", steps)
        monkeypatch.setattr(making, "missing_requirements", list)

    return use


def test_the_steps_of_a_row_run_side_by_side(row: Callable[..., None], tmp_path: Path) -> None:
    both = threading.Barrier(2)
    row(lambda _: none(both.wait(20)), lambda _: none(both.wait(20)))
    assert making.main(tmp_path, "sum 1") == 0


def test_a_failure_stops_the_others_of_its_row(row: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    started = tmp_path / "started"

    def fail(place: Place) -> None:
        while not started.exists():
            time.sleep(0.01)
        raise StepFailed("a cannot")

    def last_long(place: Place) -> None:
        run_logged(["sh", "-c", f"touch {started}; exec sleep 600"], place.log, place.variables())

    row(fail, last_long)
    assert making.main(tmp_path, "sum 1") == 1
    assert "a cannot" in capsys.readouterr().err
    assert not (tmp_path / ".venv/surefoot/b.stamp").exists()


def none(_: object) -> None:
    """For a lambda that must return nothing."""


def test_an_environment_of_somebody_else_is_left_alone(done: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "mine").touch()
    assert making.main(tmp_path, "sum 1") == 2
    assert "was not made by ./surefoot" in capsys.readouterr().err
    assert done == []
    assert (tmp_path / ".venv" / "mine").exists()


def test_what_is_missing_is_named_before_anything_is_made(
    done: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "missing_requirements", lambda: ["missing: a C++ compiler (g++).", "Install it with: …"])
    assert making.main(tmp_path, "sum 1") == 2
    assert "C++ compiler" in capsys.readouterr().err
    assert not (tmp_path / ".venv").exists()


def test_readme_and_installer_name_the_same_size() -> None:
    root, folder = Path(__file__).parents[2], Path(making.__file__).parent
    files = (root / "README.md", folder / "__main__.py", folder / "commands.py")
    sizes = {re.search(r"about ([\d.]+) GB", " ".join(file.read_text().split()))[1] for file in files}  # type: ignore[index]
    assert len(sizes) == 1
