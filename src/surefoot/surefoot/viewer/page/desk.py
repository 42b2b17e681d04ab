# SPDX-License-Identifier: Apache-2.0
"""Where commands from browsers end up: gaits to ask for, the draft of the gait editor, and the on-screen gamepad."""

import random
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from surefoot.errors import SurefootError
from surefoot.gait.parameters import Gait
from surefoot.teleop.gait_editor import Change, GaitEditor, Outcome
from surefoot.teleop.gait_values import PARAMETERS, GaitParameter
from surefoot.viewer.page.messages import Draft, Edit, Gone, HoldPad, PadSaid, RequestGait, Stop
from surefoot.viewer.page.pad import OnScreenPad


@dataclass(frozen=True)
class Asked:
    """A gait to ask for: id of the request, its name, and the gait itself where it is a draft."""

    request_id: int
    gait: str
    own_gait: Gait | None = None


@dataclass(frozen=True)
class Reply:
    """What a browser is told: whether it went well, in words, and whether it holds the gamepad, where that is new."""

    good: bool
    words: str
    pad: bool | None = None


class Desk:
    """Takes commands one after another.

    Args:
        gaits: names that may be asked for.
        editor: of the gait that runs.
        pad: None where there is none.

    Attributes:
        asked: gaits to ask for, oldest first; who asks takes them out.
    """

    def __init__(self, gaits: Collection[str], editor: GaitEditor, pad: OnScreenPad | None) -> None:
        self._gaits, self._editor, self._pad = tuple(gaits), editor, pad
        # Ids that were seen before are dropped: another page, or this one before it was started again, must not have used them.
        self._next_id = random.SystemRandom().randrange(1, 2**30)
        self._running = editor.running
        self.asked: list[Asked] = []

    def take(self, browser: int, time: float, said: RequestGait | Edit | Draft | HoldPad | PadSaid | Stop | Gone) -> Reply | None:
        """Do what a browser says, which came at a time, s; None where there is nothing to tell it."""
        if isinstance(said, RequestGait):
            return self._request(said.gait)
        if isinstance(said, Edit):
            return self._edit(said)
        if isinstance(said, Draft):
            return self._draft(said.do)
        return self._take_pad(browser, time, said)

    def gait_runs(self, gait: Gait) -> None:
        """Hear which gait the robot walks: the draft starts from it, unless something was edited."""
        self._running = gait
        if gait != self._editor.running and not self._editor.changed:
            self._editor.restart(gait)

    def verdict(self, gait: str, accepted: bool, reason: str) -> None:
        """Hear what became of a gait that was asked for."""
        if self._editor.verdict(gait, accepted, reason) is not None and accepted:
            self._running = self._editor.running

    def parameters(self) -> list[dict[str, Any]]:
        """The draft beside the gait that runs, for a browser."""
        running, draft = self._editor.running, self._editor.draft
        return [
            {
                "key": parameter.key, "unit": parameter.unit, "meaning": parameter.meaning, "least": parameter.least,
                "most": _sensible(parameter, running), "range": parameter.range(),
                "step": parameter.step(running), "running": parameter.value(running), "draft": parameter.value(draft),
            }
            for parameter in PARAMETERS
        ]  # fmt: skip

    def draft_name(self) -> str:
        """Of the draft."""
        return self._editor.draft.name

    def log(self) -> list[str]:
        """The newest edits, and what became of them, newest first."""
        return [str(change) for change in reversed(self._editor.log[-6:])]

    def _request(self, gait: str) -> Reply:
        if gait not in self._gaits:
            return Reply(False, f"gait '{gait}' is unknown; known: {', '.join(self._gaits)}")
        self.asked.append(Asked(self._new_id(), gait))
        return Reply(True, f"asked for {gait}")

    def _edit(self, edit: Edit) -> Reply:
        try:
            return _told(self._editor.set(edit.key, edit.value))
        except SurefootError as error:
            return Reply(False, str(error))

    def _draft(self, do: str) -> Reply:
        if do == "undo":
            return _told(self._editor.undo())
        if do == "restart":
            self._editor.restart(self._running)
            return Reply(True, f"back to {self._running.name}")
        gait = self._editor.request()
        if gait is None:
            return Reply(False, "nothing was changed: the draft is the gait that runs")
        self.asked.append(Asked(self._new_id(), gait.name, gait))
        return Reply(True, f"asked for {gait.name}: {self._editor.differences()}")

    def _take_pad(self, browser: int, time: float, said: HoldPad | PadSaid | Stop | Gone) -> Reply | None:
        if self._pad is None:
            words = "there is no on-screen gamepad here: something else drives this robot"
            return None if isinstance(said, Gone) else Reply(False, words, pad=False)
        if isinstance(said, Stop):
            self._pad.stop()
            return Reply(True, "asked for a stop")
        if isinstance(said, PadSaid):
            held = self._pad.say(browser, time, said.sent, said.axes, said.pressed)
            return None if held else Reply(False, "the gamepad is not yours, or fell silent; take it again", pad=False)
        if isinstance(said, HoldPad) and said.hold:
            taken = self._pad.take(browser, time)
            return Reply(taken, "the gamepad is yours" if taken else "another browser holds the gamepad; it has to let go first", taken)
        self._pad.leave(browser)
        return None if isinstance(said, Gone) else Reply(True, "the gamepad is free")

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id


def _told(change: Change) -> Reply:
    return Reply(change.outcome is not Outcome.REFUSED, str(change))


def _sensible(parameter: GaitParameter, running: Gait) -> float:
    """End of a slider: the range is that of any robot, and most of it is of no use for this one, unless it goes both ways."""
    most = parameter.most
    return min(most, max(3.0 * parameter.value(running), 0.1 * most)) if most > 1.0 and parameter.least >= 0.0 else most
