# SPDX-License-Identifier: Apache-2.0
"""The page as one thing: a state, the scene that draws it, the server that tells it, and the desk that takes commands."""

import time
from typing import Any

import surefoot
from surefoot.gait.library import GaitLibrary
from surefoot.gait.validator import check_gait
from surefoot.robot.model import RobotModel
from surefoot.teleop.gait_editor import GaitEditor
from surefoot.teleop.gait_names import GaitNames
from surefoot.teleop.layout import PadLayout
from surefoot.terrain.world import World
from surefoot.viewer.page import palette
from surefoot.viewer.page.access import Access
from surefoot.viewer.page.desk import Asked, Desk, Reply
from surefoot.viewer.page.messages import Move
from surefoot.viewer.page.pad import OnScreenPad
from surefoot.viewer.page.recorded import TimeLine
from surefoot.viewer.page.scene import Scene
from surefoot.viewer.page.server import PageServer
from surefoot.viewer.page.state import PageState
from surefoot.viewer.page.words import panel

RATE = 30.0
"""Drawings of the scene a second, while somebody looks."""
PANEL_EVERY = 3
"""Drawings of the scene for one of the panel."""

LEGEND = (
    ("trace survives", palette.SURVIVED, ""),
    ("trace fails, ✕ why", palette.FAILED, "dotted"),
    ("stance", palette.STANCE, "dot"),
    ("swing", palette.SWING, "dot"),
    ("reach", palette.REACH, "dot"),
    ("support", palette.SUPPORT, "dot"),
)


class Page:
    """Serves from the moment it is built.

    Args:
        model: the robot.
        gaits: of the robot.
        layout: of the on-screen gamepad.
        access: who may do what.
        world: what is known of the ground; None on a real robot.
        recording: that is shown in place of a robot.

    Attributes:
        state: what is shown; whoever hears the robot fills it.
        moves: what browsers want of the recording, oldest first; who plays it takes them out.
        playback: where the recording is, and how it goes on; None without one.

    Raises:
        ConfigurationError: the address cannot be bound to.
    """

    def __init__(
        self, model: RobotModel, gaits: GaitLibrary, layout: PadLayout, access: Access, world: World | None = None,
        recording: TimeLine | None = None,
    ) -> None:  # fmt: skip
        self.moves: list[Move] = []
        self.playback: dict[str, Any] | None = None
        self._recording = recording
        self.state = PageState(effort_limit=model.effort_limit)
        self._gaits = gaits
        self._pad = OnScreenPad(layout) if access.pad else None
        editor = GaitEditor(gaits[model.description.default_gait], lambda gait: check_gait(gait, model), GaitNames(gaits.names))
        self._desk = Desk(gaits.names, editor, self._pad)
        self._scene = Scene(model, world)
        self._server = PageServer(access, self._scene.port, _greeting(model, gaits, world, recording))
        self._beat = 0
        self._drawn_since, self._drawn_before, self._states_drawn = time.monotonic(), 0, 0.0
        self._draft: dict[str, Any] = {}
        self._told_to = 0

    @property
    def address(self) -> str:
        """Where a person opens it."""
        return self._server.address

    @property
    def port(self) -> int:
        """That it is bound to."""
        return self._server.port

    @property
    def watchers(self) -> int:
        """Browsers that look."""
        return max(self._server.watchers, self._scene.watchers)

    def listen(self) -> list[Asked]:
        """Carry out what was commanded since the last call; the gaits that are to be asked for."""
        while not self._server.heard.empty():
            heard = self._server.heard.get()
            if isinstance(heard.said, Move):
                if self._recording is None:
                    self._server.reply(heard.browser, Reply(False, "this page shows a robot now: it has no other time to go to"))
                else:
                    self.moves.append(heard.said)
                continue
            reply = self._desk.take(heard.browser, heard.time, heard.said)
            if reply is not None:
                self._server.reply(heard.browser, reply)
        asked, self._desk.asked = self._desk.asked, []
        return asked

    def pad_message(self) -> Any:
        """What the on-screen gamepad says now: a PadMessage, or None while nobody holds it."""
        return None if self._pad is None else self._pad.message(time.monotonic())

    def gait_runs(self, name: str) -> None:
        """Hear which gait the robot walks."""
        if name in self._gaits and self._gaits[name].moves:
            self._desk.gait_runs(self._gaits[name])

    def verdict(self, gait: str, accepted: bool, reason: str) -> None:
        """Hear what became of a gait that was asked for."""
        self._desk.verdict(gait, accepted, reason)

    def show(self, now: float) -> None:
        """Draw the state and tell it, if anybody looks; to be called RATE times a second. now: s, clock of the health reports."""
        if self._scene.watchers:
            self._scene.draw(self.state)
        self._beat += 1
        if self._server.watchers and self._beat % PANEL_EVERY == 0:
            self._server.publish(panel(self.state, now) | {"playback": self.playback, "drawing": self._drawing()})
            self._tell_draft()

    def _drawing(self) -> dict[str, Any]:
        """How many states a second were drawn in the last one or two seconds, and the traces in the scene."""
        seconds, drawn = time.monotonic() - self._drawn_since, self._scene.drawings
        if seconds >= 1.0:
            self._states_drawn = (drawn - self._drawn_before) / seconds
            self._drawn_since, self._drawn_before = time.monotonic(), drawn
        return {"states": round(self._states_drawn, 1), "traces": self._scene.traces_drawn}

    def _tell_draft(self) -> None:
        news = {"kind": "draft", "name": self._desk.draft_name(), "parameters": self._desk.parameters(), "log": self._desk.log()}
        # Whoever came since the last time does not know it yet.
        if news != self._draft or self._server.watchers > self._told_to or self._beat % (PANEL_EVERY * 20) == 0:
            self._draft, self._told_to = news, self._server.watchers
            self._server.publish(news)

    def close(self) -> None:
        """End both servers."""
        self._server.close()
        self._scene.close()


def _greeting(model: RobotModel, gaits: GaitLibrary, world: World | None, recording: TimeLine | None) -> dict[str, Any]:
    greeting = {
        "kind": "hello",
        "version": surefoot.__version__,
        "robot": model.description.name,
        "gaits": [name for name in gaits.names if gaits[name].moves],
        "joints": [name.removesuffix("_joint") for name in model.joint_names],
        "legend": LEGEND if world is None else (*LEGEND, _friction_scale()),
    }
    return greeting if recording is None else greeting | {"recording": recording.plain()}


def _friction_scale() -> tuple[str, str, str]:
    """An entry of the legend: the colours of ground by its friction."""
    (least, _), *_, (most, _) = palette.FRICTION
    stops = ", ".join(f"{colour} {(friction - least) / (most - least):.0%}" for friction, colour in palette.FRICTION)
    return (f"friction {least:g} to {most:g}", f"linear-gradient(90deg, {stops})", "scale")
