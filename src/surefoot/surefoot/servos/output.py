# SPDX-License-Identifier: Apache-2.0
"""What the servo bridge says at each tick."""

from collections.abc import Mapping
from dataclasses import dataclass

from surefoot.robot.command import JointCommand
from surefoot.servos.modes import Mode, Request


@dataclass(frozen=True)
class BridgeOutput:
    """What one tick gives.

    Attributes:
        command: to the servos, always finite; the torque that it makes at the measured state is inside of the effort limits, also that of
            damping. Targets are inside of the limits; one that `is_damping` has none.
        mode: after the tick.
        reason: why this mode, and what standing up still waits for.
        since: time at which it was entered, s.
        refused: the last request that was refused, with the reason and what would be accepted; empty once one was taken.
        answers: by request that has a legal move out of this mode, why it would be refused, empty where it would be taken; looked at
            from time to time, and not yet in the tick in which a mode begins.
        remarks: what this tick clamped, refused or held.
        counters: totals since the start, by name.
    """

    command: JointCommand
    mode: Mode
    reason: str
    since: float
    refused: str
    answers: Mapping[Request, str]
    remarks: tuple[str, ...]
    counters: Mapping[str, int]
