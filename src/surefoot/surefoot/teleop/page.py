# SPDX-License-Identifier: Apache-2.0
"""The tuning page: a gait editor under a few buttons."""

import math
from collections.abc import Callable, Sequence

from surefoot.errors import SurefootError
from surefoot.gait.parameters import Gait
from surefoot.teleop.gait_editor import GaitEditor, Outcome
from surefoot.teleop.gait_names import base_name
from surefoot.teleop.gait_values import PARAMETERS
from surefoot.teleop.name_choice import NameChoice, Names

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

    def __init__(
        self,
        editor: GaitEditor,
        save: Callable[[Gait], None] | None = None,
        names: Names = lambda gait: (gait.name,),
        gaits: Callable[[], Sequence[Gait]] = tuple,
    ) -> None:
        """Build.

        Args:
            editor: to drive.
            save: keeps a gait for later, and raises a SurefootError if it cannot; None: nobody keeps any.
            names: that it may be kept under.
            gaits: that one may go on with; looked at whenever one does.
        """
        self.is_open = False
        self.editor = editor
        self._save, self._names, self._gaits = save, names, gaits
        self._naming: NameChoice | None = None
        self._selected = 0
        self._held: str = ""
        self._repeat_at = math.inf
        self._lines: list[str] = []
        self._told = 0

    def toggle(self) -> None:
        """Open or close it. A draft stays; one without edits follows the gait that runs."""
        self.is_open = not self.is_open
        self._held, self._naming = "", None
        if not self.is_open:
            self._lines.append("tuning page closed")
            return
        self._lines.append("tuning page open")
        self._lines.append(self.line())

    def line(self) -> str:
        """What is chosen and the draft, as text; behind the parameters comes the gait as a whole."""
        editor = self.editor
        if self._selected == len(PARAMETERS):
            names = ", ".join(gait.name for gait in self._gaits())
            return f"{editor.draft.name}: gait (to go on with another: {names}); {editor.differences()}"
        parameter = PARAMETERS[self._selected]
        value, step = parameter.show(editor.draft), f"step {parameter.step(editor.draft):.4g}"
        return f"{editor.draft.name}: {parameter.key} = {value} ({parameter.meaning}; {step}); {editor.differences()}"

    def table(self) -> tuple[tuple[str, str, str], ...]:
        """Every parameter: name, value that runs, value of the draft."""
        editor = self.editor
        return tuple((parameter.key, parameter.show(editor.running), parameter.show(editor.draft)) for parameter in PARAMETERS)

    def press(self, time: float, action: str) -> Gait | None:
        """Take one press of a button of the page at a time, s; a gait if it asks for one."""
        if self._naming is not None:
            self._name(self._naming, action)
        elif action in ("next", "previous"):
            self._selected = (self._selected + (1 if action == "next" else -1)) % (len(PARAMETERS) + bool(self._gaits()))
            self._lines.append(self.line())
        elif action in ("more", "less"):
            self._held, self._repeat_at = action, time + REPEAT_AFTER
            self._step()
        elif action == "undo":
            self.editor.undo()
        elif action == "save":
            self._choose_a_name()
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
        by = 1 if self._held == "more" else -1
        if self._selected == len(PARAMETERS):
            # One at a press: nobody reads ten a second.
            self._held = ""
            gaits = tuple(self._gaits())
            names = [gait.name for gait in gaits]
            draft = self.editor.draft.name
            here = next((names.index(name) for name in (draft, base_name(draft)) if name in names), -1 if by > 0 else 0)
            self.editor.replace(gaits[(here + by) % len(gaits)])
        elif self.editor.step(PARAMETERS[self._selected].key, by).outcome is Outcome.REFUSED:
            self._held = ""

    def _choose_a_name(self) -> None:
        gait = self.editor.draft
        if self._save is None:
            self._lines.append(f"gait {gait.name} not saved: there is nowhere to keep it")
        elif gait != self.editor.running:
            self._lines.append(f"gait {gait.name} not saved: only the gait that runs is kept; ask for it first, and wait until it runs")
        elif not (names := self._names(gait)):
            self._lines.append(f"gait {gait.name} not saved: there is such a gait already, and nothing of it was changed")
        else:
            self._naming, self._held = NameChoice(gait, names), ""
            self._lines.append(self._naming.line())

    def _name(self, naming: NameChoice, action: str) -> None:
        """Take one press while a name is chosen: what chooses a parameter or changes it goes through the names."""
        if action in ("next", "more", "previous", "less"):
            naming.turn(1 if action in ("next", "more") else -1)
            self._lines.append(naming.line())
            return
        self._naming = None
        if action == "undo":
            self._lines.append(f"gait {naming.gait.name} not saved")
        else:
            self._keep(naming.named)

    def _keep(self, gait: Gait) -> None:
        try:
            if self._save is not None:
                self._save(gait)
            self._lines.append(f"gait {gait.name} saved")
        except SurefootError as error:
            self._lines.append(f"gait {gait.name} not saved: {error}")
