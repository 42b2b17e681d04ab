# SPDX-License-Identifier: Apache-2.0
"""Shared memory that Fast DDS leaves behind when a process is killed."""

import contextlib
import fcntl
import os
import re
from pathlib import Path

DIRECTORY = Path("/dev/shm")
LOCK_NAME = re.compile(r"fastdds_[0-9a-f]{16}_el")


def segments(directory: Path = DIRECTORY) -> frozenset[str]:
    """Names of the lock files of all segments that there are now; each stands beside its segment."""
    try:
        return frozenset(name for name in os.listdir(directory) if LOCK_NAME.fullmatch(name))
    except OSError:
        return frozenset()


def remove_orphans(before: frozenset[str], directory: Path = DIRECTORY) -> int:
    """Remove segments that came after `before` and that no living process holds. Returns how many.

    A segment's owner holds an exclusive lock on its lock file for as long as it lives, so a lock that can be had has no owner.
    """
    return sum(_remove_if_free(directory / name) for name in segments(directory) - before)


def _remove_if_free(lock: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for path in (lock.with_name(lock.name.removesuffix("_el")), lock):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
