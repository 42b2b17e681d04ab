# SPDX-License-Identifier: Apache-2.0
"""The whole run forgives a test that a busy machine made fail once, says so, and forgives nothing else."""

from pathlib import Path

import pytest

from surefoot.cli.app import main

STEADY = "def test_steady():\n    assert True\n"
WRONG = "def test_wrong():\n    assert False\n"
UNLUCKY = """
from pathlib import Path

def test_unlucky():
    seen = Path("seen")
    before = seen.exists()
    seen.touch()
    assert before
"""


def whole_run(monkeypatch: pytest.MonkeyPatch, folder: Path, **files: str) -> int:
    """Exit code of `surefoot test` in a project that has only these files."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.setattr("surefoot.cli.test.shared_directory", lambda: folder)
    monkeypatch.setattr("surefoot.cli.test.CHECKS", ())
    monkeypatch.setattr("surefoot.cli.test.TESTS", (("-q", *(f"{name}.py" for name in files)),))
    return main(["test"])


def test_a_test_that_holds_when_run_alone_is_forgiven_and_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert whole_run(monkeypatch, tmp_path, test_a=STEADY, test_b=UNLUCKY) == 0
    said = capsys.readouterr().out
    assert "failed, then held when run alone: test_b.py::test_unlucky" in said
    assert "test_steady" not in said


def test_a_test_that_fails_twice_fails_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert whole_run(monkeypatch, tmp_path, test_a=UNLUCKY, test_b=WRONG) == 1


def test_more_than_a_few_are_not_run_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    many = UNLUCKY.replace("def test_unlucky():", "import pytest\n\n@pytest.mark.parametrize('i', range(5))\ndef test_unlucky(i):")
    many = many.replace('"seen"', 'f"seen{i}"')
    assert whole_run(monkeypatch, tmp_path, test_a=many) == 1


def test_a_run_that_did_not_see_every_test_is_not_forgiven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    interrupted = UNLUCKY + "\ndef test_interrupt():\n    raise KeyboardInterrupt\n"
    assert whole_run(monkeypatch, tmp_path, test_a=interrupted) == 1


def test_what_cannot_be_imported_is_not_forgiven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert whole_run(monkeypatch, tmp_path, test_a="import nothing_of_this_name\n") == 1


def test_arguments_go_to_pytest_which_then_runs_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(UNLUCKY)
    monkeypatch.setattr("surefoot.cli.test.shared_directory", lambda: tmp_path)
    assert main(["test", "test_a.py"]) == 1
    assert main(["test", "test_a.py"]) == 0
