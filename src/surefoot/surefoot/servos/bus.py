# SPDX-License-Identifier: Apache-2.0
"""What a bus to the servos must do. One file a bus in `servos/buses`; names become the order of the description inside it.

A bus never raises on bad data from the wire: it counts it and returns None. A command that does not leave raises.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.command import JointCommand
from surefoot.robot.state import SensorSample

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BusHealth:
    """What a bus knows of itself and of its servos.

    Attributes:
        problem: why no sample comes, naming the servo; empty while they come.
        faults: servos that report a fault of their own, each with its name and the words of its maker.
        temperature: of the servos, (12,), degrees Celsius; NaN where it is not known.
        voltage: (12,), V; NaN where it is not known.
        counters: totals since the start, by name.
    """

    problem: str = ""
    faults: tuple[str, ...] = ()
    temperature: Array = field(default_factory=lambda: np.full(12, np.nan))
    voltage: Array = field(default_factory=lambda: np.full(12, np.nan))
    counters: Mapping[str, int] = field(default_factory=dict)


class ServoBus(Protocol):
    """Servos and sensors of one robot."""

    def read(self) -> SensorSample | None:
        """The newest sample since the last call, in the order of the description; None when there is none."""
        ...

    def write(self, command: JointCommand) -> None:
        """Send one command; it has passed every gate.

        One that `is_damping` asks for that, or for what is nearest to it. Its positions are not to be sent as goals: they may stem from no
        measurement. Raises whatever keeps it from leaving: who writes counts it, and for `stale_after` without one that left it is a servo
        fault.
        """
        ...

    def health(self) -> BusHealth:
        """What is known now. Asks nobody."""
        ...

    def close(self) -> None:
        """Leave the servos damped and let go of the bus. Raises nothing; may be called twice."""
        ...
