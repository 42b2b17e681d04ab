# SPDX-License-Identifier: Apache-2.0
"""A file that somebody else names, to be put into a bag: whatever the name leads to, it holds nobody up."""

import os
import stat
from pathlib import Path

from surefoot.recording.errors import BagError

LARGEST = 64 << 20
"""Bytes: many times a decision record."""


def read_file(path: Path, largest: int = LARGEST) -> bytes:
    """All of a plain file.

    Raises:
        BagError: it is not there, is no plain file (a pipe would be waited for, a device may never end), or is too large.
    """
    try:
        # A pipe that nobody writes into would block already here.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise BagError(f"{path} is no plain file, and is not put into the bag")
            # One more than is taken: it may grow meanwhile.
            content = file.read(largest + 1)
    except (OSError, ValueError) as error:
        raise BagError(f"{path} cannot be read: {error.strerror if isinstance(error, OSError) else error}") from error
    if len(content) > largest:
        raise BagError(f"{path} has more than {largest} bytes, and is not put into the bag")
    return content
