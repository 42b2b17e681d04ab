# SPDX-License-Identifier: Apache-2.0
"""A recording in a browser: scrubbed with the mouse, and "why did it refuse here?" asked by a click on the veto.

SUREFOOT_PICTURES names a folder in which a picture of it in each size is kept.
"""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from neighbours import neighbour

from surefoot.nodes.bag_page import BagPage
from surefoot.nodes.bag_story import BagStory
from surefoot.recording.reader import Bag
from surefoot.viewer.page.access import access

chromium = neighbour("viewer/page/chromium.py")
pytestmark = pytest.mark.skipif(not chromium.PROGRAM, reason="no Chromium on this machine; on Debian: apt-get install chromium")

REFUSED, ACCEPTED, FAULT = 1, 3, 4
"""Places on the time line."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    browser = chromium.Browser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


@pytest.fixture
def address(told_bag: Path) -> Iterator[str]:
    """Of a page over the bag that goes on by itself."""
    page, ended = BagPage(BagStory(Bag(told_bag)), access(commands="off", pad=False), None), threading.Event()

    def run() -> None:
        while not ended.wait(0.03):
            page.tick(time.monotonic())

    thread = threading.Thread(target=run)
    thread.start()
    yield page.page.address
    ended.set()
    thread.join()
    page.close()


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_a_veto_is_asked_for_its_reason(browser: Any, address: str, tmp_path: Path, size: str) -> None:
    browser.open(address, size)
    browser.shows(chromium.SCENE, "the scene")
    browser.shows("document.querySelectorAll('#marks button').length === 5", "the marks")
    assert browser.text("#rights") == "recording, read-only"
    signs = browser.run("[...document.querySelectorAll('#marks button')].map((mark) => mark.textContent)")
    assert signs == ["?", "✕", "?", "✓", "!"]

    # Held, so that what is scrubbed to is still there however long a busy machine takes to show it.
    if browser.run("page.state.playback.playing"):
        browser.click("#play")
    browser.shows("!page.state.playback.playing", "it to hold")

    # A hand that drags, from where it is now to the middle.
    _, y = browser.middle("#scrub")
    left, width = browser.run("(() => { const r = $('scrub').getBoundingClientRect(); return [r.left, r.width]; })()")
    browser.mouse("mousePressed", left + 0.1 * width, y)
    browser.mouse("mouseMoved", left + 0.67 * width, y)
    browser.mouse("mouseReleased", left + 0.67 * width, y)
    browser.shows("Math.abs(page.state.playback.time - 7.7) < 0.25", "the moment that was scrubbed to")
    browser.shows("document.getElementById('headline').textContent.startsWith('Rehearsing walk → trot')", "what went on then")

    browser.click(f"#marks [data-mark='{REFUSED}']")
    browser.shows("document.getElementById('headline').textContent === 'walk → trot: vetoed'", "the decision")
    assert browser.text("#reason") == "tilt 3x"
    assert browser.text("#answered") == "", "nobody measured how long it took"
    assert not browser.run("document.querySelector('#gait-clock circle[r=\"7\"]')"), "no moment was chosen"
    assert "1 of 4" in browser.text("#candidates")
    assert "tilt 3×" in browser.text("#candidates")
    browser.shows("page.state.drawing.traces === 2", "its traces in the scene")
    browser.shows("Math.abs(page.state.playback.time - 5.0) < 0.05 && !page.state.playback.playing", "it to hold there")
    assert browser.run(chromium.DRAWN)
    assert browser.run(chromium.TIDY) == []
    folder = Path(os.environ.get("SUREFOOT_PICTURES") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    browser.picture(folder / f"{size}_recording_veto.png")

    browser.click(f"#mark-list [data-mark='{ACCEPTED}']")
    browser.shows("document.getElementById('headline').textContent === 'walk → trot: accepted'", "the other decision")
    # The chosen moment on the gait clock: a quarter of the way round.
    disc = "document.querySelector('#gait-clock circle[r=\"7\"]')"
    assert browser.run(f"[{disc}.cx.baseVal.value, {disc}.cy.baseVal.value]") == pytest.approx([186.0, 95.0])
    history = browser.run("[...document.querySelectorAll('#past li')].map((entry) => entry.textContent)")
    assert [entry.split(" s: ")[1] for entry in history] == ["walk → trot accepted: tilt 3x", "walk → trot vetoed: tilt 3x"]
    browser.click(f"#marks [data-mark='{FAULT}']")
    browser.shows("document.getElementById('faults').textContent.includes('a servo is hot')", "the fault")
