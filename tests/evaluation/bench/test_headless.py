# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from surefoot.errors import SurefootError
from surefoot.evaluation.bench import headless
from surefoot.evaluation.bench.headless import HeadlessBrowser

needs_browser = pytest.mark.skipif(not headless.PROGRAM, reason=headless.NO_PROGRAM)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HeadlessBrowser]:
    browser = HeadlessBrowser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


def test_without_a_browser_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(headless, "PROGRAM", "")
    with pytest.raises(SurefootError, match="install chromium"):
        HeadlessBrowser(tmp_path)


@needs_browser
def test_it_opens_an_address_and_answers_what_is_asked(browser: HeadlessBrowser) -> None:
    browser.resize(640, 480)
    browser.go_to("data:text/html,<title>here</title><p id=it>words</p>")
    browser.shows("document.title === 'here' && document.getElementById('it').innerText === 'words'")
    assert browser.run("[innerWidth, innerHeight]") == [640, 480]
    assert browser.run("new Promise((done) => setTimeout(() => done(7), 20))") == 7


@needs_browser
def test_what_is_wrong_is_named(browser: HeadlessBrowser) -> None:
    with pytest.raises(SurefootError, match="nothing_there"):
        browser.run("nothing_there.at_all")
    with pytest.raises(SurefootError, match=r"refuses Page\.unheard"):
        browser.call("Page.unheard")
    browser.patience = 0.3
    with pytest.raises(SurefootError, match="gave up waiting for a miracle"):
        browser.shows("false", "a miracle")
    browser.patience = 60.0


@needs_browser
def test_its_processes_are_found_by_what_they_do_and_go_with_it(tmp_path: Path) -> None:
    browser = HeadlessBrowser(tmp_path)
    everything, drawing = browser.processes(), browser.processes("renderer")
    assert set(drawing) < set(everything)
    assert browser.processes("baker") == []
    browser.close()
    _, alive = psutil.wait_procs([psutil.Process(pid) for pid in everything if psutil.pid_exists(pid)], timeout=30)
    assert not alive
