# SPDX-License-Identifier: Apache-2.0
"""A gait that is edited while the robot walks: every edit is checked, can be undone, and is taken only after a verdict."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pydantic import ValidationError

from surefoot.gait.parameters import Gait
from surefoot.gait.report import GaitError, GaitReport
from surefoot.gait.validator import check_gait
from surefoot.teleop.gait_names import GaitNames, base_name
from surefoot.teleop.gait_values import PARAMETERS, find_parameter


class Outcome(StrEnum):
    """What became of a change."""

    EDITED = "edited"
    REFUSED = "refused"
    UNDONE = "undone"
    NAMED = "named"
    REQUESTED = "requested"
    ACCEPTED = "accepted"
    VETOED = "vetoed"


@dataclass(frozen=True)
class Change:
    """One line of the log.

    Attributes:
        outcome: what became of it.
        text: what was done, in words.
        reason: why it was refused or vetoed; what the validator warns of.
    """

    outcome: Outcome
    text: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.text}: {self.outcome}" + (f" ({self.reason})" if self.reason else "")


Check = Callable[[Gait], GaitReport]


class GaitEditor:
    """A draft of a gait, next to the gait that runs.

    Attributes:
        running: the gait that the robot walks, as far as is known.
        draft: the edited gait; always one that the validator lets through.
        log: every change and every verdict, oldest first.
        names: of gaits that were asked for, here and elsewhere.
    """

    def __init__(self, gait: Gait, check: Check = check_gait, names: GaitNames | None = None) -> None:
        """Start from a gait that runs.

        Args:
            gait: to start from.
            check: raises GaitError for what cannot be a gait or what the robot cannot do, as `check_gait` with its robot.
            names: gives drafts their names; None: one of its own. Editors of the same robot share it.
        """
        self._check, self.names = check, names or GaitNames()
        self.running = self.draft = gait
        self.log: list[Change] = []
        self._past: list[Gait] = []
        self._asked: Gait | None = None
        self._last_asked: Gait | None = None
        self._whole: dict[str, Gait] = {}
        self._named = False

    @property
    def asked(self) -> Gait | None:
        """The gait that waits for its verdict."""
        return self._asked

    @property
    def changed(self) -> bool:
        """Whether the draft differs from the gait that runs, whatever they are called."""
        return self.draft.model_copy(update={"name": self.running.name}) != self.running

    def restart(self, gait: Gait) -> None:
        """Forget the draft and start from a gait that runs."""
        self.running = self.draft = gait
        self._past, self._asked, self._named = [], None, False

    def runs(self, gait: Gait) -> None:
        """Hear which gait the robot walks. A draft of another one stays."""
        if gait == self.draft:
            # However it was asked for.
            self.running = gait
        elif gait != self.running and not self.changed:
            self.restart(gait)

    def step(self, key: str, steps: int) -> Change:
        """Change a parameter by whole steps of its own, as far as its range goes.

        Raises:
            UnknownNameError: no such parameter.
        """
        return self.set(key, find_parameter(key).stepped(self.draft, steps))

    def set(self, key: str, value: float) -> Change:
        """Give a parameter a value, in its unit. What is not possible is refused, and the draft stays.

        Raises:
            UnknownNameError: no such parameter.
        """
        return self.set_all({key: value})

    def set_all(self, values: Mapping[str, float]) -> Change:
        """Give parameters values, in their units, all at once: only what they make together has to be a gait, and it is one edit.

        Raises:
            UnknownNameError: no such parameter.
        """
        given = [(find_parameter(key), value) for key, value in values.items()]
        texts = (f"{one.key} {one.show(self.draft)} -> {value:.4g} {one.unit}".rstrip() for one, value in given)
        text, gait = ", ".join(texts), self.draft
        try:
            for parameter, value in given:
                gait = gait.model_copy(update=parameter.changed(gait, value))
            gait = Gait.model_validate(gait.model_dump())
            if gait == self.draft:
                return self._note(Outcome.REFUSED, text, "; ".join(f"its range is {one.range()}" for one, _ in given))
            report = self._check(gait)
        except GaitError as error:
            return self._note(Outcome.REFUSED, text, str(error))
        except ValidationError as error:
            return self._note(Outcome.REFUSED, text, "; ".join(item["msg"] for item in error.errors()))
        self._past.append(self.draft)
        self.draft = gait
        return self._note(Outcome.EDITED, text, " ".join(report.warnings))

    def replace(self, gait: Gait) -> Change:
        """Go on with a whole other gait, under its own name until it is edited. What is not possible is refused, and the draft stays."""
        text = f"gait {self.draft.name} -> {gait.name}"
        try:
            report = self._check(gait)
        except GaitError as error:
            return self._note(Outcome.REFUSED, text, str(error))
        self._past.append(self.draft)
        self.draft = self._whole[gait.name] = gait
        self._named = False
        return self._note(Outcome.EDITED, text, " ".join(report.warnings))

    def undo(self) -> Change:
        """Take the last edit back."""
        if not self._past:
            return self._note(Outcome.REFUSED, "undo", "nothing was edited")
        before, self.draft = self.draft, self._past.pop()
        changed = [p.key for p in PARAMETERS if p.value(before) != p.value(self.draft)]
        if changed and base_name(before.name) != base_name(self.draft.name):
            changed = [f"gait {before.name}"]
        return self._note(Outcome.UNDONE, ", ".join(changed) or f"name {before.name}")

    def name(self, name: str) -> Change:
        """Give the draft a name."""
        if not name.strip():
            return self._note(Outcome.REFUSED, "name", "a name has at least one letter")
        self._past.append(self.draft)
        self._named = True
        self.names.asked(name.strip())  # From now on nobody else is given it.
        self.draft = self.draft.model_copy(update={"name": name.strip()})
        return self._note(Outcome.NAMED, f"gait {name.strip()}")

    def request(self) -> Gait | None:
        """The draft as a gait to ask for; None if nothing was changed. A verdict answers it.

        Without a name by `name`, each gait that is asked for gets one of its own.
        """
        if not self.changed:
            self._note(Outcome.REFUSED, f"request of {self.draft.name}", "it runs already")
            return None
        has_its_name = self.draft in (self._last_asked, self._whole.get(self.draft.name))
        if not has_its_name and (not self._named or self.draft.name == self.running.name):
            self.draft = self.draft.model_copy(update={"name": self.names.new(base_name(self.draft.name))})
        self._asked = self._last_asked = self.draft
        self.names.asked(self.draft.name)
        self._note(Outcome.REQUESTED, f"gait {self.draft.name}: {self.differences()}")
        return self._asked

    def verdict(self, name: str, accepted: bool, reason: str) -> Change | None:
        """Hear what became of the gait that was asked for; None if the verdict is about another one. A veto leaves the draft."""
        if self._asked is None or name != self._asked.name:
            return None
        asked, self._asked = self._asked, None
        if accepted:
            self.running = asked
        return self._note(Outcome.ACCEPTED if accepted else Outcome.VETOED, f"gait {name}", reason)

    def differences(self) -> str:
        """What the draft changes of the gait that runs, in words."""
        changed = [p for p in PARAMETERS if p.value(self.draft) != p.value(self.running)]
        return ", ".join(f"{p.key} {p.show(self.running)} -> {p.show(self.draft)}" for p in changed) or "no difference"

    def _note(self, outcome: Outcome, text: str, reason: str = "") -> Change:
        change = Change(outcome, text, reason)
        # A button that is held against a limit says so once.
        if not (outcome is Outcome.REFUSED and self.log and self.log[-1] == change):
            self.log.append(change)
        return change
