# SPDX-License-Identifier: Apache-2.0
"""A run of tests that is killed leaves no process behind."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
from guard import MARK, marked

RUN = """
import subprocess, sys
from guard import start_guard
guard = start_guard()
sleep = [sys.executable, "-S", "-c", "import time; print(flush=True); time.sleep(600)"]
# One as a launcher starts it, with one below it that nobody looks after.
outer = "import subprocess, sys; subprocess.Popen(sys.argv[1:]); import time; time.sleep(600)"
children = [
    subprocess.Popen(sleep, stdout=subprocess.PIPE, process_group=0),
    subprocess.Popen([sys.executable, "-S", "-c", outer, *sleep], stdout=subprocess.PIPE, start_new_session=True),
]
for child in children:
    child.stdout.readline()
print(*(child.pid for child in children), flush=True)
sys.stdin.read()
"""


def _lives(process: int) -> bool:
    return psutil.pid_exists(process) and psutil.Process(process).status() != psutil.STATUS_ZOMBIE


def test_what_a_killed_run_of_tests_has_started_ends_with_it() -> None:
    words = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(Path(__file__).parent / 'helpers')!r})\n{RUN}"]
    run = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    children = [int(word) for word in run.stdout.readline().split()]
    assert len(children) == 2
    (mark,) = {psutil.Process(child).environ()[MARK] for child in children}
    assert len(marked(mark)) == 3
    run.kill()
    run.wait()
    deadline = time.monotonic() + 120.0
    while (marked(mark) or any(map(_lives, children))) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert marked(mark) == []
