# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with contact forces that were measured, one or more ticks late [Zapolsky and Drumwright 2016, section 7]."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.contact.reduction import reduced
from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.multibody_law import answer, failed

Array = NDArray[np.float64]


class SensedContact:
    """A `MultibodyLaw` that takes the forces of an earlier tick for those of this one: ID(t_{i-1}) and ID(t_{i-2}).

    `sense` is called once a tick, before the law; with a delay of one tick, what it was told last is used. The law fails until enough
    has been sensed.
    """

    def __init__(self, delay: int = 1) -> None:
        """Make the law.

        Args:
            delay: ticks by which forces are late, at least 1.

        Raises:
            ConfigurationError: a delay below 1, which would be a prediction.
        """
        if delay < 1:
            raise ConfigurationError(f"contact forces cannot be sensed {delay} ticks late; 1 is the force over the last tick")
        self._line: deque[Array] = deque(maxlen=delay)

    def sense(self, force: Array) -> None:
        """Take in the forces over the tick that just ended, in axes of odom, (points, 3), N; those of points without contact are 0."""
        self._line.append(np.array(force, dtype=np.float64).reshape(-1, 3))

    def reset(self) -> None:
        """Forget what was sensed."""
        self._line.clear()

    def __call__(
        self, problem: MultibodyContactProblem, previous: MultibodyContactSolution | None = None, points: NDArray[np.int64] | None = None
    ) -> MultibodyContactSolution:
        """See `MultibodyLaw`.

        Args:
            problem: its contacts need not obey any contact model.
            previous: not read.
            points: which of the sensed points each contact is, (c,); the first ones in order if none are given.
        """
        reduction = reduced(problem)
        if reduction is None or len(self._line) < (self._line.maxlen or 0):
            return failed(problem)
        sensed = self._line[0]
        chosen = np.arange(problem.contacts) if points is None else points
        if len(chosen) != problem.contacts or chosen.max(initial=-1) >= len(sensed):
            return failed(problem)
        return answer(reduction, reduction.in_contact_axes(sensed[chosen].ravel()))
