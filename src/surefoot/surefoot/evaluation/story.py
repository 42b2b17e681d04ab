# SPDX-License-Identifier: Apache-2.0
"""What was said, asked, answered and done during a run: story.jsonl, one typed event a line."""

import math
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from surefoot.errors import ConfigurationError
from surefoot.traces.manner import manner_in_words

FILE_NAME = "story.jsonl"


def _none_for_none(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Maybe = Annotated[float | None, BeforeValidator(_none_for_none)]
"""A number that may be missing; one that is not finite is read and written as missing, because JSON has none such. What may not be missing
has to be finite: an event that could not be read again is none.
"""


class _Event(BaseModel):
    # A reader of today reads the story of a later writer: what it does not know, it passes over.
    model_config = ConfigDict(extra="ignore", frozen=True, use_attribute_docstrings=True, populate_by_name=True, allow_inf_nan=False)

    time: float
    """Simulated, s."""


class CandidateResult(BaseModel):
    """What the rehearsal of one candidate showed so far; survived + failed + unfinished + inconsistent = particles."""

    model_config = ConfigDict(extra="ignore", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)

    request_id: int = 0
    transition_point: float
    """Phase of the running gait at which the change would be made, 0 to 1."""
    blend_time: float = 0.0
    """s over which the change would be made; 0: at once"""
    intermediate: str = ""
    """Gait that would be walked on the way; empty: none"""
    intermediate_time: float = 0.0
    """s from the change to that gait to the one from it"""
    particles: int
    survived: int
    failed: int
    unfinished: int
    inconsistent: int = 0
    tried: int = 0
    """Particles of its trial, of those above; 0: it was not on trial"""
    tried_survived: int = 0
    """Survivors among them"""
    score: float
    """survived / particles"""
    lower_bound: float
    """Of the success probability."""
    switch_time: Maybe = None
    """s"""
    violated: dict[str, int] = {}
    """How many traces each requirement ended."""

    @property
    def manner(self) -> str:
        """How the change would be made, in words that follow where it is made; empty where it is made directly and at once."""
        return manner_in_words(self.intermediate, self.intermediate_time, self.blend_time)


class Said(_Event):
    """What the person at the gamepad does, in words."""

    kind: Literal["said"] = "said"
    text: str


class ModeChanged(_Event):
    """The mode of the servo bridge, named as in RobotMode.msg."""

    kind: Literal["mode"] = "mode"
    mode: str
    reason: str = ""


class GaitRequested(_Event):
    """The planner was asked for a gait."""

    kind: Literal["request"] = "request"
    request_id: int
    gait: str
    gait_from: str = Field(alias="from")
    ground: str = ""


class CandidateScored(_Event, CandidateResult):
    """A candidate has been rehearsed; a later round of it may follow."""

    kind: Literal["score"] = "score"


class VerdictGiven(_Event):
    """The answer to a request."""

    kind: Literal["verdict"] = "verdict"
    request_id: int
    gait_from: str
    gait_to: str
    accepted: bool
    chosen: int
    """Index into scores; -1 without one."""
    reason: str
    scores: tuple[CandidateResult, ...] = ()
    particles_used: int = 0
    particle_seconds: float = 0.0
    wall_seconds: Maybe = None
    record: str = ""
    """File of the decision record; empty where none was written."""

    @property
    def best(self) -> CandidateResult | None:
        """The chosen candidate or, without one, the one with the highest score."""
        if 0 <= self.chosen < len(self.scores):
            return self.scores[self.chosen]
        return max(self.scores, key=lambda result: result.score, default=None)


class GaitStatusChanged(_Event):
    """The gait that runs, and what became of the last request."""

    kind: Literal["gait"] = "gait"
    gait: str
    state: Literal["IDLE", "REHEARSING", "SCHEDULED", "COMMITTED", "VETOED"]
    request_id: int = 0
    reason: str = ""
    switch_time: Maybe = None
    """s"""


class CommandChanged(_Event):
    """The velocity in force."""

    kind: Literal["command"] = "command"
    forward: float
    """m/s"""
    left: float
    """m/s"""
    turn: float
    """rad/s"""


class DiagnosticsReported(_Event):
    """The last diagnostics of a node."""

    kind: Literal["diagnostics"] = "diagnostics"
    node: str
    values: dict[str, Any]


Event = Annotated[
    Said | ModeChanged | GaitRequested | CandidateScored | VerdictGiven | GaitStatusChanged | CommandChanged | DiagnosticsReported,
    Field(discriminator="kind"),
]
_READER: TypeAdapter[Event] = TypeAdapter(Event)
_EventType = TypeVar("_EventType", bound=_Event)


class StoryWriter:
    """Appends events to a story; each is in the file as soon as `write` returns.

    Args:
        path: of the file; a story that is there is replaced.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8")

    def write(self, event: Event) -> None:
        """Append one event."""
        self._file.write(event.model_dump_json(by_alias=True) + "\n")
        self._file.flush()

    def close(self) -> None:
        """No more events."""
        self._file.close()

    def __enter__(self) -> "StoryWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def read_story(path: Path) -> list[Event]:
    """Read a story, in the order of time. A last line without an end, left by a writer that was killed, is passed over.

    Raises:
        ConfigurationError: the file is missing, or a line is not an event; the message names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    except FileNotFoundError as error:
        raise ConfigurationError(f"no such story: {path}") from error
    events = []
    for number, line in enumerate(lines, start=1):
        try:
            events.append(_READER.validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "line"
            raise ConfigurationError(f"{path}, line {number} is not an event: {place}: {first['msg']}") from error
    return sorted(events, key=lambda event: event.time)


def of_kind(story: Sequence[Event], kind: type[_EventType]) -> list[_EventType]:
    """The events of one kind."""
    return [event for event in story if isinstance(event, kind)]
