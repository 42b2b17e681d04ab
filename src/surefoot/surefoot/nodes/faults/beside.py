# SPDX-License-Identifier: Apache-2.0
"""What has to be known of nodes that are tried by themselves and are not on the way from sensors to motors: how they hear, when they are at
work, and what must be whole after garbage beside what they say.
"""

import os
import sys
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import mujoco
from rclpy.node import Node

from surefoot.errors import SurefootError
from surefoot.evaluation.story import FILE_NAME, read_story
from surefoot.nodes.base import SurefootNode
from surefoot.recording.errors import BagError
from surefoot.recording.reader import Bag
from surefoot.viewer.page.news import json_of

UNSTABLE = tuple(getattr(mujoco.mjtWarning, f"mjWARN_BAD{what}") for what in ("QPOS", "QVEL", "QACC", "CTRL"))

PATIENCE = 10.0
"""s in which a page has to answer."""

MEGABYTES = 32.0
"""Size at which the next file of a bag begins: files that are full are read, and removed."""


class Beside:
    """A node of which nothing has to be known."""

    def make(self) -> SurefootNode:
        """The node; not asked of one that is in the company."""
        raise NotImplementedError

    def parameters(self, folder: Path) -> Mapping[str, object]:
        """That it is started with; the folder, which exists and is empty, is its own."""
        return {}

    def polled(self, node: Any) -> Sequence[tuple[Node, Callable[[], None]]]:
        """Nodes by which it hears raw messages, and how it takes what came to them."""
        return ()

    def each_tick(self, node: Any) -> None:
        """What a timer of it does in each tick of the robot."""

    def works(self, node: Any) -> bool | None:
        """Whether it is at work; None where that is told by what it says."""
        return None

    def broken(self, node: Any, over: bool) -> str:
        """Words on what is not whole any more; empty for nothing. over: nothing comes any more."""
        return ""


class Simulator(Beside):
    """The robot itself. Whatever it is told, it stays one."""

    def each_tick(self, node: Any) -> None:
        """Physics go on."""
        node._run_free()

    def works(self, node: Any) -> bool:
        """While its servos are told something."""
        return node._command is not None

    def broken(self, node: Any, over: bool) -> str:
        """Physics say where they had to begin anew, or left out what they were given."""
        data = node._robot.data
        counted = {warning.name: int(data.warning[warning].number) for warning in UNSTABLE}
        return f"physics are unstable: {counted}" if any(counted.values()) else ""


class PathFollower(Beside):
    """It tells by its commands that it has a way to go."""

    def make(self) -> SurefootNode:
        """See Beside."""
        from surefoot.nodes.path_follower import PathFollowerNode

        return PathFollowerNode()


class Recorder(Beside):
    """The bag has to be such that all that was kept can be read."""

    def __init__(self) -> None:
        self._read = 0

    def make(self) -> SurefootNode:
        """See Beside."""
        from surefoot.nodes.recorder import RecorderNode

        return RecorderNode()

    def parameters(self, folder: Path) -> Mapping[str, object]:
        """See Beside."""
        return {"bag": folder / "bag", "split_megabytes": MEGABYTES}

    def polled(self, node: Any) -> Sequence[tuple[Node, Callable[[], None]]]:
        """See Beside."""
        return ((node._listener, node._take),)

    def works(self, node: Any) -> bool:
        """While the bag takes something."""
        return not node._writer.stopped

    def broken(self, node: Any, over: bool) -> str:
        """See Beside."""
        if over:
            node.at_end()
        files = sorted(node._writer._writer.folder.glob("*.mcap"), key=lambda file: int(file.stem.rpartition("_")[2]))
        try:
            for file in files if over else files[:-1]:
                bag = Bag(file)
                self._read += sum(1 for _ in bag.messages())
                if bag.problems:
                    return f"a bag with problems: {'; '.join(bag.problems)}"
                file.unlink()
        except BagError as error:
            return f"a bag that cannot be read: {error}"
        kept = sum(node._writer.received.values()) - sum(node._writer.lost.values())
        return f"a bag of {self._read} messages where {kept} were kept" if over and self._read != kept else ""


class Watched:
    """A part of the page that somebody looks at; what browsers are told has to be such that it can be written as JSON."""

    watchers = 1

    def __init__(self, part: Any) -> None:
        self._part = part

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)

    def publish(self, news: dict[str, Any]) -> None:
        """See PageServer."""
        json_of(news)
        self._part.publish(news)


class View(Beside):
    """The page has to go on answering, with somebody in front of it."""

    def make(self) -> SurefootNode:
        """See Beside."""
        from surefoot.nodes.view import ViewNode

        node: Any = ViewNode()
        page = node._page
        page._server, page._scene = Watched(page._server), Watched(page._scene)
        return node  # type: ignore[no-any-return]

    def polled(self, node: Any) -> Sequence[tuple[Node, Callable[[], None]]]:
        """See Beside."""
        return ((node._glance._node, node._glance.look),)

    def works(self, node: Any) -> bool:
        """While there is a robot to be seen."""
        return node._page.state.robot is not None

    def broken(self, node: Any, over: bool) -> str:
        """See Beside."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{node._page.port}/", timeout=PATIENCE) as answer:
                return "" if answer.status == 200 else f"the page answers with {answer.status}"
        except OSError as error:
            return f"the page does not answer: {error}"


class Markers(Beside):
    """Somebody looks at all that it shows."""

    def make(self) -> SurefootNode:
        """See Beside."""
        from surefoot.nodes.markers import EVENTS, MarkersNode

        node = MarkersNode()
        node._listen_to(set(EVENTS))
        return node

    def polled(self, node: Any) -> Sequence[tuple[Node, Callable[[], None]]]:
        """See Beside."""
        return ((node._glance._node, node._glance.look),)

    def works(self, node: Any) -> bool:
        """While there is a robot to be shown."""
        return node._ears.state.robot is not None


class Narrator(Beside):
    """Each line of what it writes down has to be read by whoever reads stories."""

    def __init__(self) -> None:
        self._file = Path()

    def make(self) -> SurefootNode:
        """See Beside."""
        from surefoot.nodes.narrator import NarratorNode

        return NarratorNode()

    def parameters(self, folder: Path) -> Mapping[str, object]:
        """See Beside."""
        self._file = folder / FILE_NAME
        return {"record_directory": folder}

    def works(self, node: Any) -> bool:
        """From the first mode on."""
        return bool(node._told)

    def broken(self, node: Any, over: bool) -> str:
        """See Beside. What was read is not read again."""
        try:
            read_story(self._file)
        except SurefootError as error:
            return f"a story that cannot be read: {error}"
        node._writer._file.seek(0)
        node._writer._file.truncate()
        return ""


class Keyboard(Beside):
    """It sits at a terminal at which nobody types."""

    def make(self) -> SurefootNode:
        """See Beside."""
        from surefoot.nodes.keyboard import KeyboardNode

        before, (self._typist, terminal) = sys.stdin, os.openpty()
        sys.stdin = os.fdopen(terminal)
        try:
            return KeyboardNode()
        finally:
            sys.stdin = before

    def works(self, node: Any) -> bool:
        """From the first mode on."""
        return str(node._mode) != "-"


BESIDE: dict[str, Callable[[], Beside]] = {
    "simulator": Simulator, "path_follower": PathFollower, "recorder": Recorder, "view": View, "markers": Markers, "narrator": Narrator,
    "keyboard": Keyboard,
}  # fmt: skip
