# SPDX-License-Identifier: Apache-2.0
"""Shared memory that Fast DDS leaves behind when a process ends without taking leave."""

import contextlib
import fcntl
import os
import re
from pathlib import Path

DIRECTORY = Path("/dev/shm")
LOCK_NAME = re.compile(r"(fastdds_(?:port\d{1,5}|[0-9a-z]{16}))_[es]l")


def locks(directory: Path = DIRECTORY) -> frozenset[str]:
    """Names of the lock files of all segments and ports that there are now; each stands beside what it locks."""
    try:
        return frozenset(name for name in os.listdir(directory) if LOCK_NAME.fullmatch(name))
    except OSError:
        return frozenset()


def remove_orphans(before: frozenset[str], directory: Path = DIRECTORY) -> int:
    """Remove segments and ports that came after `before` and that no living process holds. Returns how many.

    Whoever uses one holds a lock on its lock file for as long as it lives, so a lock that can be had has nobody behind it.
    """
    return sum(_remove_if_free(directory, name) for name in locks(directory) - before)


def _remove_if_free(directory: Path, lock: str) -> bool:
    locked = LOCK_NAME.sub(r"\1", lock)
    try:
        descriptor = os.open(directory / lock, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for name in (locked, f"sem.{locked}_mutex", lock):
            with contextlib.suppress(FileNotFoundError):
                (directory / name).unlink()
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
