# SPDX-License-Identifier: Apache-2.0
"""The tuning page: a gait editor under a few buttons."""

import math
from collections.abc import Callable

from surefoot.errors import SurefootError
from surefoot.gait.parameters import Gait
from surefoot.teleop.gait_editor import GaitEditor, Outcome
from surefoot.teleop.gait_values import PARAMETERS

REPEAT_AFTER = 0.5
"""Time for which more or less is held before it repeats, s."""

REPEAT_EVERY = 0.1
"""Time between two repeats, s."""


class TuningPage:
    """Turns presses into edits, and edits into lines for the operator.

    Attributes:
        is_open: whether the buttons of the page mean the page.
        editor: what is edited.
    """

    def __init__(self, editor: GaitEditor, save: Callable[[Gait], None] | None = None) -> None:
        """Build.

        Args:
            editor: to drive.
            save: keeps a gait for later, and raises a SurefootError if it cannot; None: nobody keeps any.
        """
        self.is_open = False
        self.editor = editor
        self._save = save
        self._selected = 0
        self._held: str = ""
        self._repeat_at = math.inf
        self._lines: list[str] = []
        self._told = 0

    def toggle(self) -> None:
        """Open or close it. A draft stays; one without edits follows the gait that runs."""
        self.is_open = not self.is_open
        self._held = ""
        if not self.is_open:
            self._lines.append("tuning page closed")
            return
        self._lines.append("tuning page open")
        self._lines.append(self.line())

    def line(self) -> str:
        """The chosen parameter and the draft, as text."""
        parameter, editor = PARAMETERS[self._selected], self.editor
        value, step = parameter.show(editor.draft), f"step {parameter.step(editor.draft):.4g}"
        return f"{editor.draft.name}: {parameter.key} = {value} ({parameter.meaning}; {step}); {editor.differences()}"

    def table(self) -> tuple[tuple[str, str, str], ...]:
        """Every parameter: name, value that runs, value of the draft."""
        editor = self.editor
        return tuple((parameter.key, parameter.show(editor.running), parameter.show(editor.draft)) for parameter in PARAMETERS)

    def press(self, time: float, action: str) -> Gait | None:
        """Take one press of a button of the page at a time, s; a gait if it asks for one."""
        if action in ("next", "previous"):
            self._selected = (self._selected + (1 if action == "next" else -1)) % len(PARAMETERS)
            self._lines.append(self.line())
        elif action in ("more", "less"):
            self._held, self._repeat_at = action, time + REPEAT_AFTER
            self._step()
        elif action == "undo":
            self.editor.undo()
        elif action == "save":
            self._keep()
        elif action == "take":
            return self.editor.request()
        return None

    def hold(self, time: float, down: Callable[[str], bool]) -> None:
        """Repeat more or less while its button is held, until a step is refused: the next would be as well, and a check takes long."""
        if self._held and not (self.is_open and down(self._held)):
            self._held = ""
        if self._held and time >= self._repeat_at:
            self._repeat_at = time + REPEAT_EVERY
            self._step()

    def take_lines(self) -> tuple[str, ...]:
        """What the operator should read, each once: the page's own lines, and every change and verdict."""
        changes = self.editor.log[self._told :]
        self._told = len(self.editor.log)
        lines, self._lines = (*self._lines, *(f"tuning: {change}" for change in changes)), []
        return lines

    def _step(self) -> None:
        if self.editor.step(PARAMETERS[self._selected].key, 1 if self._held == "more" else -1).outcome is Outcome.REFUSED:
            self._held = ""

    def _keep(self) -> None:
        gait = self.editor.draft
        try:
            if self._save is None:
                self._lines.append(f"gait {gait.name} not saved: there is nowhere to keep it")
                return
            if gait != self.editor.running:
                self._lines.append(f"gait {gait.name} not saved: only the gait that runs is kept; ask for it first, and wait until it runs")
                return
            self._save(gait)
            self._lines.append(f"gait {gait.name} saved")
        except SurefootError as error:
            self._lines.append(f"gait {gait.name} not saved: {error}")
