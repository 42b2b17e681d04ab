# SPDX-License-Identifier: Apache-2.0
"""Waits for the disk in the place of whoever writes: a slow one takes seconds, and what comes meanwhile would be lost to a kill."""

import errno
import os
import queue
import threading
from collections.abc import Callable

NOT_SYNCED_AT_ALL = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
"""Errors of a file system that cannot be told to write."""


class Syncing:
    """A thread that brings what the operating system has of files to the disk. It begins with the first task, and ends with `close`."""

    def __init__(self) -> None:
        self._tasks: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._error: OSError | None = None
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether it still waits for the disk."""
        return bool(self._tasks.unfinished_tasks)

    def ask(self, descriptor: int) -> None:
        """Have the data of an open file brought to the disk; it may be closed meanwhile. Raises OSError: none can be opened any more."""
        own = os.dup(descriptor)

        def bring() -> None:
            try:
                sync_data(own)
            finally:
                os.close(own)

        self.do(bring)

    def do(self, work: Callable[[], None]) -> None:
        """Have something done, after all that was asked for before, that waits for the disk; it raises OSError if anything."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="disk", daemon=True)
            self._thread.start()
        self._tasks.put(work)

    def check(self) -> None:
        """Raises the first OSError that the disk answered with."""
        if self._error is not None:
            raise self._error

    def wait(self) -> None:
        """Wait until everything that was asked for is done."""
        self._tasks.join()

    def close(self) -> None:
        """Wait until everything is done, and end the thread; again does nothing."""
        if self._thread is not None:
            self._tasks.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while True:
            work = self._tasks.get()
            try:
                if work is None:
                    return
                work()
            except OSError as error:
                self._error = self._error or error
            finally:
                self._tasks.task_done()


def sync_data(descriptor: int) -> None:
    """Wait until the data of an open file are on the disk, as far as its file system can be told. Raises OSError."""
    try:
        os.fdatasync(descriptor)
    except OSError as error:
        if error.errno not in NOT_SYNCED_AT_ALL:
            raise
