# SPDX-License-Identifier: Apache-2.0
"""Makes or renews .venv: `python -m surefoot.environment ROOT SUM`. Called by ./surefoot, which knows when it is needed."""

import fcntl
import hashlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from surefoot.environment.commands import StepFailed, side_by_side
from surefoot.environment.progress import Progress
from surefoot.environment.requirements import missing_requirements
from surefoot.environment.steps import Place, Step, all_steps


def main(root: Path, wanted: str) -> int:
    """Bring the environment up to date and stamp it. Returns the exit code."""
    place = Place(root)
    with _only_one(root):
        if _read(place.state / "ready") == wanted and place.python.exists():
            return 0  # another start made it while this one waited
        problems = missing_requirements()
        if place.environment.exists() and not place.state.exists():
            problems.append(f"{place.environment} was not made by ./surefoot. Move it away and run the same command again.")
        if problems:
            print("surefoot: " + "\n".join(problems), file=sys.stderr)
            return 2
        place.state.mkdir(parents=True, exist_ok=True)
        try:
            _make(place)
        except StepFailed as failure:
            print(f"\nsurefoot: the environment could not be made.\n{failure}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("\nsurefoot: interrupted. The same command goes on with the step that was running.", file=sys.stderr)
            return 130
        (place.state / "ready").write_text(wanted)
    return 0


def _make(place: Place) -> None:
    rows = all_steps(place)
    (place.state / "ready").unlink(missing_ok=True)
    if not place.python.exists():
        print(f"Surefoot makes its environment in {place.environment}: once, a few minutes, about 2 GB. Log: {place.log}", file=sys.stderr)
        for stamp in place.state.glob("*.stamp"):
            stamp.unlink()
    chain = ""
    for number, row in enumerate(rows, start=1):
        # A step is made again when its own sources or those of any row before it have changed.
        wanted = {step: hashlib.sha256(f"{chain} {step.sources}".encode()).hexdigest() for step in row}
        chain = hashlib.sha256(" ".join(wanted.values()).encode()).hexdigest()
        stale = [step for step in row if _read(_stamp(place, step)) != wanted[step]]
        if stale:
            with Progress(number, len(rows), [step.title for step in stale]) as progress:
                _make_side_by_side(place, stale, wanted, progress)


def _make_side_by_side(place: Place, steps: list[Step], wanted: dict[Step, str], progress: Progress) -> None:
    def make(step: Step) -> None:
        _stamp(place, step).unlink(missing_ok=True)
        step.work(partial(progress.detail, step.title))
        progress.finished(step.title)
        _stamp(place, step).write_text(wanted[step])

    side_by_side([partial(make, step) for step in steps])


def _stamp(place: Place, step: Step) -> Path:
    return place.state / f"{step.name}.stamp"


def _read(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


@contextmanager
def _only_one(root: Path) -> Iterator[None]:
    """Hold the repository's own directory as the lock: it goes with the process, whatever ends it, and leaves no file."""
    descriptor = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("surefoot: another ./surefoot is making the environment; waiting for it …", file=sys.stderr)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
