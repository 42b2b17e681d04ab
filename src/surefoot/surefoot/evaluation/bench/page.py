# SPDX-License-Identifier: Apache-2.0
"""What the page costs: how fast it is drawn with a full fan of traces, how soon it is there, and what the robot notices of it.

A walk is simulated in lockstep, so that no sample is unanswered, over and over: without a page, with one that nobody looks at, and with one
in a browser, in turns. Another walk is recorded, and its bag opened on the page at the verdict: drawing is timed there, without a graph.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import psutil
from numpy.typing import NDArray

from surefoot.errors import SurefootError
from surefoot.evaluation.bench.commands import finish, running, start, wait_for_words
from surefoot.evaluation.bench.domain import own_domain
from surefoot.evaluation.bench.headless import SCENE, HeadlessBrowser
from surefoot.evaluation.bench.processor_time import processor_time
from surefoot.evaluation.bench.sample import Machine, Times, this_machine, times_of
from surefoot.evaluation.run import FILE_NAME, Run, read_run

SIZE = (1280, 720)
TRACES = 128
PARTICLES = 16
"""Of each of eight candidates: as many traces as the page draws at most."""
WITHOUT, UNWATCHED, WATCHED = "no page", "page, nobody looks", "page in a browser"
ARMS = (WITHOUT, UNWATCHED, WATCHED)
SETTLE = 1.0
"""For what has just begun, before it is measured, s."""
LONGEST = 3.5
"""That the drawing can be watched, s: then the fan of a verdict goes."""
FRAMES = """new Promise((done) => {
  const scene = document.getElementById('scene').contentWindow, came = [];
  const frame = (now) => { came.push(now); if (now - came[0] < %d) scene.requestAnimationFrame(frame); else done(came); };
  scene.requestAnimationFrame(frame);
})"""
"""When the scene was drawn in the next so many ms, in ms."""


@dataclass(frozen=True)
class Drawing:
    """The page of a bag at a verdict, while it plays.

    Attributes:
        seconds: for which it was watched, s.
        traces: in the scene.
        states_per_second: that the page drew.
        frame: times between two frames of the browser.
        page_ms, gpu_ms, renderer_ms: processor time of the page, of the browser's drawing process and of its page's, by frame.
        panel_s, scene_s: from opening the address until the panel is filled and until the scene has drawn the robot.
    """

    seconds: float
    traces: int
    states_per_second: float
    frame: Times
    page_ms: float
    gpu_ms: float
    renderer_ms: float
    panel_s: float
    scene_s: float


@dataclass(frozen=True)
class Walked:
    """One walk in lockstep.

    Attributes:
        arm: without a page, with one, or with one in a browser.
        latency: wall time from a sensor sample to its command, while the robot walked.
        unanswered: ticks without a command.
        trajectory_sha256: hash of what the joints did.
        wall_seconds: how long it took.
        page_percent: of a core that the page took; None without one.
        messages_per_second: ticks of the graph in a second of the wall, of each of the five topics that the page follows.
    """

    arm: str
    latency: Times
    unanswered: int
    trajectory_sha256: str
    wall_seconds: float
    page_percent: float | None
    messages_per_second: float


@dataclass(frozen=True)
class PageResult:
    """Everything that was measured; no drawing where nobody asked for it."""

    machine: Machine
    robot: str
    seed: int
    drawing: Drawing | None
    walks: tuple[Walked, ...]

    @property
    def same_walk(self) -> bool:
        """Whether the robot did the same to the last bit, with a page and without."""
        return len({walk.trajectory_sha256 for walk in self.walks}) == 1


def bench_page(
    robot: str, seed: int, rounds: int, simulated: float, seconds: float, progress: Callable[[str], None] = lambda _: None
) -> PageResult:
    """Measure.

    Args:
        robot: name or path.
        seed: of the walk.
        rounds: how many times each way is walked, in turns; 0: not at all.
        simulated: length of a walk, s; its verdict comes at about 7 s.
        seconds: for which the drawing is watched, s; 0: not at all.
        progress: hears what comes next.

    Raises:
        SurefootError: there is no browser, or a process that is needed fails.
    """
    machine = this_machine()
    with TemporaryDirectory(prefix="surefoot_page_") as name, own_domain() as domain, ExitStack() as stack:
        folder = Path(name)
        browser = HeadlessBrowser(folder, patience=120.0)
        stack.callback(browser.close)
        browser.resize(*SIZE)
        drawing = None
        if seconds > 0.0:
            progress("a walk to look at")
            bag = folder / "bag"
            recorded = *_walk(robot, seed, simulated), f"particles:={PARTICLES}", "record:=true", f"bag:={bag}"
            finish(start(recorded, folder / "bag.log", domain), folder / "bag.log")
            progress("drawing")
            drawing = _drawing(bag, browser, seconds, folder, domain)
        walks = []
        for number in range(rounds):
            for arm in ARMS:
                progress(f"{arm}, {number + 1} of {rounds}")
                here = folder / f"{ARMS.index(arm)}_{number}"
                here.mkdir()
                walks.append(_walked(arm, _walk(robot, seed, simulated), browser, here, domain))
        return PageResult(machine, robot, seed, drawing, tuple(walks))


def _walk(robot: str, seed: int, simulated: float) -> tuple[str, ...]:
    return "launch", "sim", f"robot:={robot}", "story:=demo", f"seed:={seed}", f"duration:={simulated}"


def _drawing(bag: Path, browser: HeadlessBrowser, seconds: float, folder: Path, domain: int) -> Drawing:
    log = folder / "view.log"
    with running(("view", str(bag)), log, domain) as page:
        address = _address(wait_for_words("open http://localhost:", page, log))
        began = time.monotonic()
        browser.go_to(address)
        browser.shows("page.state !== null", "the panel")
        panel = time.monotonic() - began
        browser.shows(SCENE, "the scene")
        browser.run(FRAMES % 1)
        scene = time.monotonic() - began
        mark = "page.hello.recording.marks.findIndex((mark) => mark.kind === 'verdict')"
        browser.run(f"say({{ kind: 'mark', number: {mark} }})")
        browser.shows(f"page.state.drawing.traces >= {TRACES}", f"{TRACES} traces in the scene")
        browser.run("say({ kind: 'play', playing: true })")
        time.sleep(SETTLE)
        watched = {"page": [page.pid], "gpu": browser.processes("gpu-process"), "renderer": browser.processes("renderer")}
        before = {what: processor_time(of) for what, of in watched.items()}
        came = np.diff(browser.run(FRAMES % round(1e3 * seconds)))
        spent = {what: 1e3 * (processor_time(of) - before[what]) / len(came) for what, of in watched.items()}
        shown = browser.run("page.state.drawing")
        if shown["traces"] < TRACES:
            raise SurefootError(f"{shown['traces']} traces were left in the end: the fan goes after 5 s; measure for at most {LONGEST:g} s")
    return Drawing(
        1e-3 * float(came.sum()), shown["traces"], shown["states"], times_of(1e-3 * came), spent["page"], spent["gpu"], spent["renderer"],
        panel, scene,
    )  # fmt: skip


def _walked(arm: str, words: tuple[str, ...], browser: HeadlessBrowser, folder: Path, domain: int) -> Walked:
    log, page = folder / "walk.log", arm != WITHOUT
    process = start((*words, f"record_directory:={folder}", f"view:={str(page).lower()}"), log, domain)
    try:
        percent = None
        if page:
            address = _address(wait_for_words("open http://localhost:", process, log))
            if arm == WATCHED:
                browser.go_to(address)
            percent = _share(psutil.Process(process.pid).children(recursive=True), process.poll)
        finish(process, log)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
        if arm == WATCHED:
            browser.go_to("about:blank")
    run = read_run(folder / FILE_NAME)
    return Walked(
        arm, times_of(_while_walking(run)), run.ticks_without_command, run.trajectory_sha256, run.wall_seconds, percent,
        len(run.time) / run.wall_seconds,
    )  # fmt: skip


def _while_walking(run: Run) -> NDArray[np.float64]:
    """Latencies of the ticks in the second half of a walk, s: what begins takes longer, with a page and without."""
    latency = run.command_latency[len(run.command_latency) // 2 :]
    return latency[np.isfinite(latency)]


def _share(family: Iterable[psutil.Process], ended: Callable[[], int | None]) -> float:
    """Percent of a core that the node of the page takes from when it has settled until its graph ends."""
    node = next(one for one in family if "surefoot.nodes.view" in one.cmdline())
    time.sleep(SETTLE)
    begin, before = time.monotonic(), processor_time([node.pid])
    spent, now = 0.0, begin
    while ended() is None:
        try:
            spent, now = processor_time([node.pid]) - before, time.monotonic()
        except OSError:
            break
        time.sleep(0.2)
    return 100.0 * spent / (now - begin)


def _address(output: str) -> str:
    return next(line.split("open ", 1)[1].strip() for line in output.splitlines() if "open http://localhost:" in line)
