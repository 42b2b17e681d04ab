# SPDX-License-Identifier: Apache-2.0
"""What filters said on spoilt walks, kept from one start of the bench to the next."""

from pathlib import Path
from typing import Any

import numpy as np

from surefoot.errors import ConfigurationError
from surefoot.evaluation.estimator_runs import Track
from surefoot.evaluation.journal import Journal

KIND = "runs of estimators"


class EstimatorJournal:
    """A folder with a line, and a file of arrays, for each run.

    Args:
        folder: begun if there is none. None: nothing is kept.
        run: what must not differ between the starts that share the folder, as plain values.

    Raises:
        ConfigurationError: the folder is of another run or of other code, or no journal of such runs.

    Attributes:
        done: which runs are kept: filter and seed.
    """

    def __init__(self, folder: Path | None, run: dict[str, Any]) -> None:
        self._folder = folder
        self._journal = None if folder is None else Journal(folder / "runs.jsonl", KIND, run)
        self.done: dict[tuple[str, int], str] = {}
        try:
            for line in self._journal.kept if self._journal else ():
                self.done[str(line["filter"]), int(line["seed"])] = str(line["file"])
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigurationError(f"{folder} is not a journal of runs of estimators: {error}; give the run another folder") from error

    def add(self, name: str, seed: int, track: Track) -> None:
        """Write one more down."""
        if self._folder is None or self._journal is None:
            return
        file = f"{len(self.done)}.npz"
        arrays = {key: value for key, value in vars(track).items() if value is not None}
        np.savez_compressed(self._folder / file, allow_pickle=False, **arrays)
        self.done[name, seed] = file
        self._journal.add({"filter": name, "seed": seed, "file": file})

    def track(self, name: str, seed: int) -> Track:
        """One that is kept. Raises KeyError where it is not."""
        assert self._folder is not None
        with np.load(self._folder / self.done[name, seed]) as arrays:
            values: dict[str, Any] = {key: arrays[key] for key in arrays.files}
        return Track(**values | {"invalid": float(values["invalid"])})
