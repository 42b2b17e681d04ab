# SPDX-License-Identifier: Apache-2.0
"""Processes that help another one, and end with it however it ends."""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TypeVar

Result = TypeVar("Result")

_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Have this process killed when the thread that started it ends; Ctrl-C is for that one alone.

    Args:
        parent: its process number. A process whose parent has ended already ends at once.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL):
        raise OSError(ctypes.get_errno(), "this process could not be bound to the life of the one that started it")
    if os.getppid() != parent:
        raise SystemExit


@contextmanager
def process_pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of fresh interpreters that ends with this process, even if that is killed, and at once where something is raised."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=end_with, initargs=(os.getpid(),))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in multiprocessing.active_children():
            worker.terminate()
        raise
    pool.shutdown()


def results_of(processes: int, calls: Iterable[Callable[[], Result]], progress: Callable[[Result], None]) -> list[Result]:
    """Make calls in other processes.

    Args:
        processes: how many at once.
        calls: `functools.partial` of functions of a module.
        progress: hears of each result as it comes.

    Returns:
        The results in the order of the calls.
    """
    with process_pool(processes) as pool:
        work = [pool.submit(call) for call in calls]
        for done in as_completed(work):
            progress(done.result())
    return [done.result() for done in work]
