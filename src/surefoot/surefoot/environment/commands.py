# SPDX-License-Identifier: Apache-2.0
"""Commands whose output goes to the log, and what their failures mean."""

import subprocess
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

TAIL_LINES = 15
KNOWN_CAUSE_LINES = 3  # where the advice says it all

CAUSES = (
    (
        ("Temporary failure in name resolution", "Name or service not known", "NewConnectionError", "Network is unreachable",
         "Max retries exceeded", "ConnectTimeoutError", "Connection refused", "ProxyError", "Read timed out"),
        "No network: the package index cannot be reached. Connect (behind a proxy, set HTTPS_PROXY) and run the same command again; "
        "what was already downloaded is kept.",
    ),
    (("No space left on device",), "The disk is full: the environment needs about 2 GB. Make room and run the same command again."),
    (("Permission denied",), "A file cannot be written. Check who owns the repository and its .venv."),
)  # fmt: skip


_running: set[subprocess.Popen[str]] = set()


class StepFailed(Exception):
    """A step that did not work, in words for the person who waits."""


def run_logged(command: Sequence[str | Path], log: Path, environment: dict[str, str], on_line: Callable[[str], None] | None = None) -> None:
    """Run a command, append its output to the log, and hand each line on.

    Raises:
        StepFailed: with the cause where it is known, the end of the output, and where the rest is.
    """
    words = [str(word) for word in command]
    tail: deque[str] = deque(maxlen=TAIL_LINES)
    cause = ""
    with log.open("a") as file:
        file.write(f"\n$ {' '.join(words)}\n")
        process = subprocess.Popen(
            words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        assert process.stdout is not None
        _running.add(process)
        try:
            for line in process.stdout:
                file.write(line)
                file.flush()
                tail.append(line.rstrip())
                cause = cause or next((meaning for signs, meaning in CAUSES if any(sign in line for sign in signs)), "")
                if on_line is not None:
                    on_line(line)
            code = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        finally:
            _running.discard(process)
    if code != 0:
        end = "\n".join(f"    {line}" for line in list(tail)[-KNOWN_CAUSE_LINES if cause else 0 :])
        advice = cause or "Run the same command again; if it fails again, the whole log tells why."
        raise StepFailed(f"{words[0]} ended with code {code}. The end of its output:\n{end}\nThe whole log: {log}\n{advice}")


def side_by_side(work: Sequence[Callable[[], None]]) -> None:
    """Do several things at once. The first failure ends the commands that the others wait for, and is raised."""
    with ThreadPoolExecutor(len(work)) as pool:
        try:
            for done in as_completed([pool.submit(part) for part in work]):
                done.result()
        except BaseException:
            for process in tuple(_running):
                process.terminate()
            raise
