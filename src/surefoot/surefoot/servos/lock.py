# SPDX-License-Identifier: Apache-2.0
"""One bridge a robot: a lock that the operating system takes back from whoever dies."""

import fcntl
import os
import re
import tempfile
import time
from pathlib import Path

from surefoot.errors import SurefootError

PATIENCE = 3.0
"""s that a lock is waited for: a bridge that was killed a moment ago may still be dying."""


class BridgeLock:
    """Held by the bridge of a robot on this machine. Other machines do not see it.

    Args:
        robot: whatever two bridges must not share: a robot in a ROS domain, a device.
        patience: s.

    Raises:
        SurefootError: another bridge holds it; names its process.
    """

    def __init__(self, robot: str, patience: float = PATIENCE) -> None:
        folder = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
        self.path = folder / f"surefoot_bridge_{re.sub(r'[^A-Za-z0-9._-]', '_', robot)}.lock"
        self._file = self.path.open("a+")
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
                        f"another servo bridge (process {holder}) drives {robot} already; two would fight over its servos. End that one, "
                        "or give this one another ROS_DOMAIN_ID or bus"
                    ) from None
                time.sleep(0.05)
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        """Let go; may be called twice."""
        self._file.close()
