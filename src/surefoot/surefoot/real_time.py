# SPDX-License-Identifier: Apache-2.0
"""What a control loop asks of the operating system: to come first, on a core of its own, with its memory at hand.

Python promises nothing in real time; this takes away what can be taken away. What is not permitted is reported and done without.
"""

import contextlib
import ctypes
import os
import resource
import struct
from collections.abc import Callable
from pathlib import Path

PRIORITY = 50
"""Of the first loop, out of 1 to 99, as ros2_control has it: over everything else that runs, and not over the kernel's threads for
interrupts. Each further loop comes one after the one before it."""
WISH = "SUREFOOT_REAL_TIME"
"""Variable that is true where a node moves motors: a simulation that came first would hang its machine."""
ISOLATED = Path("/sys/devices/system/cpu/isolated")
LOOPS = ("servo_bridge", "inverse_dynamics", "state_estimator", "gait_planner")
"""Nodes in the way from sensors to motors, the nearest to the motors first; each takes its place among the cores that the kernel keeps
free of everything else, as long as there are some."""
WAKE_LATENCY = Path("/dev/cpu_dma_latency")
"""Who keeps this file open says within how many microseconds a core that sleeps has to wake."""
STEP_BACK = 10
"""How much nicer those are that only watch, out of 19: a tenth of a core is theirs where all are taken, and none of a tick's time."""
_LOCK_ALL = 1 | 2  # what there is, and what comes


def moves_motors() -> bool:
    """Whether this process is part of a stack whose torques go to motors, as the launch file says."""
    return os.environ.get(WISH, "false").lower() in ("true", "1")


def ask_for_the_thread(node: str) -> tuple[str, ...]:
    """Ask for priority and a core, for the calling thread alone: it has to be the one that runs the loop.

    Args:
        node: its name; only those of LOOPS ask.

    Returns:
        Words on each thing: that it was given, or why not. None where the variable does not wish for it.
    """
    if node not in LOOPS or not moves_motors():
        return ()
    return _priority(LOOPS.index(node)), _core(LOOPS.index(node))


def ask_for_the_process(node: str) -> tuple[str, ...]:
    """Ask for memory that stays, for all threads of the process, and once for cores that stay awake; see `ask_for_the_thread`."""
    if node not in LOOPS or not moves_motors():
        return ()
    return (_memory(), stay_awake()[1]) if node == LOOPS[0] else (_memory(),)


def stay_awake() -> tuple[bool, str]:
    """Keep the cores of this machine from sleeping between ticks, for as long as this process lives.

    On its way from sensor to servo a tick is handed on four times, and each time to a core that has nothing else to do and fell asleep: to
    wake takes tens of microseconds or, in a virtual machine, hundreds. It costs the power of cores that are never idle.

    Returns:
        Whether it is permitted, and the same in words.
    """
    try:
        # Not closed: the wish lasts as long as the file is open.
        os.write(os.open(WAKE_LATENCY, os.O_WRONLY), struct.pack("i", 0))
    except OSError as error:
        return False, f"cores may sleep between ticks: {error.strerror}; see `surefoot preflight`"
    return True, "cores stay awake"


def step_back() -> None:
    """Let every other process come first: all threads of this one that there are, and those that they start from now on."""
    _give_way(lambda now: max(STEP_BACK, now))


def come_back(niceness: int) -> None:
    """Take back what `step_back` did, as far as the system permits it: it takes seconds to end for who comes last on a busy machine.

    Args:
        niceness: that this process had before.
    """
    with contextlib.suppress(PermissionError):
        _give_way(lambda now: min(niceness, now))


def _give_way(niceness: Callable[[int], int]) -> None:
    """Give each thread another niceness, by the one that it has."""
    for thread in Path("/proc/self/task").iterdir():
        # The system counts threads as processes; one may have ended meanwhile.
        with contextlib.suppress(ProcessLookupError):
            number = int(thread.name)
            os.setpriority(os.PRIO_PROCESS, number, niceness(os.getpriority(os.PRIO_PROCESS, number)))


def _priority(place: int) -> str:
    priority = PRIORITY - place
    try:
        # Workers that it starts, and threads of libraries, are not to come first as well.
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(priority))
    except OSError as error:
        return f"no real-time priority: {error.strerror}; see `surefoot preflight`"
    return f"real-time priority {priority}"


def _core(place: int) -> str:
    try:
        cores = cores_of(ISOLATED.read_text())
        if not cores:
            return "no core of its own: the kernel keeps none apart (isolcpus)"
        if place >= len(cores):
            # Two on one core would wait for each other, however free it is of everything else.
            return f"no core of its own: {len(cores)} kept free, {len(LOOPS)} needed"
        core = cores[place]
        os.sched_setaffinity(0, {core})
    except (OSError, ValueError) as error:
        return f"no core of its own: {error}"
    return f"runs on core {core}"


def _memory() -> str:
    # Under a limit the lock holds at first, and an allocation fails later, in the middle of a walk.
    if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] != resource.RLIM_INFINITY:
        return "memory is not locked: the limit is not 'unlimited'; see `surefoot preflight`"
    library = ctypes.CDLL(None, use_errno=True)
    if library.mlockall(_LOCK_ALL):
        return f"memory is not locked: {os.strerror(ctypes.get_errno())}"
    return "memory is locked"


def cores_of(text: str) -> list[int]:
    """Numbers out of a list as the kernel writes it, such as 2-3,6. Raises ValueError."""
    cores: list[int] = []
    for part in text.strip().split(","):
        if part:
            first, _, last = part.partition("-")
            cores += range(int(first), int(last or first) + 1)
    return cores
