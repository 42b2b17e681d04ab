# SPDX-License-Identifier: Apache-2.0
"""What an IMU says about itself: what it does not measure, and in whose axes it speaks."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

NOT_MEASURED = -1.0
"""First covariance of what an IMU does not measure, and says as zeros (REP-145)."""


def not_measured(what: str, covariance: Collection[float] | NDArray[np.float64]) -> str:
    """Words if a covariance, row by row, (9,), says that the numbers beside it are none; else empty. An empty one says nothing."""
    if not len(covariance) or next(iter(covariance)) != NOT_MEASURED:
        return ""
    return f"the IMU says of its {what} that it is not measured: its covariance begins with -1 (REP-145)"


class FrameDoubts:
    """Says once of each strange frame that an IMU speaks in it. Its numbers are believed: many drivers name a frame that nobody else knows.

    Args:
        imu_link: link in whose axes the IMU is believed to speak.
    """

    MOST = 8
    """Names that are remembered: a driver has one."""

    def __init__(self, imu_link: str) -> None:
        self._imu_link, self._known = imu_link, {"", imu_link}

    def said(self, frame: str) -> str:
        """Words on the frame of a sample, if there is something to say that was not said yet; else empty."""
        if frame in self._known or len(self._known) >= self.MOST:
            return ""
        self._known.add(frame)
        words = f"the IMU speaks in '{frame}', and is taken to mean the axes of '{self._imu_link}', sensors.imu_link of the robot"
        return f"{words}: they have to be the same; set its header.frame_id, or name its link in the robot's YAML"
