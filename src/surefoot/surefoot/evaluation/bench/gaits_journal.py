# SPDX-License-Identifier: Apache-2.0
"""What was measured of gaits and changes, kept from one start of the bench to the next."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from surefoot.errors import ConfigurationError
from surefoot.evaluation.bench.transition import Transition
from surefoot.evaluation.bench.walk import Trial
from surefoot.evaluation.journal import Journal

KIND = "runs of gaits"

Run = tuple[str, str, bool, int]
"""Which run it is: gait before, gait after (empty for a gait by itself), whether it is rehearsed, seed."""


def run_of(done: Trial | Transition) -> Run:
    """Which run it was."""
    return (done.gait, "", False, done.seed) if isinstance(done, Trial) else (done.gait_from, done.gait_to, done.traces, done.seed)


class GaitsJournal:
    """A line for each run.

    Args:
        path: of the file; it is begun if there is none. None: nothing is kept.
        run: what must not differ between the starts that share the file, as plain values.

    Raises:
        ConfigurationError: the file is of another run or of other code, or no journal of such runs.

    Attributes:
        done: by which run it is.
    """

    def __init__(self, path: Path | None, run: dict[str, Any]) -> None:
        self._journal = None if path is None else Journal(path, KIND, run)
        try:
            kept = [_read(line) for line in (self._journal.kept if self._journal else ())]
        except (KeyError, TypeError) as error:
            raise ConfigurationError(f"{path} is not a journal of runs of gaits: {error}; give the run another file") from error
        self.done = {run_of(one): one for one in kept}

    def add(self, one: Trial | Transition) -> None:
        """Write one more down."""
        self.done[run_of(one)] = one
        if self._journal is not None:
            self._journal.add({"alone": isinstance(one, Trial)} | asdict(one))


def _read(line: dict[str, Any]) -> Trial | Transition:
    values = dict(line)
    kind: type[Trial | Transition] = Trial if values.pop("alone") else Transition
    return kind(**values)
