# SPDX-License-Identifier: Apache-2.0
"""For how long legs and IMU have contradicted each other, by what the filter does not say itself.

Whether a foot is in contact is judged by its motion too, and its motion is the filter's own velocity. Once that is wrong by metres a
second, every foot that bears load seems to swing: none is in contact, none is left out, and nothing is corrected any more. So here a foot
that bears load by its force sensor or its torques, whatever it seems to do and wherever the ground seems to be, is asked for as well: where
there are some, and not one of any is used, legs and IMU disagree. One that is used is enough for the contrary: the sensor of another may
be stuck, and feet come down and slide one after the other. But an estimate that is wrong passes through right ones, and the next foot may
fit for a moment: one that fits does not make all of it good.
"""

from typing import Any

from surefoot.compilation import compiled


@compiled
def note_disagreement(state: Any, parameters: Any, disagree: bool, agree: bool, step: float) -> None:
    """Count the time, in place.

    Agreement counts twice; a sample that says neither, as when a sensor says nothing of a foot for a moment or the robot is in the air,
    takes as much time off as it lasts. However long it was, after rejection_time of agreement it is forgiven.

    Args:
        state: record of FILTER_STATE; its disagreed_for changes.
        parameters: record of FILTER_PARAMETERS.
        disagree: whether feet bear load and none is used, or rest is contradicted.
        agree: whether a foot is used.
        step: since the last sample of the joints, s.
    """
    limit = parameters.rejection_time
    if disagree:
        state.disagreed_for += step
    elif agree:
        state.disagreed_for = max(0.0, min(state.disagreed_for, 3.0 * limit) - 2.0 * step)
    else:
        state.disagreed_for = max(0.0, state.disagreed_for - step)
