# SPDX-License-Identifier: Apache-2.0
"""What the states that reach a planner say, one after another, of whether it may plan on them and goes on from where it was."""

from numpy.typing import ArrayLike

from surefoot.gait.odometry_reset import OdometryResetWatch
from surefoot.gait.suspended import SuspendedWatch
from surefoot.robot.frozen import SAMPLE_HOLD, FrozenWatch, numbers_of
from surefoot.robot.state import RobotState


class StateWatch:
    """Follows the states from message to message.

    Attributes:
        suspended: whether the robot should stand and has no ground under its feet.
        odometry_reset: whether what was planned before the last message is void.
        frozen_since: time from which on the state is the same to the last digit though a gait runs, s; None where it is not.
    """

    def __init__(self) -> None:
        self._suspended, self._resets, self._repeats = SuspendedWatch(), OdometryResetWatch(), FrozenWatch(SAMPLE_HOLD)
        self.suspended = self.odometry_reset = False
        self.frozen_since: float | None = None

    def look(
        self, time: float, contact_probability: ArrayLike, state: RobotState | None, *, standing: bool, moving: bool
    ) -> RobotState | None:
        """Take in one message, and say on which state may be planned.

        Args:
            time: of the message, s.
            contact_probability: in it, that each foot bears load, (4,), 0 to 1, whatever else may be wrong with it.
            state: read from it; None where there is none.
            standing: whether the robot should stand. One that walks and has no load on any foot is not suspended, it falls.
            moving: whether a gait runs, so that the state has to change.

        Returns:
            The state, None where there is none or it is frozen.
        """
        self.suspended = self._suspended.look(time, contact_probability) and standing
        self.odometry_reset = self._resets.look(time)
        frozen = state is not None and self._repeats.look(time, numbers_of(state), moving=moving)
        self.frozen_since = self._repeats.since if frozen else None
        return None if frozen else state
