# SPDX-License-Identifier: Apache-2.0
"""A ROS domain for a graph that is measured: what is alive on this machine is neither heard nor disturbed by it."""

import contextlib
import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.ros_domain import VARIABLE, domain_number

DOMAINS = range(80, 100)
"""Out of which one is chosen: numbers that every system's ports allow."""


@contextmanager
def own_domain() -> Iterator[int]:
    """A domain in which no other process of this machine is, nor another measurement begins while this is open.

    Raises:
        SurefootError: all of them are in use.
    """
    for domain in DOMAINS:
        with (Path(tempfile.gettempdir()) / f"surefoot_bench_domain_{domain}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            if not any(_domain_of(process) == domain for process in psutil.process_iter()):
                yield domain
                return
    raise SurefootError(f"ROS domains {DOMAINS.start} to {DOMAINS.stop - 1} are all in use on this machine; end what runs there")


def _domain_of(process: psutil.Process) -> int | None:
    """Its ROS domain; None where nobody may look, or it has none that ROS would take."""
    with contextlib.suppress(psutil.Error, OSError, ConfigurationError):
        return domain_number(process.environ().get(VARIABLE, ""))
    return None
