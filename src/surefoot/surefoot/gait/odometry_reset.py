# SPDX-License-Identifier: Apache-2.0
"""Whether odometry may have been reset, to count from another origin: an estimator that is started again knows nothing of where it was."""

import math

AFTER = 0.1
"""s without a state after which the next may be that of another estimator. The bridge has not followed a plan for long by then."""


class OdometryResetWatch:
    """Follows the times of states."""

    def __init__(self) -> None:
        self._time = math.inf

    def look(self, time: float) -> bool:
        """Take in the time of a state, s, and say whether what was planned before it is void."""
        before, self._time = self._time, time
        return time - before > AFTER
