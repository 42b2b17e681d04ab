# SPDX-License-Identifier: Apache-2.0
"""Whether a source has stopped to look and repeats its last word under new stamps, which no age shows."""

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.state import RobotState

Array = NDArray[np.float64]

LEAST_REPEATS = 3
"""Times that the same has to be said again: one message that came twice is nothing."""

SAMPLE_HOLD = 0.03
"""s for which drivers of slow sensors hold a sample: none that is of use to a robot that walks has fewer than 33 of them a second."""

NOTHING = np.zeros(0)


class FrozenWatch:
    """Follows what a source says, message by message.

    What is measured, or worked out of what is measured, differs in its last digits from one sample to the next as long as something
    moves. A driver, a filter or a relay that hangs may go on sending the last sample as if it were new.

    Args:
        after: for which the same is said before it counts, from when the witness has got so far, s.
        motion: how far the witness has to get meanwhile.

    Attributes:
        frozen: whether the source is; until it says something else.
        since: time from which on the same is said, s.
        moved: how far the witness has got since then.
        moved_at: when it had got as far as counts, and what was said was no longer true, s; infinite until then.
    """

    def __init__(self, after: float, motion: float = 0.0) -> None:
        self._after, self._motion = after, motion
        self.reset()

    def reset(self) -> None:
        """Forget what was said: nothing moves now, or another speaks."""
        self._said: object = None
        self._witness, self._witness_known = NOTHING, False
        self._repeats, self._time = 0, -np.inf
        self.frozen = False
        self.since, self.moved, self.moved_at = 0.0, 0.0, np.inf

    def look(self, time: float, said: object, witness: Array = NOTHING, moving: bool = True) -> bool:
        """Take in one message and say whether its source is frozen.

        Args:
            time: stamp of the message, s; the same once more is no other message.
            said: all of its numbers, as what can be compared at once (bytes, a tuple).
            witness: what moves if that which the source speaks of does, (n,), never changed in place; NaN does not count.
            moving: whether it has to say something else; while it has not, only what was frozen already is.
        """
        if not moving and not self.frozen:
            self.reset()
        if time == self._time:
            return self.frozen
        if said != self._said or time < self._time:
            self._said, self._repeats = said, 0
            self._witness, self._witness_known = witness, False
            self._time, self.frozen = time, False
            self.since, self.moved, self.moved_at = time, 0.0, np.inf
            return False
        self._repeats, self._time = self._repeats + 1, time
        if len(witness):
            if not self._witness_known:
                self._witness = np.where(np.isnan(self._witness), witness, self._witness)
                self._witness_known = not np.isnan(self._witness).any()
            self.moved = float(np.fmax.reduce(np.abs(witness - self._witness), initial=self.moved))
        if self.moved >= self._motion:
            # What has rested gets the time to follow.
            self.moved_at = min(self.moved_at, time if len(witness) else self.since)
        self.frozen = self._repeats >= LEAST_REPEATS and time - self.moved_at >= self._after
        return self.frozen


def numbers_of(state: RobotState) -> bytes:
    """What an estimate says of where the robot is and how it moves, to be held against the next one."""
    return b"".join(
        np.asarray(part, dtype=float).tobytes()
        for part in (state.base_position, state.base_quaternion, state.base_linear_velocity, state.joint_position, state.joint_velocity)
    )
