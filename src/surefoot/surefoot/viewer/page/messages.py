# SPDX-License-Identifier: Apache-2.0
"""What a browser may say to the page, typed and bounded: anything else is refused in words."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from surefoot.errors import ConfigurationError

Name = Annotated[str, Field(max_length=80)]
LATEST = 9e9
"""s: what a clock of nanoseconds in 64 bits can say."""


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Token(_Said):
    """Shows the token."""

    kind: Literal["token"]
    token: Annotated[str, Field(max_length=200)]


class RequestGait(_Said):
    """Asks for a gait by name."""

    kind: Literal["request"]
    gait: Name


class Edit(_Said):
    """Gives a parameter of the draft a value, in its unit."""

    kind: Literal["edit"]
    key: Name
    value: float


class Draft(_Said):
    """Takes the last edit back, goes back to the gait that runs, or asks for the draft."""

    kind: Literal["draft"]
    do: Literal["undo", "restart", "request"]


class HoldPad(_Said):
    """Takes the gamepad, or lets go of it."""

    kind: Literal["hold"]
    hold: bool


class Stop(_Said):
    """Wants the robot to stop, whoever holds the gamepad."""

    kind: Literal["stop"]


class PadSaid(_Said):
    """What the fingers do; sent: s by the clock of the browser."""

    kind: Literal["pad"]
    sent: float
    axes: Annotated[dict[Name, float], Field(max_length=16)]
    pressed: Annotated[tuple[Name, ...], Field(max_length=32)]


class Play(_Said):
    """Lets a recording go on, or holds it."""

    kind: Literal["play"]
    playing: bool


class Seek(_Said):
    """Goes to a time of a recording, s; outside of it, to its nearer end."""

    kind: Literal["seek"]
    time: Annotated[float, Field(ge=-LATEST, le=LATEST)]


class Speed(_Said):
    """How fast a recording goes on, times real time."""

    kind: Literal["speed"]
    speed: Annotated[float, Field(ge=0.01, le=100.0)]


class OpenMark(_Said):
    """Goes to a mark of the time line, and opens the decision there."""

    kind: Literal["mark"]
    number: Annotated[int, Field(ge=0)]


Command = Token | RequestGait | Edit | Draft | HoldPad | PadSaid | Stop
Move = Play | Seek | Speed | OpenMark
"""About a recording, which everybody may go through."""
Said = Annotated[Command | Move, Field(discriminator="kind")]
_READER: TypeAdapter[Command | Move] = TypeAdapter(Said)


class Gone(_Said):
    """The browser is gone; never said, but noticed."""


def read_message(text: str | bytes) -> Command | Move:
    """What a browser said.

    Raises:
        ConfigurationError: naming what is wrong with it.
    """
    try:
        return _READER.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "message"
        raise ConfigurationError(f"{place}: {first['msg']}") from error
