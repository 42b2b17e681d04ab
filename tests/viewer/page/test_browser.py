# SPDX-License-Identifier: Apache-2.0
"""The page as a person meets it: in a browser, at the sizes of a screen and of a phone, by mouse, finger and key.

SUREFOOT_PICTURES names a folder in which a picture of each view is kept, as `.ci/run` does, and how fast it was drawn.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from neighbours import neighbour

from surefoot.nodes.page_ears import ABSENT
from surefoot.teleop.gait_values import PARAMETERS
from surefoot.teleop.writer import PadMessage
from surefoot.viewer.page.access import access
from surefoot.viewer.page.desk import Asked
from surefoot.viewer.page.page import Page
from surefoot.viewer.page.rehearsal import RehearsalShown, VerdictShown
from surefoot.viewer.page.state import StatusShown

Make = Callable[..., Page]
IN_DIAGRAM = """(colour) => {
  const canvas = document.getElementById('contacts'), wanted = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 0; i < pixels.length; i += 4) count += wanted.every((value, part) => pixels[i + part] === value);
  return count;
}"""
"""How many pixels of the gait diagram have a colour."""

chromium = neighbour("viewer/page/chromium.py")
pytestmark = pytest.mark.skipif(not chromium.PROGRAM, reason="no Chromium on this machine; on Debian: apt-get install chromium")


class Running:
    """A page that goes on by itself, and what came of it.

    Attributes:
        asked: gaits that were asked for.
        said: what the pad said, without repetitions.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.asked: list[Asked] = []
        self.said: list[PadMessage] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.wait(0.02):
            self.asked += self.page.listen()
            message = self.page.pad_message()
            if message is not None and (not self.said or message != self.said[-1]):
                self.said.append(message)
            self.page.show(time.monotonic())

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def says(self, what: str, condition: Callable[[PadMessage], bool]) -> None:
        chromium.until(lambda: bool(self.said) and condition(self.said[-1]), what)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    browser = chromium.Browser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


@pytest.fixture
def run_page(make_page: Make) -> Iterator[Callable[..., Running]]:
    running = []

    def run(**given: Any) -> Running:
        running.append(Running(make_page(access(**given))))
        return running[-1]

    yield run
    for one in running:
        one.end()


@pytest.fixture
def picture_folder(tmp_path: Path) -> Path:
    folder = Path(os.environ.get("SUREFOOT_PICTURES") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def keep(browser: Any, picture_folder: Path) -> Callable[[str], bytes]:
    return lambda name: browser.picture(picture_folder / f"{name}.png")  # type: ignore[no-any-return]


def pressed(page: Page, message: PadMessage) -> set[str]:
    assert page._pad is not None
    return {name for name, button in page._pad._layout.buttons.items() if message.buttons and message.buttons[button.index or 0]}


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_a_rehearsal_and_its_verdict(
    browser: Any, run_page: Callable[..., Running], rehearsed: RehearsalShown, keep: Callable[[str], bytes], picture_folder: Path, size: str
) -> None:
    running = run_page()
    page = running.page
    browser.open(page.address, size)
    browser.shows(chromium.SCENE, "the scene")
    browser.shows("document.getElementById('mode').textContent === 'walking'")
    assert browser.text("#headline") == "Nothing was asked yet"
    for kind in ("planned", "sensed"):
        browser.shows(f"({IN_DIAGRAM})(COLOURS.{kind}) > 500", f"what is {kind} in the gait diagram")
    page.state.take_rehearsal(rehearsed)
    browser.shows("document.getElementById('headline').textContent === 'Rehearsing walk → trot: 128 traces so far'")
    chromium.until(lambda: page._scene.traces_drawn == 128, "the traces in the scene")
    rehearsed.settle(0, rehearsed.candidates[0], 64, 32, {"tilt": 21, "joint range": 11}, 0.4)
    verdict = VerdictShown(
        False, None, "trot is not vouched for: tilt 21x", ("a heavy trunk tilts",), "trot at 60 % of the speed", wall_seconds=0.84
    )
    rehearsed.answer(verdict, 10.0)
    browser.shows("document.getElementById('headline').textContent === 'walk → trot: vetoed'")
    assert "not vouched for" in browser.text("#reason")
    assert browser.text("#offer") == "Offered instead: trot at 60 % of the speed"
    assert browser.text("#answered") == "Answered after 0.84 s, by 128 traces."
    assert browser.text("#caption").startswith("walk → trot: vetoed · offered")
    assert "32 of 64" in browser.text("#candidates")
    assert "joint range" in browser.text("#candidates")
    assert browser.run(chromium.TIDY) == []
    assert page._scene.traces_drawn == 128
    drawn = page._scene.drawings
    chromium.until(lambda: page._scene.drawings > drawn + 2, "the scene to be told")
    assert browser.run(chromium.DRAWN)
    seen = {}
    # First as the colour-blind see it: a label takes some frames until it is in its place.
    for sight in ("deuteranopia", "protanopia", "tritanopia", "none"):
        browser.sees_as(sight)
        assert browser.run(chromium.DRAWN)
        seen[sight] = keep(f"{size}_decision" + (f"_{sight}" if sight != "none" else ""))
    assert len(set(seen.values())) == 4
    assert len(seen["none"]) > 20_000
    for tab in ("request", "drive", "health"):
        browser.click(f"[data-tab={tab}]")
        browser.shows(f"!document.getElementById('{tab}').hidden")
        browser.shows("document.querySelectorAll('.parameter').length > 5")
        browser.shows(f"'{tab}' !== 'health' || document.getElementById('drawing').textContent.includes('ms each')", "a frame time")
        assert browser.run(chromium.TIDY) == [], tab
        if tab == "health":
            # Reported, never asserted: it is a number of this machine at this moment.
            picture_folder.joinpath(f"{size}_drawing.txt").write_text(f"{browser.text('#drawing')}; load {os.getloadavg()[0]:.1f}\n")
        keep(f"{size}_{tab}")


def test_ask_for_a_gait_and_drag_a_parameter(browser: Any, run_page: Callable[..., Running]) -> None:
    running = run_page()
    page = running.page
    browser.open(page.address)
    browser.shows("document.querySelectorAll('.parameter').length > 5")
    browser.click("[data-tab=request]")
    browser.click("[data-gait=trot]")
    chromium.until(lambda: [asked.gait for asked in running.asked] == ["trot"], "the trot to be asked for")
    browser.shows("document.getElementById('reply').textContent === 'asked for trot'")

    # Each parameter with its range, its unit and a picture.
    browser.run("document.querySelectorAll('.parameter details').forEach((picture) => { picture.open = true; })")
    browser.shows("[...document.querySelectorAll('.parameter img')].every((image) => image.naturalWidth > 100)", "the pictures")
    words = browser.run("[...document.querySelectorAll('.parameter')].map((row) => row.innerText)")
    for parameter, shown in zip(PARAMETERS, words, strict=True):
        assert parameter.range() in shown
        assert parameter.unit in shown
    browser.run("document.querySelectorAll('.parameter details').forEach((picture) => { picture.open = false; })")

    x, y = browser.middle("[aria-label=period]")
    browser.mouse("mousePressed", x, y)
    browser.mouse("mouseMoved", x + 60, y)
    browser.mouse("mouseReleased", x + 60, y)
    browser.shows("document.querySelector('output.changed') !== null", "the draft to change")
    browser.click("#draft-request")
    chromium.until(lambda: len(running.asked) == 2, "the draft to be asked for")
    draft = running.asked[-1].own_gait
    assert draft is not None
    assert draft.period > 0.9
    page.state.status = StatusShown("walk", "VETOED", 2, draft.name, reason="0 of 16 traces survive: tilt 16x")
    page.verdict(draft.name, False, page.state.status.reason)
    browser.shows("document.getElementById('asked').textContent.includes('0 of 16 traces survive')")
    browser.shows("document.getElementById('log').textContent.includes('vetoed')")

    slider = "document.querySelector('[aria-label=stance_length]')"
    browser.run(f"(() => {{ {slider}.value = {slider}.max; {slider}.dispatchEvent(new Event('change')) }})()")
    browser.shows("document.getElementById('reply').className === 'no'")
    assert "stance_length" in browser.text("#reply")


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_nothing_moves_under_the_finger_of_who_begins_to_drive(browser: Any, run_page: Callable[..., Running], size: str) -> None:
    running = run_page()
    state = running.page.state
    browser.open(running.page.address, size)
    browser.shows("document.querySelectorAll('.parameter').length > 5")
    for tab, button in (("request", "[data-gait=trot]"), ("drive", "#pad-hold")):
        browser.click(f"[data-tab={tab}]")
        places = []
        for operator in (ABSENT, ""):
            state.operator = operator
            browser.shows(f"page.state.operator === '{operator}'")
            places.append(browser.middle(button))
        assert places[0] == places[1], tab


def test_drive_by_mouse_key_and_finger(
    browser: Any, run_page: Callable[..., Running], monkeypatch: pytest.MonkeyPatch, keep: Callable[[str], bytes]
) -> None:
    # A machine that draws in software and tests at the same time is slower than any operator.
    monkeypatch.setattr("surefoot.viewer.page.pad.FRESH", 5.0)
    monkeypatch.setattr("surefoot.viewer.page.pad.LATE", 60.0)
    running = run_page()
    page = running.page
    browser.open(page.address)
    browser.shows("page.hasPad")
    browser.click("[data-tab=drive]")
    browser.click("#pad-hold")
    browser.shows("pad.held")
    assert browser.run(chromium.TIDY) == []
    running.says("a pad at rest", lambda message: bool(message.axes) and not any(message.axes) and not any(message.buttons))

    x, y = browser.middle("[data-stick=left]")
    browser.mouse("mousePressed", x, y)
    browser.mouse("mouseMoved", x, y - 70)
    running.says("forward by mouse", lambda message: message.axes[0] > 0.8 and pressed(page, message) == {"dead_man"})
    browser.mouse("mouseReleased", x, y - 70)
    running.says("the mouse to let go", lambda message: not any(message.axes) and not any(message.buttons))

    browser.key("keyDown", "Shift")
    browser.key("keyDown", "a")
    running.says("a turn by key", lambda message: message.axes[2] > 0.3 and pressed(page, message) == {"dead_man"})
    browser.run("dispatchEvent(new Event('blur'))")
    running.says("everything let go of, though the keys are down", lambda message: not any(message.axes) and not any(message.buttons))
    browser.key("keyUp", "a")
    browser.key("keyUp", "Shift")
    browser.key("keyDown", " ")
    running.says("a stop by key", lambda message: "stop" in pressed(page, message))
    browser.key("keyUp", " ")

    browser.open(page.address, "phone", touch=True)
    browser.shows("page.hasPad")
    # The page that held the pad is gone: that is a loss, and the new one has to take it.
    running.says("the loss of the pad", lambda message: message == ((), ()))
    browser.click("[data-tab=drive]")
    browser.click("#pad-hold")
    browser.shows("pad.held")
    running.says("a pad at rest", lambda message: bool(message.axes) and not any(message.buttons))
    assert browser.run(chromium.TIDY) == []
    keep("phone_pad")
    x, y = browser.middle("[data-stick=right]")
    browser.touch("touchStart", (x, y))
    browser.touch("touchMove", (x - 50, y))
    running.says("a turn by finger", lambda message: message.axes[2] > 0.5 and "dead_man" in pressed(page, message))
    browser.touch("touchCancel")
    running.says("the finger to let go", lambda message: not any(message.axes) and not any(message.buttons))
    browser.run("pad.timer && clearInterval(pad.timer)")
    running.says("a page that hangs to lose the pad", lambda message: message == ((), ()))


def test_one_finger_holds_and_another_asks(browser: Any, run_page: Callable[..., Running], monkeypatch: pytest.MonkeyPatch) -> None:
    # No silence is too long: that a busy machine makes one is not what is asked here.
    monkeypatch.setattr("surefoot.viewer.page.pad.FRESH", 600.0)
    monkeypatch.setattr("surefoot.viewer.page.pad.LATE", 600.0)
    running = run_page()
    browser.open(running.page.address, "phone", touch=True)
    browser.shows("page.hasPad && document.querySelectorAll('.parameter').length > 5")
    browser.click("[data-tab=drive]")
    browser.click("#pad-hold")
    browser.shows("pad.held")
    browser.click("[data-tab=request]")
    browser.shows("!document.getElementById('hold-here').hidden")
    finger, other = browser.middle("#hold-here button"), browser.middle("[data-gait=trot]")
    assert browser.middle("#hold-here button") == finger
    browser.touch("touchStart", finger)
    running.says("somebody to be there", lambda message: pressed(running.page, message) == {"dead_man"})
    browser.touch("touchStart", finger, other)
    browser.touch("touchEnd", other, first=1)
    chromium.until(lambda: [asked.gait for asked in running.asked] == ["trot"], "the trot to be asked for")
    assert pressed(running.page, running.said[-1]) == {"dead_man"}
    browser.touch("touchEnd")
    running.says("the finger to let go", lambda message: not any(message.buttons))


def test_no_key_is_stuck_and_no_stop_is_ignored_wherever_the_focus_is(
    browser: Any, run_page: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surefoot.viewer.page.pad.FRESH", 5.0)
    monkeypatch.setattr("surefoot.viewer.page.pad.LATE", 60.0)
    running = run_page()
    page = running.page

    def at_rest(message: PadMessage) -> bool:
        return bool(message.axes) and not any(message.axes) and not any(message.buttons)

    browser.open(page.address)
    browser.shows(chromium.SCENE, "the scene")
    browser.shows("page.hasPad && document.querySelectorAll('.parameter').length > 5")
    browser.click("[data-tab=drive]")
    browser.click("#pad-hold")
    browser.shows("pad.held")
    running.says("a pad at rest", at_rest)
    browser.key("keyDown", "w")
    running.says("a key that holds no dead-man switch", lambda message: message.axes[0] > 0.5 and pressed(page, message) == set())
    browser.key("keyDown", "Shift")
    running.says("forward by key", lambda message: message.axes[0] > 0.5 and pressed(page, message) == {"dead_man"})
    browser.click("[data-tab=request]")
    running.says("another tab to let go", at_rest)
    for key in ("w", "Shift"):
        browser.key("keyUp", key)

    slider = "document.querySelector('[aria-label=period]')"
    browser.key("keyDown", "w")
    running.says("forward by key", lambda message: message.axes[0] > 0.5)
    browser.run(f"{slider}.focus()")
    running.says("a slider to let go", at_rest)
    browser.key("keyUp", "w")
    browser.key("keyDown", "w")
    running.says("forward by a key on a slider", lambda message: message.axes[0] > 0.5)
    browser.key("keyUp", "w")
    running.says("the release on a slider", at_rest)
    browser.run("document.activeElement.blur()")
    browser.key("keyDown", "w")
    running.says("forward by key", lambda message: message.axes[0] > 0.5)
    browser.run("document.querySelector('[aria-label=period]').dispatchEvent(new KeyboardEvent('keyup', {code: 'KeyW', bubbles: true}))")
    running.says("the release elsewhere", at_rest)
    browser.key("keyUp", "w")

    browser.run(f"{slider}.focus()")
    for stop in (" ", "Escape"):
        browser.key("keyDown", stop)
        running.says("a stop on a slider", lambda message: pressed(page, message) == {"stop"})
        browser.key("keyUp", stop)
        running.says("the key of the stop to be up", at_rest)
    in_scene = "document.getElementById('scene').contentDocument.body"
    browser.run(f"{in_scene}.dispatchEvent(new KeyboardEvent('keydown', {{code: 'Escape', bubbles: true}}))")
    running.says("a stop in the scene", lambda message: pressed(page, message) == {"stop"})

    browser.run("hold(false)")
    running.says("the loss of the pad", lambda message: message == ((), ()))
    browser.click("[data-tab=drive]")
    for stop in (lambda: browser.key("keyDown", "Escape"), lambda: browser.click("[data-button=stop]")):
        before = len(running.said)
        stop()
        chromium.until(lambda before=before: {"stop"} in [pressed(page, said) for said in running.said[before:]], "a stop without the pad")
        assert {"stop"} in [pressed(page, said) for said in running.said[before:]]


def test_a_scene_that_did_not_come_up_is_asked_for_again(browser: Any, run_page: Callable[..., Running]) -> None:
    running = run_page()
    browser.open(running.page.address)
    browser.shows(chromium.SCENE, "the scene")
    browser.run("(() => { page.scenePatience = 500; $('scene').contentDocument.documentElement.replaceChildren(); })()")
    assert not browser.run(chromium.SCENE)
    browser.shows(f"page.scenePatience === 1000 && {chromium.SCENE}", "the scene once more")


def test_who_may_only_look_sees_and_cannot_touch(browser: Any, run_page: Callable[..., Running]) -> None:
    running = run_page(commands="off")
    browser.open(running.page.address)
    browser.shows("document.querySelectorAll('.parameter').length > 5")
    assert browser.text("#rights") == "looking only"
    browser.click("[data-tab=request]")
    assert "for looking only" in browser.text("#request .locked")
    assert browser.run("[...document.querySelectorAll('#request button, #request input')].every((e) => e.disabled)")
    assert browser.run("document.getElementById('pad').hidden")


def test_feet_forces_and_what_is_no_number_are_drawn(browser: Any, run_page: Callable[..., Running]) -> None:
    import numpy as np

    running = run_page()
    page = running.page
    browser.open(page.address)
    browser.shows(chromium.SCENE, "the scene")
    # Without a graphics card the edges are not smoothed: that would cost more than all the rest.
    canvas = "[...document.getElementById('scene').contentDocument.querySelectorAll('canvas')].at(-1).getContext('webgl2')"
    assert browser.run(f"{canvas}.getContextAttributes().antialias") is False
    before = page._scene.drawings
    robot = page.state.robot
    assert robot is not None
    page.state.take_robot(replace(robot, time=10.1, foot_force=np.full((4, 3), np.nan), position_covariance=np.full((3, 3), np.nan)))
    chromium.until(lambda: page._scene.drawings > before + 5, "the page to go on")
    assert running._thread.is_alive()
