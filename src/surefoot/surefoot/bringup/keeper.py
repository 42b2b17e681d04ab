# SPDX-License-Identifier: Apache-2.0
"""Ends the process groups of a launcher that was killed before it could do so itself.

The launcher runs this file as a process and tells it, line by line, which groups exist ("+123") and which are gone ("-123"). The end of
its input means that the launcher is gone. A parent-death signal would miss the children of nodes and nodes that do not react to it.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable

GRACE = 3.0  # s between SIGTERM and SIGKILL


class Keeper:
    """The launcher's end of the keeper."""

    def __init__(self) -> None:
        # Without the site packages the start costs little.
        self._process = subprocess.Popen([sys.executable, "-I", "-S", __file__], stdin=subprocess.PIPE, text=True, start_new_session=True)

    def watch(self, group: int) -> None:
        """A group has been started."""
        self._tell(f"+{group}")

    def forget(self, group: int) -> None:
        """A group is gone; its number may be used again by somebody else."""
        self._tell(f"-{group}")

    def close(self) -> None:
        """Nothing is left to be kept."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()


def keep(lines: Iterable[str]) -> None:
    """Follow the launcher's lines to their end, then end the groups that are left."""
    groups: set[int] = set()
    for line in lines:
        group = int(line[1:])
        if line[0] == "+":
            groups.add(group)
        else:
            groups.discard(group)
    _signal(groups, signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while any(map(_exists, groups)) and time.monotonic() < deadline:
        time.sleep(0.05)
    _signal(groups, signal.SIGKILL)


def _signal(groups: set[int], number: signal.Signals) -> None:
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def _exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    keep(sys.stdin)
