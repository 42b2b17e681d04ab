# SPDX-License-Identifier: Apache-2.0
"""One bridge a robot: a lock that the operating system takes back from whoever dies."""

import errno
import fcntl
import hashlib
import os
import re
import socket
import struct
import sys
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


class _Name:
    """A name of Linux that one process has at a time, until it ends: no file, so nobody can remove it.

    It is seen wherever the network is shared. Elsewhere, and on other systems, everybody gets it.

    Args:
        path: of the file that it stands beside. Folders that are not the same, as in two containers, give names of their own.
    """

    def __init__(self, path: Path) -> None:
        folder = path.parent.stat()
        words = f"{folder.st_dev} {folder.st_ino} {path.name}"
        self._address = b"\0surefoot_bridge_" + hashlib.sha256(words.encode()).hexdigest()[:32].encode()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) if sys.platform == "linux" else None

    def take(self) -> bool:
        """Whether nobody else has it."""
        if self._socket is None:
            return True
        try:
            self._socket.bind(self._address)
            self._socket.listen()
        except OSError as error:
            return error.errno != errno.EADDRINUSE
        return True

    def holder(self) -> str:
        """The number of the process that has it; empty where that is not known."""
        if self._socket is None:
            return ""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asker:
            asker.setblocking(False)
            try:
                asker.connect(self._address)
            except OSError:
                return ""
            process, _, _ = struct.unpack("3i", asker.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
        return str(process or "")

    def release(self) -> None:
        """Let go; may be called twice."""
        if self._socket is not None:
            self._socket.close()


class BridgeLock:
    """Held by the bridge of a robot, or by whoever else speaks to its servos, on this machine. Other machines do not see it.

    It is a locked file, and a name beside it: the lock of a file is worth nothing once somebody has removed the file.

    Args:
        robot: whatever two bridges must not share: a topic that moves a robot in a ROS domain, a device.
        patience: s.

    Raises:
        SurefootError: another bridge holds it; names its process. Or the lock cannot be opened.
    """

    def __init__(self, robot: str, patience: float = PATIENCE) -> None:
        digest = hashlib.sha256(robot.encode()).hexdigest()[:8]
        self.path = FOLDER / f"surefoot_bridge_{re.sub(r'[^A-Za-z0-9._-]+', '_', robot)[:80]}_{digest}.lock"
        try:
            self._file = open_for_all(self.path)
            self._name = _Name(self.path)
        except OSError as error:
            raise SurefootError(
                f"the lock {self.path} of the servo bridge of {robot} cannot be opened: {error.strerror}. Is it another user's? "
                "Mend its permissions, or remove it when no bridge runs"
            ) from error
        deadline = time.monotonic() + patience
        while not self._take():
            if time.monotonic() >= deadline:
                self._file.seek(0)
                holder = self._name.holder() or self._file.read().strip() or "unknown"
                self.release()
                raise SurefootError(
                    f"another servo bridge (process {holder}) drives {robot} already; two would fight over its servos. End that one"
                )
            time.sleep(0.05)
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        """Let go; may be called twice."""
        self._name.release()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _take(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return self._name.take()
