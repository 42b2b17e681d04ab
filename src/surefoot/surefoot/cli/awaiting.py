# SPDX-License-Identifier: Apache-2.0
"""Says from time to time what is awaited, so that a slow machine is not taken for one that hangs."""

import threading
import time
from collections.abc import Callable

PERIOD = 20.0
"""s between two lines."""


class Awaiting:
    """Until it is told that it came, says every period for how long it has been awaited.

    Args:
        words: what is awaited.
        say: shows a line; called from a thread of its own.
        period: s.
    """

    def __init__(self, words: str, say: Callable[[str], None], period: float = PERIOD) -> None:
        self._words, self._say, self._period = words, say, period
        self._begin, self._over = time.monotonic(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="awaiting", daemon=True)
        self._thread.start()

    def came(self) -> None:
        """It came, or nobody waits any more; may be called again."""
        self._over.set()

    def _run(self) -> None:
        while not self._over.wait(self._period):
            self._say(f"{time.monotonic() - self._begin:.0f} s: still waiting for {self._words}")
