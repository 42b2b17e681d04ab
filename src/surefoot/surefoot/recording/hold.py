# SPDX-License-Identifier: Apache-2.0
"""Who writes a bag: nobody may mend it meanwhile, since the end of a bag that is being written is where its next message goes."""

import contextlib
import fcntl
import os
from pathlib import Path

import psutil

from surefoot.recording.errors import BagError


class FolderLock:
    """Holds the folder of a bag until it is released or its process dies.

    Args:
        folder: of the bag.

    Raises:
        BagError: another holds it; names its process if it can be seen from here.
        OSError: the folder cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise BagError(_still_written(folder, writing_process(folder))) from None
        except OSError:
            pass  # a file system without locks: `refuse_while_written` still looks for the process

    def release(self) -> None:
        """Let go; again does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def refuse_while_written(folder: Path) -> None:
    """Raises BagError where a process, also one of another recorder that knows of no lock, has a file of a bag open to write into it."""
    if process := writing_process(folder):
        raise BagError(_still_written(folder, process))


def writing_process(folder: Path) -> int:
    """Number of a process that has a file in a folder open to write; 0 where none is seen. Those of other users are not seen."""
    inside = os.path.realpath(folder) + os.sep
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if any(file.path.startswith(inside) and file.mode != "r" for file in process.open_files()):
                return int(process.pid)
    return 0


def _still_written(folder: Path, process: int) -> str:
    by = f"process {process}" if process else "a process that cannot be seen from here"
    return f"{folder} is still being written by {by}: end its recorder first; what is in it can be read meanwhile"
