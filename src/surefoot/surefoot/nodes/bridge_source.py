# SPDX-License-Identifier: Apache-2.0
"""What the servo bridge writes into `source` of each command: the mode in which it left."""

from surefoot.servos.modes import Mode

_BEFORE = "servo_bridge: "
ENDED = f"{_BEFORE}ended"
"""Of its last command, when it is told to end."""


def source_in(mode: Mode) -> str:
    """Of a command that leaves in a mode."""
    return f"{_BEFORE}{mode.name}"


def mode_of(source: str) -> Mode | None:
    """In which a command left; that of the end is damped as in STOPPED. None where `source` is not the bridge's."""
    if source == ENDED:
        return Mode.STOPPED
    name = source.removeprefix(_BEFORE)
    return Mode[name] if source.startswith(_BEFORE) and name in Mode.__members__ else None
