# SPDX-License-Identifier: Apache-2.0
"""Thin shells of ROS around the library, one process a node."""

import os
import signal
import sys


def end_silently() -> None:
    """Let a node that is told to end while it still imports do so without a traceback; it has nothing to bring to an end yet."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(0))


if sys.argv[:1] == ["-m"]:
    # That is so only while the module that Python was started with is looked for: `python -m surefoot.nodes.teleop`.
    end_silently()
