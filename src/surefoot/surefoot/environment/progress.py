# SPDX-License-Identifier: Apache-2.0
"""Steps, elapsed time and a count, on a terminal or in a log."""

import shutil
import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

REFRESH_PERIOD = 0.2  # s between two drawings of the line on a terminal
PLAIN_PERIOD = 20.0  # s between two lines where there is no terminal


class Progress:
    """Shows the steps that run side by side: `[2/4] 0:41 installing packages 63/171`. Use as a context around them."""

    def __init__(self, number: int, total: int, titles: Sequence[str]) -> None:
        self._head, self._titles = f"[{number}/{total}]", tuple(titles)
        self._details = dict.fromkeys(titles, "")
        self._terminal = sys.stderr.isatty()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)
        self._start = time.monotonic()

    def detail(self, title: str, text: str) -> None:
        """What the step of this title is at, in a few characters."""
        self._details[title] = text

    def finished(self, title: str) -> None:
        """The step of this title is done: it is shown no more."""
        self._details = {other: text for other, text in self._details.items() if other != title}

    def __enter__(self) -> Self:
        if not self._terminal:
            print(self._everything(), file=sys.stderr, flush=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._done.set()
        self._thread.join()
        word = "done" if kind is None else "interrupted" if kind is KeyboardInterrupt else "failed"
        print(f"{self._erase()}{self._everything()}: {word} in {self._elapsed()}", file=sys.stderr, flush=True)

    def _show(self) -> None:
        while not self._done.wait(REFRESH_PERIOD if self._terminal else PLAIN_PERIOD):
            end = "" if self._terminal else "\n"
            running = ", ".join(f"{title} {text}".rstrip() for title, text in self._details.items())
            line = f"{self._head} {self._elapsed()} {running}"
            # A line that wraps could not be erased.
            shown = line[: shutil.get_terminal_size().columns - 1] if self._terminal else line
            print(f"{self._erase()}{shown}", end=end, file=sys.stderr, flush=True)

    def _everything(self) -> str:
        return f"{self._head} {', '.join(self._titles)}"

    def _erase(self) -> str:
        return "\r\x1b[K" if self._terminal else ""

    def _elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._start), 60)
        return f"{minutes}:{seconds:02d}"
