# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import time
from functools import partial

import psutil

from surefoot.processes import process_pool, results_of

WAITING = """
import os, sys, time
from surefoot.processes import process_pool
if __name__ == "__main__":
    with process_pool(2) as pool:
        numbers = {pool.submit(os.getpid).result()}
        pool.submit(time.sleep, 60.0)
        print(*numbers, flush=True)
        time.sleep(60.0)
"""


def test_a_pool_works() -> None:
    with process_pool(1) as pool:
        assert pool.submit(abs, -3).result() == 3
        assert pool.submit(os.getppid).result() == os.getpid()


def test_results_are_in_the_order_of_the_calls_and_told_as_they_come() -> None:
    told: list[int] = []
    assert results_of(2, [partial(pow, 2, exponent) for exponent in range(6)], told.append) == [1, 2, 4, 8, 16, 32]
    assert sorted(told) == [1, 2, 4, 8, 16, 32]


def test_a_pool_ends_with_a_process_that_is_killed(tmp_path) -> None:  # type: ignore[no-untyped-def]
    script = tmp_path / "waiting.py"
    script.write_text(WAITING)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert psutil.pid_exists(worker)
    parent.kill()
    parent.wait()
    for _ in range(200):
        if not psutil.pid_exists(worker) or psutil.Process(worker).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.05)
    raise AssertionError(f"worker {worker} lives on")
