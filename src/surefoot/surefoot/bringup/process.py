# SPDX-License-Identifier: Apache-2.0
"""One process in a group of its own, with its output handed on line by line."""

import contextlib
import os
import re
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from surefoot.bringup.command import ProcessDescription
from surefoot.errors import SurefootError

TAIL_LINES = 20
ERROR_LINE = re.compile(r"error: |\[(ERROR|FATAL)\]|[\w.]*(Error|Exception)\b")
OUTPUT_PATIENCE = 1.0  # s to wait for the last lines of a process that has ended


@dataclass(frozen=True)
class ProcessExit:
    """How a process ended.

    Attributes:
        label: which one.
        process_id: of the process that ended.
        code: its exit code, or minus the number of the signal that ended it.
        expected: it had been asked to stop.
        tail: its last lines.
    """

    label: str
    process_id: int
    code: int
    expected: bool
    tail: tuple[str, ...]

    @property
    def last_words(self) -> str:
        """The line of its output that says why it ended; empty where it said nothing.

        That is the last that is an error: `error: …`, an exception at the end of a traceback, the levels ERROR and FATAL. Else the last.
        """
        lines = [line.strip() for line in self.tail if line.strip()]
        return next((line for line in reversed(lines) if ERROR_LINE.match(line)), lines[-1] if lines else "")

    def __str__(self) -> str:
        if self.code < 0:
            name = signal.Signals(-self.code).name if -self.code in set(signal.Signals) else f"signal {-self.code}"
            return f"{self.label} (process {self.process_id}) was ended by {name}"
        return f"{self.label} (process {self.process_id}) ended with exit code {self.code}"


class ManagedProcess:
    """A running process. Created running.

    Raises:
        SurefootError: the program cannot be started.
    """

    def __init__(self, description: ProcessDescription, on_line: Callable[[str, str], None] | None) -> None:
        self.description = description
        self._on_line = on_line
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._asked_to_stop = False
        try:
            # A group of its own: Ctrl-C in the terminal reaches the launcher alone, and the group can be ended as a whole.
            self._process = subprocess.Popen(
                description.command,
                env={**os.environ, **description.environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                process_group=0,
            )
        except OSError as error:
            raise SurefootError(f"cannot start {description.label}: {description.command[0]}: {error.strerror}") from error
        self._reader = threading.Thread(target=self._forward, name=f"output of {description.label}", daemon=True)
        self._reader.start()

    @property
    def process_id(self) -> int:
        """Also the number of its group."""
        return self._process.pid

    def poll(self) -> ProcessExit | None:
        """How it ended, or None while it runs. What it left behind in its group is ended with it."""
        code = self._process.poll()
        if code is None:
            return None
        self._signal_group(signal.SIGKILL)
        self._reader.join(OUTPUT_PATIENCE)
        return ProcessExit(self.description.label, self.process_id, code, self._asked_to_stop, tuple(self._tail))

    def stop(self, number: signal.Signals) -> None:
        """Ask it to stop. SIGKILL goes to the whole group, anything else to the process, which knows its own children."""
        self._asked_to_stop = True
        if number == signal.SIGKILL:
            self._signal_group(number)
        elif self._process.poll() is None:
            self._process.send_signal(number)

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _forward(self) -> None:
        assert self._process.stdout is not None
        for raw in self._process.stdout:
            line = raw.rstrip("\n")
            self._tail.append(line)
            if self._on_line is not None and self.description.shown:
                self._on_line(self.description.label, line)
