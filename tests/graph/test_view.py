# SPDX-License-Identifier: Apache-2.0
"""The page of a graph that runs: it hears what goes on, it asks, and its end changes nothing."""

import json
import os
import signal
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from neighbours import neighbour
from visualization_msgs.msg import Marker, MarkerArray
from websockets.sync.client import ClientConnection, connect

from surefoot.evaluation.run import FILE_NAME, read_run
from surefoot.evaluation.story import FILE_NAME as STORY
from surefoot.evaluation.story import VerdictGiven, of_kind, read_story
from surefoot.nodes.markers import TOPICS

chromium = neighbour("viewer/page/chromium.py")
# A graph, a browser that draws in software and perhaps another test share two cores.
chromium.PATIENCE = 150.0
pytestmark = pytest.mark.timeout(600)


def rehearses(message: dict[str, Any], gait: str) -> bool:
    """Whether a message tells of a rehearsal of a change to a gait."""
    return message["kind"] == "state" and message["rehearsal"] is not None and message["rehearsal"]["to"] == gait


def address(output: str) -> str:
    return next(line.split("open ", 1)[1].strip() for line in output.splitlines() if "open http://localhost:" in line)


def hear(socket: ClientConnection, what: Callable[[dict[str, Any]], bool], patience: float = 150.0) -> dict[str, Any]:
    """The next message of which something holds."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        message: dict[str, Any] = json.loads(socket.recv(timeout=patience))
        if what(message):
            return message
    raise AssertionError("it never came")


@pytest.fixture
def long_story(short_story: Path, tmp_path: Path) -> Path:
    """The short one, but the robot walks on until somebody ends it."""
    path = tmp_path / "long_story.yaml"
    path.write_text(short_story.read_text().replace("end: 6.6", "end: 600.0"))
    return path


def test_the_demo_is_seen_and_asked_and_goes_on_without_its_page(
    graph: Any, ear: Any, long_story: Path, wait_until: Callable[..., Any]
) -> None:
    bag, arrays, told = graph.folder / "bag", ear.hear(MarkerArray, "/markers"), ear.hear(DiagnosticArray, "/plots/stack")
    # A film is no part of what is asked here, and takes longer than the rest.
    graph.environment["MUJOCO_GL"] = "disabled"
    recorder = graph.run("-m", "surefoot", "bag", "record", "--bag", str(bag), "--lockstep")
    graph.node("markers", lockstep=True)
    demo = graph.run("-m", "surefoot", "demo", "--story", str(long_story), "--world", "flat", "--report", str(graph.folder / "report"))
    demo.says("open http://localhost:")
    page = address(demo.output)
    assert b"Surefoot" in urllib.request.urlopen(page, timeout=20).read()
    with connect(page.replace("http", "ws") + "live", proxy=None, max_size=None) as socket:
        # The story's pad is scripted: there is no second one.
        assert not hear(socket, lambda message: message["kind"] == "hello")["has_pad"]
        hear(socket, lambda message: message["kind"] == "state" and message["mode"] == "standing up")
        traced = hear(socket, lambda message: rehearses(message, "walk") and message["rehearsal"]["particles"] > 0)
        assert traced["rehearsal"]["from"] == "stand"
        answered = hear(socket, lambda message: rehearses(message, "walk") and message["rehearsal"]["verdict"] is not None)
        assert answered["rehearsal"]["verdict"]["accepted"]
        assert [candidate["chosen"] for candidate in answered["rehearsal"]["candidates"]].count(True) == 1
        walking = hear(socket, lambda message: message["kind"] == "state" and message["gait"] == "walk" and message["phase"] is not None)
        assert {"gait_planner", "teleop", "servo_bridge"} <= {node["node"] for node in walking["health"]}
        # The change may be a blend, and as long as it goes on another one is refused.
        hear(socket, lambda message: message["kind"] == "state" and message["time"] > walking["time"] + 1.0)
        if not chromium.PROGRAM:
            socket.send(json.dumps({"kind": "request", "gait": "trot"}))
    # Whoever does not listen meanwhile is taken for gone.
    if chromium.PROGRAM:
        ask_in_a_browser(page, graph.folder)
    with connect(page.replace("http", "ws") + "live", proxy=None, max_size=None) as socket:
        asked = hear(socket, lambda message: rehearses(message, "trot") and message["rehearsal"]["verdict"] is not None)
        assert asked["rehearsal"]["verdict"]["reason"].startswith("trot")
        assert len(asked["past"]) == 2
        graph.process_of("view").send_signal(signal.SIGKILL)
    wait_until(lambda: any(status.name == "decision" for message in told for status in message.status))
    wait_until(lambda: {(topic, kind) for topic, kinds in ear.node.get_topic_names_and_types() for kind in kinds} >= set(TOPICS.items()))
    so_far = len(arrays)
    wait_until(lambda: len(arrays) > so_far + 10)
    demo.signal(signal.SIGINT)
    # Most of what its own story should show has not happened, and it says so.
    assert demo.ends() == 1, demo.output
    assert "steps did not happen" in demo.output
    recorder.signal(signal.SIGINT)
    assert recorder.ends() == 0, recorder.output
    run = graph.folder / "report" / "run"
    assert read_run(run / FILE_NAME).ticks_without_command == 0
    drawn = {marker.ns for array in arrays for marker in array.markers if marker.action == Marker.ADD}
    assert drawn >= {"feet", "forces", "friction", "plan", "traces", "verdict"}
    assert [gave.accepted for gave in of_kind(read_story(run / STORY), VerdictGiven)][:1] == [True]
    go_through(graph, bag, graph.folder)
    see_it_replayed(graph, bag)


def picture_folder(folder: Path) -> Path:
    """Where pictures are kept."""
    pictures = Path(os.environ.get("SUREFOOT_PICTURES") or folder)
    pictures.mkdir(parents=True, exist_ok=True)
    return pictures


def ask_in_a_browser(page: str, folder: Path) -> None:
    """Open the page of a demo, click the trot, and see traces and a verdict."""
    # A browser in the folder of one that was before would look for that one's door.
    (folder / "asks").mkdir()
    browser = chromium.Browser(folder / "asks")
    try:
        # On a phone: what is drawn in software takes the cores from the robot.
        browser.open(page, "phone")
        browser.shows(chromium.SCENE, "the scene")
        browser.shows("page.mayCommand && page.state && document.querySelectorAll('.parameter').length > 5")
        # Whoever asks now and then may miss them.
        browser.run(
            "(() => { page.most = 0; page.listeners.push(() => { page.most = Math.max(page.most, page.state.drawing.traces); }); })()"
        )
        browser.click("[data-tab=request]")
        browser.click("[data-gait=trot]")
        browser.click("[data-tab=decision]")
        browser.shows("page.most > 0", "traces in the scene")
        browser.shows("/→ trot: (accepted|vetoed)/.test(document.getElementById('headline').textContent)", "the verdict")
        assert browser.text("#reason").startswith("trot")
        for size in ("wide", "phone"):
            browser.turn_to(size)
            assert browser.run(chromium.DRAWN)
            assert browser.run(chromium.TIDY) == []
            browser.picture(picture_folder(folder) / f"{size}_demo.png")
    finally:
        browser.close()


def see_it_replayed(graph: Any, bag: Path) -> None:
    """A page of its own beside a bag that is played in the place of a robot."""
    player = graph.run("-m", "surefoot", "launch", "replay", f"bag:={bag}", "loop:=true", "speed:=2.0")
    view = graph.run("-m", "surefoot", "view", "--lockstep")
    view.says("open http://localhost:")
    player.says("plays")
    with connect(address(view.output).replace("http", "ws") + "live", proxy=None, max_size=None) as socket:
        hear(socket, lambda message: message["kind"] == "state" and message["mode"] == "standing up")
        seen = hear(socket, lambda message: rehearses(message, "trot") and message["rehearsal"]["verdict"] is not None)
        assert seen["rehearsal"]["verdict"]["reason"].startswith("trot")
    assert player.code is None, player.output
    for process in (view, player):
        process.signal(signal.SIGINT)
        assert process.ends() == 0, process.output


def go_through(graph: Any, bag: Path, folder: Path) -> None:
    """The same once more, out of the bag, in a browser: scrubbed, and a decision opened."""
    process = graph.run("-m", "surefoot", "view", str(bag))
    process.says("open http://localhost:")
    if not chromium.PROGRAM:
        return
    pictures = picture_folder(folder)
    browser = chromium.Browser(folder)
    try:
        for size in chromium.SIZES:
            browser.open(address(process.output), size)
            browser.shows(chromium.SCENE, "the scene")
            browser.shows("document.querySelectorAll('#marks .verdict').length >= 1", "the marks")
            assert browser.text("#rights") == "recording, read-only"
            browser.run("(() => { const s = $('scrub'); s.value = 2.5; s.dispatchEvent(new Event('input')); })()")
            there = "Math.abs(page.state.playback.time - 2.5) < 0.1 && page.state.mode === 'standing up'"
            browser.shows(there, "the moment that was scrubbed to")
            assert browser.text("#headline") == "Nothing was asked yet"
            browser.click("#marks .verdict")
            browser.shows("document.getElementById('headline').textContent.includes('stand → walk: accepted')", "the decision")
            assert "traces survive" in browser.text("#reason")
            browser.shows("document.querySelectorAll('#candidates tr.chosen').length === 1", "its candidates")
            assert browser.run(chromium.TIDY) == []
            browser.picture(pictures / f"{size}_recording.png")
        browser.click("#play")
        browser.shows("page.state.playback.playing && page.state.playback.time > page.hello.recording.marks[1].time + 0.3", "it to play")
        browser.click("#play")
        browser.shows("!page.state.playback.playing", "it to hold")
    finally:
        browser.close()


@pytest.mark.skipif(not os.environ.get("SUREFOOT_LONG_TESTS"), reason="plays a story twice; SUREFOOT_LONG_TESTS=1 runs it")
def test_the_robot_walks_the_same_to_the_last_bit_with_a_page_that_is_killed(new_graph: Callable[[], Any], short_story: Path) -> None:
    runs = []
    for more in ([], ["view:=true"]):
        graph = new_graph()
        process = graph.launch(f"story:={short_story}", "seed:=7", "duration:=6.6", f"record_directory:={graph.folder}", *more)
        if more:
            process.says("open http://localhost:")
            with connect(address(process.output).replace("http", "ws") + "live", proxy=None, max_size=None) as socket:
                hear(socket, lambda message: message["kind"] == "state" and message["gait"] == "walk" and message["phase"] is not None)
                graph.process_of("view").send_signal(signal.SIGKILL)
        assert process.ends() == 0, process.output
        runs.append(read_run(graph.folder / FILE_NAME))
        graph.close()
    np.testing.assert_array_equal(runs[0].base_position, runs[1].base_position)
    assert runs[0].trajectory_sha256 == runs[1].trajectory_sha256
