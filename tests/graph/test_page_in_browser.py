# SPDX-License-Identifier: Apache-2.0
"""One person, one browser, one robot: driven by the on-screen gamepad, asked for a trot, and for a gait that is refused."""

import os
import signal
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, ClassVar

import pytest
from surefoot_msgs.msg import RobotState

from surefoot.nodes import quality


def _chromium() -> Any:
    """Beside the tests of the page: tests are no package."""
    spec = spec_from_file_location("page_graph_chromium", Path(__file__).parents[1] / "viewer" / "page" / "chromium.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = module_from_spec(spec)
    spec.loader.exec_module(module)
    # A graph, a browser that draws in software and perhaps another test share two cores.
    module.PATIENCE = 400.0
    return module


chromium = _chromium()
pytestmark = [
    pytest.mark.timeout(1500),
    pytest.mark.skipif(not chromium.PROGRAM, reason="no Chromium on this machine; on Debian: apt-get install chromium"),
    pytest.mark.skipif(not os.environ.get("SUREFOOT_LONG_TESTS"), reason="a graph and a browser at once; SUREFOOT_LONG_TESTS=1 runs it"),
]


@pytest.fixture
def browser(graph: Any) -> Iterator[Any]:
    browser = chromium.Browser(graph.folder)
    yield browser
    browser.close()


@pytest.fixture
def keep(graph: Any, browser: Any) -> Callable[[str], bytes]:
    folder = Path(os.environ.get("SUREFOOT_PICTURES") or graph.folder)
    folder.mkdir(parents=True, exist_ok=True)

    def keep(name: str) -> bytes:
        assert browser.run(chromium.DRAWN)
        picture: bytes = browser.picture(folder / f"{name}.png")
        return picture

    return keep


class Person:
    """Somebody who looks at the page and does what is to be done next: on a busy machine a press comes too late, or the gamepad is lost."""

    NEXT: ClassVar = {"off": "m", "stopped": "m", "damping": "t", "sitting": "t", "ready": "v"}
    """The key that leads on, by what the page says of the robot."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser

    def sees(self, condition: str) -> bool:
        return bool(self._browser.run(f"!!({condition})"))

    def until(self, step: Callable[[], bool], what: str) -> None:
        """Take a step again and again until it is done."""
        said = "[page.state.mode, page.state.why, page.state.operator, page.state.refused, pad.held, $('reply').textContent].join(' | ')"
        try:
            chromium.until(step, what)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self._browser.run(said)}") from error

    def take_the_gamepad(self) -> None:
        if not self.sees("pad.held"):
            self._browser.click("[data-tab=drive]")
            self._browser.click("#pad-hold")
            self._browser.shows("pad.held")

    def press(self, key: str, leads_to: str) -> bool:
        """Press a key; whether it soon leads to something."""
        self._browser.key("keyDown", key)
        chromium.within(0.3, lambda: self.sees(leads_to))
        self._browser.key("keyUp", key)
        return chromium.within(5.0, lambda: self.sees(leads_to))

    def rearm(self) -> None:
        """A gamepad that was lost meanwhile, here or on its way, counts again once it arms."""
        self.press(self.NEXT["off"], "page.state.operator === ''")

    def bring_to(self, mode: str) -> None:
        """Arm it, let it stand up, and switch walking on, as far as that."""

        def step() -> bool:
            now = self._browser.run("page.state.mode")
            if now == mode:
                return True
            self.take_the_gamepad()
            if now in self.NEXT and not self.press(self.NEXT[now], f"page.state.mode !== '{now}'"):
                self.rearm()
            return False

        self.until(step, f"the robot to be {mode}")

    def push_the_stick(self, done: Callable[[], bool]) -> None:
        """Forward, until something is done."""

        def step() -> bool:
            self.bring_to("walking")
            self._browser.click("[data-tab=drive]")
            x, y = self._browser.middle("[data-stick=left]")
            self._browser.mouse("mousePressed", x, y)
            self._browser.mouse("mouseMoved", x, y - 60)
            chromium.within(60.0, lambda: done() or not self.sees("pad.held && page.state.mode === 'walking'"))
            self._browser.mouse("mouseReleased", x, y - 60)
            if not done():
                self.take_the_gamepad()
                self.rearm()
            return done()

        self.until(step, "the robot to walk")


def asked(person: Person, browser: Any, click: str, gait: str) -> None:
    """Ask with the dead-man switch held, until the rehearsal of a gait is on its way, by a condition on its name."""
    there = f"page.state.rehearsal && page.state.rehearsal.to{gait}"

    def step() -> bool:
        person.bring_to("walking")
        browser.click("[data-tab=request]")
        browser.key("keyDown", "Shift")
        if chromium.within(5.0, lambda: person.sees("page.state.operator === ''")):
            browser.click(click)
        begun = chromium.within(20.0, lambda: person.sees(there) or not person.sees("pad.held"))
        browser.key("keyUp", "Shift")
        if not person.sees(there):
            person.take_the_gamepad()
            person.rearm()
        return begun and person.sees(there)

    person.until(step, f"a rehearsal where to{gait}")


def test_a_person_drives_asks_for_a_trot_and_is_refused_a_gait(
    graph: Any, ear: Any, browser: Any, keep: Callable[[str], bytes]
) -> None:
    process = graph.launch("seed:=7", "particles:=8", "view:=true")
    states = ear.hear(RobotState, "/robot_state", quality.command(False))
    process.says("open http://localhost:")
    browser.open(next(line.split("open ", 1)[1].strip() for line in process.output.splitlines() if "open http://localhost:" in line))
    browser.shows(chromium.SCENE, "the scene")
    browser.shows("page.hasPad && document.querySelectorAll('.parameter').length > 5")

    person = Person(browser)
    person.bring_to("ready")
    keep("graph_standing")
    person.bring_to("walking")
    begun = states[-1].base_position[0]
    person.push_the_stick(lambda: bool(states[-1].base_position[0] > begun + 0.2))
    browser.shows("page.state.command[0] < 0.05", "the robot to stop when the stick is let go of")
    keep("graph_driven")

    browser.click("[data-tab=request]")
    browser.shows("document.getElementById('nobody').textContent.includes('Nobody drives')")
    asked(person, browser, "[data-gait=trot]", " === 'trot'")
    browser.shows("page.state.drawing.traces > 0", "traces in the scene")
    browser.shows("page.state.rehearsal.verdict !== null", "a verdict")
    browser.click("[data-tab=decision]")
    browser.shows("document.getElementById('headline').textContent.includes('→ trot: ')", "the verdict in words")
    assert browser.text("#reason").startswith("trot")
    assert "of 8" in browser.text("#candidates")
    assert browser.run(chromium.TIDY) == []
    keep("graph_trot")

    # So slow that it tips over the diagonal of its stance feet: the validator lets it pass, the rehearsals do not.
    browser.click("[data-tab=request]")
    x, y = browser.middle("[aria-label=period]")
    right = browser.run("document.querySelector('[aria-label=period]').getBoundingClientRect().right")
    browser.mouse("mousePressed", x, y)
    browser.mouse("mouseMoved", right - 1, y)
    browser.mouse("mouseReleased", right - 1, y)
    browser.shows("document.querySelector('output.changed') !== null", "the draft to change")
    asked(person, browser, "#draft-request", ".includes(' #')")
    browser.shows("page.state.rehearsal.verdict !== null && !page.state.rehearsal.verdict.accepted", "a veto")
    browser.click("[data-tab=decision]")
    browser.shows("document.getElementById('headline').textContent.includes(': vetoed')", "the veto in words")
    assert "not vouched for" in browser.text("#reason")
    assert browser.run(chromium.TIDY) == []
    keep("graph_refused")
    process.signal(signal.SIGINT)
    assert process.ends() == 0, process.output
