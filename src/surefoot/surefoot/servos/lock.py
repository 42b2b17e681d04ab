# SPDX-License-Identifier: Apache-2.0
"""One bridge a robot: a lock that the operating system takes back from whoever dies."""

import fcntl
import hashlib
import os
import re
import time
from pathlib import Path
from typing import Self, TextIO

from surefoot.errors import SurefootError

FOLDER = Path("/tmp")
"""The same for every user and every way to log in: a folder of the session would hide a bridge from the next session."""

PATIENCE = 3.0
"""s that a lock is waited for: a bridge that was killed a moment ago may still be dying."""


def open_for_all(path: Path) -> TextIO:
    """Open a file for reading and writing that other users may open as well; it is made where it is not there.

    Raises:
        OSError: that is not possible.
    """
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        # In a folder of everybody's, a file of another user may be opened, but not with the wish to make it.
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        descriptor = os.open(path, flags | os.O_CREAT, 0o666)
        os.fchmod(descriptor, 0o666)
    return os.fdopen(descriptor, "r+")


class BridgeLock:
    """Held by the bridge of a robot, or by whoever else speaks to its servos, on this machine. Other machines do not see it.

    Args:
        robot: whatever two bridges must not share: a robot in a ROS domain, a device.
        patience: s.

    Raises:
        SurefootError: another bridge holds it; names its process. Or the lock cannot be opened.
    """

    def __init__(self, robot: str, patience: float = PATIENCE) -> None:
        digest = hashlib.sha256(robot.encode()).hexdigest()[:8]
        self.path = FOLDER / f"surefoot_bridge_{re.sub(r'[^A-Za-z0-9._-]+', '_', robot)[:80]}_{digest}.lock"
        try:
            self._file = open_for_all(self.path)
        except OSError as error:
            raise SurefootError(
                f"the lock {self.path} of the servo bridge of {robot} cannot be opened: {error.strerror}. Is it another user's? "
                "Mend its permissions, or remove it when no bridge runs"
            ) from error
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() >= deadline:
                    self._file.seek(0)
                    holder = self._file.read().strip() or "unknown"
                    self._file.close()
                    raise SurefootError(
                        f"another servo bridge (process {holder}) drives {robot} already; two would fight over its servos. "
                        "End that one"
                    ) from None
                time.sleep(0.05)
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        """Let go; may be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
