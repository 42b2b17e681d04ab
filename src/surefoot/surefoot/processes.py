# SPDX-License-Identifier: Apache-2.0
"""Processes that help another one, and end with it however it ends."""

import ctypes
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor

_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Have this process killed when the one that started it ends; Ctrl-C is for that one alone.

    Args:
        parent: its process number. A process whose parent has ended already ends at once.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit


def process_pool(processes: int) -> ProcessPoolExecutor:
    """A pool of fresh interpreters that ends with this process, even if that is killed."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=context, initializer=end_with, initargs=(os.getpid(),))
