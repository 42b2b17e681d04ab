# SPDX-License-Identifier: Apache-2.0
"""What the balance controller last said, with or without a command in it."""

import math


def is_fresh(time: float, stamp: float | None, stale_after: float) -> bool:
    """Whether a stamp, s, is no further from a time, s, than that, before or after it; one that is no number is not."""
    return stamp is not None and abs(time - stamp) <= stale_after


class Words:
    """Remembers the stamps of its words, on the clock of the ticks.

    Args:
        stale_after: age of a word up to which it speaks for now, s.
        silent_after: time without one after which it is silent, s.
    """

    def __init__(self, stale_after: float, silent_after: float) -> None:
        self._stale_after, self._silent_after = stale_after, silent_after
        self._newest: float | None = None
        self._heard = -math.inf

    def take(self, time: float, stamp: float | None) -> None:
        """Take the stamp of a word, s, at a time, s; None: there was none."""
        if stamp is not None:
            self._newest = stamp
            if is_fresh(time, stamp, self._stale_after):
                self._heard = max(self._heard, stamp)

    def excuse(self, time: float) -> None:
        """It cannot speak at a time, s: silence counts from then on."""
        self._heard = max(self._heard, time)

    def spoil(self) -> None:
        """The newest word cannot be used: whoever sends such things may take nobody over."""
        self._newest = None

    def restart(self) -> None:
        """Forget all: the clock began anew."""
        self._newest, self._heard = None, -math.inf

    def fresh(self, time: float) -> bool:
        """Whether the newest word speaks for a time, s."""
        return is_fresh(time, self._newest, self._stale_after)

    def silence(self, time: float) -> str:
        """In words, for how long it has been silent at a time, s; empty while it is not."""
        age = time - self._heard
        if age <= self._silent_after:
            return ""
        return f"no word for {age:.3f} s, limit {self._silent_after:.3f} s" if math.isfinite(age) else "none has come"
