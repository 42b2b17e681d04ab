# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from surefoot.errors import SurefootError
from surefoot.evaluation.bench.commands import finish, running, start, wait_for_words

DOMAIN = 79


def test_what_a_command_said_comes_back(tmp_path: Path) -> None:
    log = tmp_path / "robots.log"
    assert "hyq" in finish(start(("robots",), log, DOMAIN), log)


def test_a_command_that_fails_is_named_with_what_it_said(tmp_path: Path) -> None:
    log = tmp_path / "check.log"
    with pytest.raises(SurefootError, match=r"check hyk ended with exit code 2: [\s\S]*hyk"):
        finish(start(("check", "hyk"), log, DOMAIN), log)


def test_one_that_ends_before_its_words_is_not_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "robots.log"
    with running(("robots",), log, DOMAIN) as process, pytest.raises(SurefootError, match="robots ended with exit code 0 before it began"):
        wait_for_words("words that it never says", process, log)
    assert process.poll() is not None
