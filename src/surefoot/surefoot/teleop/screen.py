# SPDX-License-Identifier: Apache-2.0
"""A terminal whose last line says how things are and is written over, while what happens scrolls away above it, whole."""

import shutil
from collections.abc import Callable
from typing import TextIO


def _columns() -> int:
    return shutil.get_terminal_size().columns


class Screen:
    """Writes to a terminal; whatever is written raises OSError once that is closed."""

    def __init__(self, out: TextIO, columns: Callable[[], int] = _columns) -> None:
        self._out, self._columns = out, columns
        self._status = self._shown = ""

    def say(self, line: str) -> None:
        """Write what happened, above the last line; a long one goes on below itself."""
        self._out.write(f"\r\x1b[K{line}\n")
        self._shown = ""
        self.show(self._status)

    def show(self, status: str) -> None:
        """Write the last line anew if it changed. What does not fit is cut: a line that is broken cannot be written over."""
        self._status, shown = status, status[: max(1, self._columns() - 1)]
        if shown != self._shown:
            self._shown = shown
            self._out.write(f"\r\x1b[K{shown}")
        self._out.flush()

    def ring(self) -> None:
        """Sound the bell."""
        self._out.write("\a")
        self._out.flush()
