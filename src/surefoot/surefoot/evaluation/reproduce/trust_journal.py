# SPDX-License-Identifier: Apache-2.0
"""What became of requests, kept from one run to the next."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from surefoot.errors import ConfigurationError
from surefoot.evaluation.journal import Journal
from surefoot.evaluation.reproduce.requests import Answered, Request
from surefoot.traces.decision.offer import Offer

KIND = "gait requests"


class TrustJournal:
    """A line for each answered request.

    Args:
        path: of the file; it is begun if there is none.
        run: what must not differ between the runs that share the file, as plain values.

    Raises:
        ConfigurationError: the file is of another run or of other code, or no journal of requests.

    Attributes:
        answered: by number.
    """

    def __init__(self, path: Path, run: dict[str, Any]) -> None:
        self._journal = Journal(path, KIND, run)
        try:
            answered = [_answered(line) for line in self._journal.kept]
        except (KeyError, TypeError) as error:
            raise ConfigurationError(f"{path} is not a journal of requests: {error}; give the run another file") from error
        self.answered = {one.request.number: one for one in answered}

    def add(self, answered: Answered) -> None:
        """Write one more down."""
        self.answered[answered.request.number] = answered
        self._journal.add(asdict(answered))


def _answered(line: dict[str, Any]) -> Answered:
    request = line["request"] | {"command": tuple(line["request"]["command"])}
    offered = None if line["offered"] is None else Offer(**line["offered"])
    rates = {name: tuple(line[name]) for name in ("predicted", "succeeds")}
    return Answered(**(line | rates | {"request": Request(**request), "offered": offered}))
