# SPDX-License-Identifier: Apache-2.0
"""The on-board computer: its disk, its clock, and what it permits to a control loop."""

import contextlib
import os
import resource
import shutil
import subprocess
from pathlib import Path

from surefoot.evaluation.preflight.checklist import Check, Outcome, check
from surefoot.real_time import PRIORITY, WAKE_LATENCY

MEGABYTE = 1 << 20
RECORDED_A_SECOND = 0.6 * MEGABYTE
"""What a recorder writes at the rates of the stack, bytes a second: some four times what a short walk took."""
MINUTES = 30.0
MEMORY = 512 * MEGABYTE


def disk(folder: Path) -> Check:
    """Whether half an hour can be recorded into a folder."""
    place = next(path for path in (folder.resolve(), *folder.resolve().parents) if path.exists())
    free, needed = shutil.disk_usage(place).free, RECORDED_A_SECOND * 60.0 * MINUTES
    found = f"{free / MEGABYTE:.0f} MB are free for bags in {folder}, good for {free / RECORDED_A_SECOND / 60.0:.0f} min"
    return check("disk", free > needed, found, f"make room: {needed / MEGABYTE:.0f} MB hold {MINUTES:.0f} min", Outcome.WARNING)


def clock() -> Check:
    """Whether the clock is kept by somebody."""
    words = ["timedatectl", "show", "-p", "NTPSynchronized", "--value"]
    try:
        answer = subprocess.run(words, capture_output=True, text=True, timeout=5.0, check=False)
    except (OSError, subprocess.SubprocessError):
        return Check("clock", Outcome.UNKNOWN, "there is no timedatectl to ask", "see that the clocks of all computers of the robot agree")
    word = answer.stdout.strip()
    if word not in ("yes", "no"):
        return Check("clock", Outcome.UNKNOWN, "timedatectl does not say", "see that the clocks of all computers of the robot agree")
    return check("clock", word == "yes", f"synchronized: {word}", "start chrony or systemd-timesyncd", Outcome.WARNING)


def real_time() -> tuple[Check, ...]:
    """What the system permits to a control loop: priority, memory, cores, clock speed."""
    priority = resource.getrlimit(resource.RLIMIT_RTPRIO)[1]
    memory = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    limits = "/etc/security/limits.d"
    checks = [
        check(
            "priority", priority >= PRIORITY or priority == resource.RLIM_INFINITY, f"real-time priorities up to {priority}",
            f"in {limits}: '@realtime - rtprio {PRIORITY}', and be in that group", Outcome.WARNING,
        ),
        check(
            "memory", memory >= MEMORY or memory == resource.RLIM_INFINITY, _lockable(memory),
            f"in {limits}: '@realtime - memlock unlimited'", Outcome.WARNING,
        ),
    ]  # fmt: skip
    awake = os.access(WAKE_LATENCY, os.W_OK)
    checks.append(
        check(
            "sleep", awake, f"cores {'can be kept awake' if awake else 'may sleep between ticks'}",
            f"let a group write {WAKE_LATENCY} by udev: 'KERNEL==\"cpu_dma_latency\", GROUP=\"realtime\", MODE=\"0660\"'",
            Outcome.WARNING,
        )
    )  # fmt: skip
    isolated = _read("/sys/devices/system/cpu/isolated")
    advice = "boot with isolcpus=… to keep a core for the loop"
    checks.append(check("cores", bool(isolated), f"isolated: {isolated or 'none'}", advice, Outcome.WARNING))
    governor = _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if governor:
        advice = "cpupower frequency-set -g performance"
        checks.append(check("clock speed", governor == "performance", f"governor: {governor}", advice, Outcome.WARNING))
    return tuple(checks)


def _lockable(memory: int) -> str:
    return "any memory may be locked" if memory == resource.RLIM_INFINITY else f"{memory / MEGABYTE:.0f} MB may be locked"


def _read(path: str) -> str:
    with contextlib.suppress(OSError):
        return Path(path).read_text().strip()
    return ""
