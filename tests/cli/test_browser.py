# SPDX-License-Identifier: Apache-2.0
"""The demo shows its page in a browser where there is a screen, and nowhere else; whatever the browser does, the demo goes on."""

import threading
import webbrowser
from pathlib import Path

import pytest
from rich.console import Console

from surefoot.cli.browser import open_in_browser
from surefoot.cli.demo import _Stage


class Browser(webbrowser.BaseBrowser):
    def __init__(self) -> None:
        super().__init__("test")
        self.opened: list[str] = []
        self.came = threading.Event()

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        self.opened.append(url)
        self.came.set()
        return True


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    browser = Browser()
    monkeypatch.setattr(webbrowser, "get", lambda: browser)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return browser


def test_the_demo_opens_its_page_once_and_says_so_in_one_line(browser: Browser, tmp_path: Path) -> None:
    with (tmp_path / "said").open("w") as file:
        stage = _Stage(Console(file=file, width=200), tmp_path, ["view", "narrator"])
        stage.line("view", "open http://localhost:8080/\n")
        stage.line("view", "open http://localhost:8080/\n")
        stage.close()
    assert browser.came.wait(10.0)
    assert browser.opened == ["http://localhost:8080/"]
    assert (tmp_path / "said").read_text().splitlines()[0] == "to see it think, open http://localhost:8080/ (a browser was told to)"


def test_without_a_screen_none_is_opened(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY")
    assert not open_in_browser("http://localhost:8080/")
    assert browser.opened == []


def test_none_that_takes_the_terminal_away_and_none_at_all(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("w3m"))
    assert not open_in_browser("http://localhost:8080/")

    def none() -> webbrowser.BaseBrowser:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    assert not open_in_browser("http://localhost:8080/")
