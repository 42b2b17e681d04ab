# SPDX-License-Identifier: Apache-2.0
"""Single keys from a terminal, without waiting for a line."""

import contextlib
import os
import re
import select
import sys
import termios
import tty
from typing import Any

from surefoot.errors import ConfigurationError

_ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}

_BEGUN = re.compile(r"\x1b([\[O][0-9;]*)?")
_SEQUENCE = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]")


class KeyDecoder:
    """Bytes of a terminal to names of keys: a character in lower case, or up, down, left, right."""

    def __init__(self) -> None:
        self._rest = ""

    def decode(self, data: bytes) -> list[str]:
        """Names of the keys that are complete. Sequences of other keys are dropped whole, so that none of their letters counts."""
        text = self._rest + data.decode("ascii", errors="ignore")
        keys: list[str] = []
        self._rest = ""
        while text:
            if text[0] != "\x1b":
                keys.append(text[0].lower())
                text = text[1:]
            elif _BEGUN.fullmatch(text):
                # A lone escape, or one that the next read completes.
                self._rest, text = text, ""
            else:
                # What is no sequence is an escape and then a key: a stop behind it must count.
                sequence = _SEQUENCE.match(text)
                keys += [_ARROWS[sequence[0][2:]]] if sequence and sequence[0][2:] in _ARROWS else []
                text = text[sequence.end() if sequence else 1 :]
        return keys


class Terminal:
    """The terminal of this process, giving keys at once. `close` puts it back as it was."""

    def __init__(self) -> None:
        """Raises ConfigurationError where there is no terminal."""
        self._number = sys.stdin.fileno() if sys.stdin is not None else -1
        if self._number < 0 or not os.isatty(self._number):
            raise ConfigurationError("driving by keyboard needs a terminal; start it in one, without pipes")
        self._before: list[Any] = termios.tcgetattr(self._number)
        tty.setcbreak(self._number)
        self._decoder = KeyDecoder()

    def keys(self) -> list[str] | None:
        """Keys since the last call; None once the terminal is closed."""
        try:
            if not select.select([self._number], [], [], 0.0)[0]:
                return []
            data = os.read(self._number, 1024)
        except OSError:
            return None
        return self._decoder.decode(data) if data else None

    def close(self) -> None:
        """As it was before, as far as there still is one."""
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(self._number, termios.TCSADRAIN, self._before)
