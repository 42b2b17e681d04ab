# SPDX-License-Identifier: Apache-2.0
"""Steps, elapsed time and a count, on a terminal or in a log."""

import sys
import threading
import time
from types import TracebackType
from typing import Self

REFRESH_PERIOD = 0.2  # s between two drawings of the line on a terminal
PLAIN_PERIOD = 20.0  # s between two lines where there is no terminal


class Progress:
    """Shows one running step: `[2/5] installing packages  63/171  0:41`. Use as a context around the step."""

    def __init__(self, number: int, total: int, title: str) -> None:
        self._head, self._detail = f"[{number}/{total}] {title}", ""
        self._terminal = sys.stderr.isatty()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)
        self._start = time.monotonic()

    def detail(self, text: str) -> None:
        """What the step is at, in a few characters."""
        self._detail = text

    def __enter__(self) -> Self:
        if not self._terminal:
            print(self._head, file=sys.stderr, flush=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._done.set()
        self._thread.join()
        word = "done" if kind is None else "interrupted" if kind is KeyboardInterrupt else "failed"
        print(f"{self._erase()}{self._head}: {word} in {self._elapsed()}", file=sys.stderr, flush=True)

    def _show(self) -> None:
        while not self._done.wait(REFRESH_PERIOD if self._terminal else PLAIN_PERIOD):
            end = "" if self._terminal else "\n"
            print(f"{self._erase()}{self._head}  {self._detail}  {self._elapsed()}", end=end, file=sys.stderr, flush=True)

    def _erase(self) -> str:
        return "\r\x1b[K" if self._terminal else ""

    def _elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._start), 60)
        return f"{minutes}:{seconds:02d}"
