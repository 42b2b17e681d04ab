# SPDX-License-Identifier: Apache-2.0
"""Commands of this package as processes of their own, for what is measured of them from outside."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from surefoot.errors import SurefootError

START_PATIENCE = 300.0  # s; a busy machine starts slowly


def start(words: tuple[str, ...], log: Path, domain: int, errors: Path | None = None) -> subprocess.Popen[bytes]:
    """Start `surefoot` with these words in a ROS domain; errors: where its standard error goes, if not into the log."""
    environment = os.environ | {"ROS_DOMAIN_ID": str(domain), "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}
    with log.open("wb") as file, (errors or Path(os.devnull)).open("wb") as second:
        return subprocess.Popen(
            [sys.executable, "-m", "surefoot", *words],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT if errors is None else second,
            env=environment,
        )


def finish(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait for its end; gives what it said. Raises SurefootError where it failed."""
    code = process.wait()
    text = log.read_text(errors="replace")
    errors = log.with_suffix(".errors")
    if code != 0:
        text += errors.read_text(errors="replace") if errors.exists() else ""
        raise SurefootError(f"{' '.join(map(str, process.args[3:]))} ended with exit code {code}: {text[-1000:]}")  # type: ignore[index]
    return text


@contextmanager
def running(words: tuple[str, ...], log: Path, domain: int) -> Iterator[subprocess.Popen[bytes]]:
    """The command while this is open; what still runs then is interrupted."""
    process = start(words, log, domain)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait()


def wait_for_words(words: str, process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait until it said something; gives all that it said. Raises SurefootError where it ends before, or never says it."""
    until = time.monotonic() + START_PATIENCE
    while words not in (text := log.read_text(errors="replace")):
        if process.poll() is not None:
            raise SurefootError(f"{log.stem} ended with exit code {process.returncode} before it began: {text[-1000:]}")
        if time.monotonic() > until:
            raise SurefootError(f"{log.stem} did not begin within {START_PATIENCE:g} s: {text[-1000:]}")
        time.sleep(0.1)
    return text
