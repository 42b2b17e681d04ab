# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.cli.app import main


@pytest.mark.parametrize("words", [("--sample", "3"), ("--domain", "9"), ("--within", "3.0"), ("--journal", "x")])
def test_what_is_of_use_between_processes_alone_is_not_ignored(words: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faults", "run", *words]) == 2
    assert f"{words[0]} {words[1]} is of use with --processes alone" in capsys.readouterr().err.replace("\n", " ")
