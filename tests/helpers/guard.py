# SPDX-License-Identifier: Apache-2.0
"""What tests start ends with the process that runs them, also where that is killed before it can see to it.

Each process that runs tests has a mark in its environment, which whatever it starts inherits, however far down and in whichever session. It
runs this file beside itself with a pipe to it; the end of the pipe means that it is gone, and everything with its mark is killed.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

MARK = "SUREFOOT_TEST_RUN"
PATIENCE = 30.0  # s in which what is killed may start others


def start_guard() -> "subprocess.Popen[bytes]":
    """Have everything that is started from now on end with this process. What is returned has to be kept."""
    os.environ[MARK] = uuid4().hex
    # Not a child of this mark itself, and deaf to Ctrl-C. Without the site packages the start costs little.
    unmarked = {name: value for name, value in os.environ.items() if name != MARK}
    words = [sys.executable, "-I", "-S", __file__, os.environ[MARK]]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=unmarked, start_new_session=True)


def marked(mark: str) -> list[int]:
    """Processes that were started with a mark and are no zombies."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            has = f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # it has ended, or is none of ours
        if has:
            found.append(int(folder.name))
    return found


def end_all(mark: str) -> None:
    """Kill everything with a mark, and what it starts meanwhile."""
    until = time.monotonic() + PATIENCE
    while (left := marked(mark)) and time.monotonic() < until:
        for process in left:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.05)


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    sys.stdin.read()
    end_all(sys.argv[1])
