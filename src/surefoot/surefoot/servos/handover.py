# SPDX-License-Identifier: Apache-2.0
"""The hand-over from one controller of the joints to the next, without a jump of torque."""

from dataclasses import replace

import numpy as np

from surefoot.robot.command import JointCommand
from surefoot.servos.settings import BridgeSettings


def mix(before: JointCommand, after: JointCommand, part: float) -> JointCommand:
    """The command whose torque is (1 - part) times that of before plus part times that of after, at every joint state.

    Gains and effort mix linearly; targets mix in proportion to the gain that each side gives them.
    """
    rest = 1.0 - part
    stiffness = rest * before.stiffness + part * after.stiffness
    damping = rest * before.damping + part * after.damping
    position = rest * before.stiffness * before.position + part * after.stiffness * after.position
    velocity = rest * before.damping * before.velocity + part * after.damping * after.velocity
    return replace(
        after,
        position=np.divide(position, stiffness, out=after.position.copy(), where=stiffness > 0.0),
        velocity=np.divide(velocity, damping, out=after.velocity.copy(), where=damping > 0.0),
        effort=rest * before.effort + part * after.effort,
        stiffness=stiffness,
        damping=damping,
    )


def moved_on(command: JointCommand, time: float, settings: BridgeSettings) -> JointCommand:
    """The command as it is at a time (s), where the controller that made it is slower than the servos."""
    age = time - command.time
    if settings.between_commands == "hold" or not age > 0.0:
        return command
    return replace(command, position=command.position + command.velocity * min(age, settings.stale_after))


class HandOver:
    """Carries the command from the last one of the old controller to those of the new one."""

    def __init__(self, duration: float) -> None:
        """duration: s."""
        self._duration = duration
        self._start = 0.0
        self._before: JointCommand | None = None

    def begin(self, time: float, before: JointCommand | None) -> None:
        """Start at a time (s) from the command before; None: nothing to come from, the next command counts at once."""
        self._start, self._before = time, before

    def restart(self) -> None:
        """There is nothing to come from: the clock began anew."""
        self._before = None

    def carry(self, time: float, after: JointCommand) -> JointCommand:
        """The command at a time (s), given the one that the new controller wants."""
        if self._before is None:
            return after
        s = (time - self._start) / self._duration
        if s >= 1.0:
            self._before = None
            return after
        s = max(0.0, s)
        return mix(self._before, after, s * s * (3.0 - 2.0 * s))
