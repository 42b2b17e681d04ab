# SPDX-License-Identifier: Apache-2.0
"""Lines of many processes on one terminal."""

import os
import sys
import threading
from collections.abc import Iterable
from itertools import cycle
from typing import TextIO

from surefoot.bringup.process import ProcessExit

COLOURS = (36, 33, 35, 32, 34, 96, 93, 95, 92)


class Console:
    """Prints each line with the name of its process in front, in a colour of its own where there is a terminal."""

    def __init__(self, labels: Iterable[str], stream: TextIO | None = None) -> None:
        names = list(labels)
        self._stream = stream or sys.stdout
        self._width = max(map(len, names), default=0)
        self._colours = dict(zip(names, cycle(COLOURS), strict=False))
        self._coloured = self._stream.isatty() and "NO_COLOR" not in os.environ
        self._lock = threading.Lock()

    def line(self, label: str, line: str) -> None:
        """Print one line of a process."""
        head = label.ljust(self._width)
        if self._coloured:
            head = f"\x1b[{self._colours.get(label, 37)}m{head}\x1b[0m"
        self._print(f"{head} | {line}")

    def end(self, end: ProcessExit, was_shown: bool = True) -> None:
        """Say that a process has ended; one that failed unseen shows its last lines."""
        if end.expected and end.code != -9:
            return
        if not was_shown and end.code != 0:
            for line in end.tail:
                self.line(end.label, line)
        if end.expected:
            self._print(f"surefoot: {end.label} did not stop when asked and was killed")
        else:
            self._print(self._alarm(f"surefoot: {end}", end.code != 0))

    def failure(self, end: ProcessExit | None) -> None:
        """The last lines of all: what failed and what it said of it itself, where the others have ended since. None: nothing failed."""
        if end is not None:
            words = end.last_words or "it said nothing"
            self._print(self._alarm(f"surefoot: {end}, which ended everything. Its last words:\nsurefoot: {end.label} | {words}", True))

    def _alarm(self, text: str, alarming: bool) -> str:
        return f"\x1b[31m{text}\x1b[0m" if self._coloured and alarming else text

    def _print(self, text: str) -> None:
        with self._lock:
            try:
                print(text, file=self._stream, flush=True)
            except (BrokenPipeError, OSError):
                self._coloured = False  # the terminal is gone; the processes still have to be ended in order
