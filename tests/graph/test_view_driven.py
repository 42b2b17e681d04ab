# SPDX-License-Identifier: Apache-2.0
"""One person, one browser, one robot: driven by the on-screen gamepad, asked for a trot, and for a gait that is refused."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from neighbours import neighbour

from surefoot.evaluation.run import FILE_NAME, read_run

chromium = neighbour("viewer/page/chromium.py")
# A graph, a browser that draws in software and perhaps another test share two cores.
chromium.PATIENCE = 150.0
pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(not chromium.PROGRAM, reason="no Chromium on this machine; on Debian: apt-get install chromium"),
]

SIZE = "phone"
"""In which the robot is driven: what is drawn in software takes the cores from the robot, and a small scene takes a quarter."""
TRIES = 12
"""Of one thing: on a busy machine a press comes too late, or the gamepad is lost."""
HEARD_WITHIN = 10.0
"""s of the wall after which a press that had no effect is lost; a press that comes late is dropped long before."""
ASK_AGAIN = ("ask again", "dropped")
"""Of these one is in each answer that says nothing of the gait: the gamepad or the verdict itself was late."""
PRESENT = "page.state.operator === ''"
SAID = "[page.state.mode, page.state.why, page.state.operator, page.state.refused, pad.held, $('reply').textContent].join(' | ')"


@pytest.fixture
def browser(graph: Any) -> Iterator[Any]:
    browser = chromium.Browser(graph.folder)
    yield browser
    browser.close()


class Person:
    """Somebody who looks at the page and does what is to be done next."""

    NEXT: ClassVar = {"off": "arm", "stopped": "arm", "fault": "arm", "damping": "stand", "sitting": "stand", "ready": "walk"}
    """The button that leads on, by what the page says of the robot."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self._browser, self._folder, self._began = browser, folder, time.monotonic()
        self._counts = True

    def step(self, words: str) -> None:
        """Say what comes next."""
        print(f"{time.monotonic() - self._began:6.1f} s: {words}", flush=True)

    def sees(self, condition: str) -> bool:
        return bool(self._browser.run(f"!!({condition})"))

    def soon(self, condition: str, seconds: float = HEARD_WITHIN) -> bool:
        """Whether something comes to be seen, while the gamepad is held."""
        return chromium.within(seconds, lambda: self.sees(f"({condition}) || !pad.held")) and self.sees(condition)

    def again_and_again(self, what: str, attempt: Callable[[], bool]) -> None:
        self.step(what)
        for _ in range(TRIES):
            if attempt():
                return
            # Whoever was lost meanwhile, here or on the way to the robot, counts again once the gamepad is armed.
            self._counts = False
            self.step(f"  not yet: {self._browser.run(SAID)}")
        raise AssertionError(f"gave up: {what}")

    def take_the_gamepad(self) -> bool:
        """Show its tab, and have it; whether it is held."""
        self._browser.click("[data-tab=drive]")
        if not self.sees("pad.held"):
            self.step("  take the gamepad")
            self._browser.clicks("#pad-hold", HEARD_WITHIN)
            self._counts = False
        if not self._counts:
            self._counts = self._browser.clicks("#pad [data-button=arm]", HEARD_WITHIN)
        return self.sees("pad.held")

    def bring_to(self, mode: str) -> None:
        """Arm it, let it stand up, and switch walking on, as far as that."""

        def attempt() -> bool:
            while (now := self._browser.run("page.state.mode")) != mode:
                if not self.take_the_gamepad():
                    return False
                if now in self.NEXT:
                    self.step(f"  it is {now}: press {self.NEXT[now]}")
                    self._browser.clicks(f"#pad [data-button={self.NEXT[now]}]", HEARD_WITHIN)
                if not self.soon(f"page.state.mode !== '{now}'"):
                    return False
            return True

        self.again_and_again(f"it is to be {mode}", attempt)

    def push_the_stick(self, until: str) -> None:
        """Forward, with the mouse, until something is seen."""

        def attempt() -> bool:
            self.bring_to("walking")
            if not self.take_the_gamepad():
                return False
            x, y = self._browser.middle("[data-stick=left]")
            self._browser.mouse("mousePressed", x, y)
            self._browser.mouse("mouseMoved", x, y - 60)
            done = self.soon(PRESENT) and self.soon(until, 60.0)
            if done:
                self.keep("driven")
            self._browser.mouse("mouseReleased", x, y - 60)
            return done

        self.again_and_again(f"push the stick until {until}", attempt)

    def ask(self, click: str, gait: str) -> str:
        """Ask with the dead-man switch held, until the answer is one about the gait; gives its headline."""
        there = f"page.state.rehearsal && page.state.rehearsal.to{gait}"
        answered = f"{there} && page.state.rehearsal.verdict && !['REHEARSING', 'SCHEDULED'].includes(page.state.request.state)"

        def attempt() -> bool:
            self.bring_to("walking")
            if not self.take_the_gamepad():
                return False
            self._browser.click("[data-tab=request]")
            # Whoever lets go before the robot answers takes the question back.
            self._browser.key("keyDown", "Shift")
            if self.soon(PRESENT) and self._browser.clicks(click, HEARD_WITHIN):
                if self.soon(f"{there} && page.state.drawing.traces > 0", 60.0):
                    self.step(f"  {self._browser.text('#caption')}")
                self.soon(answered, 90.0)
            self._browser.key("keyUp", "Shift")
            return self.sees(answered) and not any(words in self._browser.text("#asked") for words in ASK_AGAIN)

        self.again_and_again(f"ask by {click}", attempt)
        self._browser.click("[data-tab=decision]")
        headline = str(self._browser.text("#headline"))
        self.step(f"  {headline}; {self._browser.text('#reason')}")
        return headline

    def drag(self, parameter: str, part: float) -> None:
        """Drag the slider of a parameter to a part of its range."""
        self.step(f"drag {parameter} to {part:.0%} of its range")
        self._browser.click("[data-tab=request]")
        x, y = self._browser.middle(f"[aria-label={parameter}]")
        box = f"document.querySelector('[aria-label={parameter}]').getBoundingClientRect()"
        left, width = self._browser.run(f"[{box}.left, {box}.width]")
        self._browser.mouse("mousePressed", x, y)
        self._browser.mouse("mouseMoved", left + part * width, y)
        self._browser.mouse("mouseReleased", left + part * width, y)

    def keep(self, name: str) -> None:
        """A picture of the page in each size; on it nothing may be small, cut off, pale or on another."""
        for size in ("wide", SIZE):
            self._browser.turn_to(size)
            assert self._browser.run(chromium.DRAWN)
            assert self._browser.run(chromium.TIDY) == []
            self._browser.picture(self._folder / f"{size}_robot_{name}.png")


def test_a_person_drives_asks_for_a_trot_and_is_refused_a_gait(graph: Any, browser: Any) -> None:
    folder = Path(os.environ.get("SUREFOOT_PICTURES") or graph.folder)
    folder.mkdir(parents=True, exist_ok=True)
    person = Person(browser, folder)
    person.step("start")
    process = graph.launch("seed:=7", "particles:=2", "view:=true", f"record_directory:={graph.folder}")
    process.says("open http://localhost:")
    browser.open(next(line.split("open ", 1)[1].strip() for line in process.output.splitlines() if "open http://localhost:" in line), SIZE)
    person.step("the page opens")
    browser.shows(chromium.SCENE, "the scene")
    browser.shows("page.hasPad && page.state && document.querySelectorAll('.parameter').length > 5")
    chromium.until(lambda: browser.run(chromium.CALM), "a browser that keeps up")
    person.bring_to("ready")
    person.keep("stands")
    person.bring_to("walking")
    person.push_the_stick("page.state.command[0] > 0.25")
    browser.shows("page.state.command[0] < 0.05", "the robot to stop when the stick is let go of")

    headline = person.ask("[data-gait=trot]", " === 'trot'")
    assert "→ trot: " in headline
    assert browser.text("#reason").startswith("trot")
    assert " of " in browser.text("#candidates")
    person.keep("trot")

    # Wider than its legs reach: that is refused at once, with the number and the limit.
    person.drag("stance_width", 0.99)
    browser.shows("$('reply').className === 'no'", "a refusal")
    person.step(f"  {browser.text('#reply')}")
    assert "stance_width" in browser.text("#reply")
    assert "refused" in browser.text("#reply")
    person.keep("refused")

    # So short that its legs meet: the validator lets it pass, the rehearsals do not.
    person.drag("stance_length", 0.01)
    browser.shows("document.querySelector('output.changed') !== null", "the draft to change")
    headline = person.ask("#draft-request", ".includes(' #')")
    assert headline.endswith(": vetoed")
    assert "not vouched for" in browser.text("#reason")
    person.keep("vetoed")

    person.step("the end")
    process.signal(signal.SIGINT)
    assert process.ends() == 0, process.output
    run = read_run(graph.folder / FILE_NAME)
    assert run.ticks_without_command == 0
    assert np.ptp(run.base_position[:, 0]) > 0.1
