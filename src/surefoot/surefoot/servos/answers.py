# SPDX-License-Identifier: Apache-2.0
"""What the operator would be answered now, so that one who looks need not ask a robot to move to find out."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from surefoot.servos.modes import Condition, Mode, ModeMachine, Request

EVERY = 0.5
"""s after which it is looked at anew: nobody reads faster, and a tick has better to do."""


class Answers:
    """Kept from one look to the next."""

    def __init__(self) -> None:
        self._mode, self._time = Mode.OFF, -math.inf
        self._kept: Mapping[Request, str] = MappingProxyType({})

    def look(self, time: float, machine: ModeMachine, unmet: Callable[[], Mapping[Condition, str]]) -> None:
        """See whether it is time to.

        Args:
            time: of the tick, s.
            machine: of the modes.
            unmet: says why each condition that does not hold now does not.
        """
        if machine.mode == self._mode and self._time <= time < self._time + EVERY:
            return
        self._mode, self._time, self._kept = machine.mode, time, MappingProxyType(machine.answers(unmet()))

    def in_mode(self, mode: Mode) -> Mapping[Request, str]:
        """As of the last look: by request that has a move out of this mode, why it would be refused, empty where it would be taken.

        Nothing where there was no look in this mode yet.
        """
        return self._kept if mode == self._mode else MappingProxyType({})
