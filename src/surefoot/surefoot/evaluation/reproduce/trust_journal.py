# SPDX-License-Identifier: Apache-2.0
"""What became of requests, kept in a file from one run to the next: a run takes hours, and may be stopped."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from surefoot.errors import ConfigurationError
from surefoot.evaluation.reproduce.requests import Answered, Request


class TrustJournal:
    """A line for each answered request, behind one that says of which run they are.

    Args:
        path: of the file; it is begun if there is none.
        run: what must not differ between the runs that share the file, as plain values.

    Raises:
        ConfigurationError: the file is of another run, or no journal.
    """

    def __init__(self, path: Path, run: dict[str, Any]) -> None:
        self._path = path
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(run) + "\n")
        elif not path.read_text().endswith("\n"):
            # Cut off where a run was killed: what comes next is a line of its own, and that request is answered again.
            with path.open("a") as file:
                file.write("\n")
        kept = self._lines()
        before = next(kept, {})
        for name, value in run.items():
            if difference := _difference(name, before.get(name), value):
                raise ConfigurationError(f"{path} is of a run with {difference}; give this one another file")
        try:
            answered = [_answered(line) for line in kept]
        except (KeyError, TypeError) as error:
            raise ConfigurationError(f"{path} is not a journal of requests: {error}; give the run another file") from error
        self.answered = {one.request.number: one for one in answered}

    def add(self, answered: Answered) -> None:
        """Write one more down."""
        self.answered[answered.request.number] = answered
        with self._path.open("a") as file:
            file.write(json.dumps(asdict(answered)) + "\n")

    def _lines(self) -> Iterator[dict[str, Any]]:
        for text in self._path.read_text().splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                continue
            if isinstance(line, dict):
                yield line


def _difference(name: str, before: Any, now: Any) -> str:
    """The first number in which two runs differ, in words; empty if they are the same."""
    if before == now:
        return ""
    if isinstance(before, dict) and isinstance(now, dict):
        parts = (_difference(f"{name}.{key}", before.get(key), now.get(key)) for key in (*now, *before))
        return next((part for part in parts if part), f"other numbers in {name}")
    return f"{name} {before}, and this one has {now}"


def _answered(line: dict[str, Any]) -> Answered:
    request = line["request"] | {"command": tuple(line["request"]["command"])}
    return Answered(
        **(line | {"request": Request(**request), "predicted": tuple(line["predicted"]), "succeeds": tuple(line["succeeds"])})
    )
