# SPDX-License-Identifier: Apache-2.0
"""Starts processes, looks after them, and ends them all."""

import signal
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType

from surefoot.bringup.command import ProcessDescription
from surefoot.bringup.keeper import Keeper
from surefoot.bringup.process import ManagedProcess, ProcessExit

LOOK_PERIOD = 0.05  # s
ESCALATION = (signal.SIGTERM, signal.SIGKILL)
BY_SIGNAL = 128  # shells add it to the number of a signal that ended a process


class Launcher:
    """Runs a set of processes until they are stopped or one of them fails.

    Use run() from the main thread, or start(), poll(), stop() and wait() from any.

    Args:
        processes: what to start, in this order.
        on_line: called with label and line for each line of output, from the thread that reads it.
        on_exit: called with each end of a process, from the thread that looks after them.
        grace: s between SIGTERM and SIGKILL.
        settle_time: s between a failure and the end of the others, in which the servo bridge sees that commands are
            missing and goes to damping.
    """

    def __init__(
        self,
        processes: Sequence[ProcessDescription],
        on_line: Callable[[str, str], None] | None = None,
        on_exit: Callable[[ProcessExit], None] | None = None,
        grace: float = 8.0,
        settle_time: float = 0.5,
    ) -> None:
        self._descriptions, self._on_line, self._on_exit = tuple(processes), on_line, on_exit
        self._grace, self._settle_time = grace, settle_time
        self._running: list[ManagedProcess] = []
        self._waiting: list[tuple[float, ProcessDescription]] = []
        self._failure: ProcessExit | None = None
        self._stop_requests = 0
        self._told = False
        self._stage = 0
        self._next_stage_at = float("inf")
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def failure(self) -> ProcessExit | None:
        """The first end that ended everything, or None."""
        return self._failure

    @property
    def told_to_end(self) -> bool:
        """Whether a signal asked `run` to end."""
        return self._told

    def start(self) -> None:
        """Start everything.

        Raises:
            SurefootError: a program cannot be started; those that were started before it are ended first.
        """
        self._keeper = Keeper()
        self._thread = threading.Thread(target=self._look_after, name="launcher")
        try:
            for description in self._descriptions:
                self._spawn(description)
        except BaseException:
            self.stop()
            self._thread.start()
            self._thread.join()
            raise
        self._thread.start()

    def poll(self) -> bool:
        """Whether anything still runs. The failure, if there was one, is in `failure`."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """Ask everything to stop: SIGTERM, and after the grace SIGKILL. Asked again: SIGKILL at once."""
        self._stop_requests += 1
        self._wake.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing runs any more. Returns whether that is so."""
        assert self._thread is not None, "start() comes first"
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def run(self) -> int:
        """Start, stay until the end, and stop on SIGINT, SIGTERM and SIGHUP. Main thread only.

        Returns:
            0 after a stop that was asked for or a process that finished; else that of the process that failed, as shells give it:
            128 and the number of the signal that ended it, and 1 where it ended with 0 but had to stay.
        """

        def on_signal(number: int, frame: FrameType | None) -> None:
            self._told = True
            self.stop()

        handled = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, on_signal) for number in handled}
        try:
            self.start()
            while self.poll():
                self.wait(0.2)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self._failure is None:
            return 0
        code = self._failure.code
        return BY_SIGNAL - code if code < 0 else code or 1

    def _spawn(self, description: ProcessDescription) -> None:
        process = ManagedProcess(description, self._on_line)
        self._keeper.watch(process.process_id)
        self._running.append(process)

    def _look_after(self) -> None:
        while self._running or self._waiting:
            self._wake.wait(LOOK_PERIOD)
            self._wake.clear()
            for process in list(self._running):
                end = process.poll()
                if end is not None:
                    self._running.remove(process)
                    self._keeper.forget(process.process_id)
                    self._ended(process.description, end)
            self._escalate()
            self._respawn()
        self._keeper.close()

    def _ended(self, description: ProcessDescription, end: ProcessExit) -> None:
        stopping = self._stage > 0 or self._stop_requests > 0
        if not stopping and not end.expected:
            if description.respawn:
                self._waiting.append((time.monotonic() + description.respawn_delay, description))
            elif description.may_finish and end.code == 0:
                self._stop_requests = 1
            elif (description.required or end.code != 0) and self._failure is None:
                self._failure = end
                self._next_stage_at = time.monotonic() + self._settle_time
        if self._on_exit is not None:
            self._on_exit(end)

    def _respawn(self) -> None:
        now = time.monotonic()
        due = [entry for entry in self._waiting if entry[0] <= now]
        self._waiting = [entry for entry in self._waiting if entry[0] > now]
        for _, description in due:
            self._spawn(description)

    def _escalate(self) -> None:
        asked = self._stop_requests > self._stage
        if not asked and time.monotonic() < self._next_stage_at:
            return
        self._waiting.clear()
        number = ESCALATION[min(self._stage, len(ESCALATION) - 1)]
        self._stage += 1
        self._stop_requests = max(self._stop_requests, self._stage)
        self._next_stage_at = time.monotonic() + self._grace
        for process in self._running:
            process.stop(number)
