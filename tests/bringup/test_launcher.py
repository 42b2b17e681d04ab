# SPDX-License-Identifier: Apache-2.0
"""Real processes: started, watched, started again, and all of them ended."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import psutil
import pytest

from surefoot.bringup.command import ProcessDescription
from surefoot.bringup.launcher import Launcher
from surefoot.bringup.process import ProcessExit
from surefoot.errors import SurefootError

PATIENCE = 20.0  # s until a test gives up
STAYS = "import time\nprint('up', flush=True)\ntime.sleep(60)"
DEAF = f"import signal\nfor number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)\n{STAYS}"
POLITE = (
    "import signal, sys, time\n"
    "def end(number, frame):\n    print('got', signal.Signals(number).name, flush=True); sys.exit(0)\n"
    "signal.signal(signal.SIGINT, end); signal.signal(signal.SIGTERM, end)\nprint('up', flush=True)\ntime.sleep(60)"
)
WITH_CHILD = (
    "import subprocess, sys\n"
    "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\nprint(child.pid, flush=True)\n"
)


def small(label: str, code: str, **options: object) -> ProcessDescription:
    return ProcessDescription(label, (sys.executable, "-S", "-u", "-c", code), **options)  # type: ignore[arg-type]


class Log:
    """Collects what a launcher calls back."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self.ends: list[ProcessExit] = []

    def launcher(self, *processes: ProcessDescription, grace: float = 5.0) -> Launcher:
        return Launcher(
            processes, on_line=lambda label, line: self.lines.append((label, line)), on_exit=self.ends.append, grace=grace, settle_time=0.0
        )

    def until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, (self.lines, self.ends)
            time.sleep(0.01)

    def up(self, count: int) -> None:
        self.until(lambda: sum(line == "up" for _, line in self.lines) >= count)


def is_gone(process_id: int) -> bool:
    try:
        return psutil.Process(process_id).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_death_is_reported_by_name_and_ends_everything() -> None:
    log = Log()
    launcher = log.launcher(small("walker", POLITE), small("thinker", "import sys, time; time.sleep(0.3); print('oh no'); sys.exit(3)"))
    assert launcher.run() == 3
    assert launcher.failure is not None
    assert (launcher.failure.label, launcher.failure.code, launcher.failure.tail) == ("thinker", 3, ("oh no",))
    assert "thinker" in str(launcher.failure)
    assert "exit code 3" in str(launcher.failure)
    assert {end.label: end.expected for end in log.ends} == {"thinker": False, "walker": True}
    assert not launcher.poll()


def test_a_death_by_signal_names_the_signal() -> None:
    log = Log()
    launcher = log.launcher(small("faller", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"), small("other", POLITE))
    assert launcher.run() == 128 + signal.SIGSEGV
    assert "faller" in str(launcher.failure)
    assert "SIGSEGV" in str(launcher.failure)


def test_what_a_person_can_mend_has_an_exit_code_of_its_own() -> None:
    log = Log()
    launcher = log.launcher(small("misled", "import sys; print('error: unknown robot'); sys.exit(2)"), small("other", POLITE))
    assert launcher.run() == 2
    assert launcher.failure is not None
    assert launcher.failure.label == "misled"


def test_an_end_without_failure_ends_nothing_unless_it_is_required() -> None:
    log = Log()
    launcher = log.launcher(small("story", "print('the end')"), small("stays", POLITE))
    launcher.start()
    log.up(1)
    log.until(lambda: bool(log.ends))
    assert launcher.poll()
    launcher.stop()
    assert launcher.wait(PATIENCE)
    assert launcher.failure is None

    required = log.launcher(small("story", "print('the end')", required=True), small("stays", POLITE))
    assert required.run() == 1
    assert required.failure is not None
    assert (required.failure.label, required.failure.code) == ("story", 0)


def test_a_process_that_may_finish_ends_everything_without_failure() -> None:
    log = Log()
    assert log.launcher(small("simulator", "print('done')", required=True, may_finish=True), small("other", POLITE)).run() == 0
    assert {end.label: end.expected for end in log.ends} == {"simulator": False, "other": True}


def test_stop_asks_with_sigterm_first() -> None:
    log = Log()
    launcher = log.launcher(small("a", POLITE), small("b", POLITE))
    launcher.start()
    log.up(2)
    launcher.stop()
    assert launcher.wait(PATIENCE)
    assert sorted(line for line in log.lines if line[1] != "up") == [("a", "got SIGTERM"), ("b", "got SIGTERM")]
    assert [end.code for end in log.ends] == [0, 0]


def test_a_deaf_process_is_killed_after_the_grace() -> None:
    log = Log()
    launcher = log.launcher(small("deaf", DEAF), grace=0.1)
    launcher.start()
    log.up(1)
    launcher.stop()
    assert launcher.wait(PATIENCE)
    assert [(end.code, end.expected) for end in log.ends] == [(-signal.SIGKILL, True)]


def test_asking_twice_does_not_wait_for_the_grace() -> None:
    log = Log()
    launcher = log.launcher(small("deaf", DEAF), grace=1000.0)
    launcher.start()
    log.up(1)
    for _ in range(2):
        launcher.stop()
    assert launcher.wait(PATIENCE)
    assert log.ends[0].code == -signal.SIGKILL


def test_respawn_starts_it_again() -> None:
    log = Log()
    launcher = log.launcher(small("phoenix", "print('up'); raise SystemExit(1)", respawn=True, respawn_delay=0.05), small("stays", POLITE))
    launcher.start()
    log.up(4)
    assert launcher.failure is None
    assert launcher.poll()
    launcher.stop()
    assert launcher.wait(PATIENCE)
    ends = [end for end in log.ends if end.label == "phoenix"]
    assert len({end.process_id for end in ends}) == len(ends) >= 2


def test_children_of_a_dead_process_are_ended_with_it() -> None:
    log = Log()
    launcher = log.launcher(small("parent", WITH_CHILD + "sys.exit(1)"))
    assert launcher.run() == 1
    child = int(log.lines[0][1])
    log.until(lambda: is_gone(child))


def test_a_program_that_cannot_be_started_is_named_and_nothing_stays() -> None:
    log = Log()
    launcher = log.launcher(small("first", STAYS), ProcessDescription("lost", ("/no/such/program",)))
    with pytest.raises(SurefootError, match=r"lost.*/no/such/program"):
        launcher.start()
    assert not launcher.poll()
    assert [end.label for end in log.ends] == ["first"]
    assert is_gone(log.ends[0].process_id)


def test_hidden_output_is_kept_for_the_report() -> None:
    log = Log()
    launcher = log.launcher(small("quiet", "print('the cause'); raise SystemExit(1)", shown=False))
    assert launcher.run() == 1
    assert log.lines == []
    assert launcher.failure is not None
    assert launcher.failure.tail == ("the cause",)


RUNNER = """
import sys
from surefoot.bringup.command import ProcessDescription
from surefoot.bringup.launcher import Launcher
stays = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + stays
processes = [ProcessDescription(code, (sys.executable, "-S", "-u", "-c", code)) for code in (stays, deaf)]
sys.exit(Launcher(processes, on_line=lambda label, line: print(line, flush=True), grace=GRACE).run())
"""


def launcher_process(grace: float) -> tuple[subprocess.Popen[str], list[int]]:
    """A launcher in a process of its own, and the process ids of what it started."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    code = RUNNER.replace("GRACE", str(grace))
    process = subprocess.Popen([sys.executable, "-u", "-c", code], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    started = [int(process.stdout.readline()) for _ in range(2)]
    threading.Thread(target=process.stdout.read, daemon=True).start()
    return process, started


@pytest.mark.parametrize("numbers", [[signal.SIGINT], [signal.SIGTERM], [signal.SIGHUP]], ids=["ctrl_c", "terminate", "hang_up"])
def test_signals_to_the_launcher_leave_no_process(numbers: list[signal.Signals]) -> None:
    process, started = launcher_process(grace=0.2)
    for number in numbers:
        process.send_signal(number)
    assert process.wait(PATIENCE) == 0
    assert all(map(is_gone, started))


def test_a_launcher_knows_whether_it_was_told_to_end() -> None:
    log = Log()
    finished = log.launcher(small("simulator", "print('done')", required=True, may_finish=True))
    assert (finished.run(), finished.told_to_end) == (0, False)
    told = log.launcher(small("one", "import os, signal; os.kill(os.getppid(), signal.SIGTERM)\n" + POLITE))
    assert (told.run(), told.told_to_end) == (0, True)


def test_ctrl_c_twice_does_not_wait() -> None:
    process, started = launcher_process(grace=1000.0)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)  # two signals at once would arrive as one
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0
    assert all(map(is_gone, started))


def test_a_killed_launcher_leaves_no_process() -> None:
    process, started = launcher_process(grace=1000.0)
    process.kill()
    process.wait(PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while not all(map(is_gone, started)):
        assert time.monotonic() < deadline, started
        time.sleep(0.05)
