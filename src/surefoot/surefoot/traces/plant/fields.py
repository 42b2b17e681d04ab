# SPDX-License-Identifier: Apache-2.0
"""The numbers of a simulation that differ from robot to robot of a batch."""

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from mujoco import batch


class Fields:
    """Arrays (size, ...) over the fields of a model; a field is shared by all robots until somebody asks for it.

    Args:
        simulations: the batch.
        simulation: the believed model.
    """

    def __init__(self, simulations: batch.Batch, simulation: mujoco.MjModel) -> None:
        self._batch, self._simulation = simulations, simulation
        self._live: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """The live numbers of a field; those of the options are called "opt.NAME"."""
        if name not in self._live:
            self._live[name] = self._batch.expand(name)
        return self._live[name]

    def of(self, robot: int) -> Callable[[str], Any]:
        """A function that gives the numbers of any field for one robot."""

        def numbers(name: str) -> Any:
            return self._live[name][robot] if name in self._live else getattr(self._simulation, name)

        return numbers

    def reset(self) -> None:
        """Make every robot the believed one."""
        for name, live in self._live.items():
            owner = self._simulation.opt if name.startswith("opt.") else self._simulation
            live[:] = np.asarray(getattr(owner, name.removeprefix("opt.")))
