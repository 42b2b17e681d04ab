# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.every_nth import EveryNth
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.robot.model import RobotModel


class Counting:
    """A controller that counts its ticks and remembers the periods it was told; it fails when told to."""

    def __init__(self, failing: tuple[int, ...] = ()) -> None:
        self.periods: list[float] = []
        self._failing = failing

    def control(self, _terms: object, _plan: object, _state: object, dt: float) -> ControlResult:
        self.periods.append(dt)
        if len(self.periods) in self._failing:
            raise RuntimeError("broken")
        joints = np.full(12, float(len(self.periods)))
        return ControlResult(joints, joints, joints, np.zeros((4, 3)), np.zeros(6), joints, SOLVED)


def run(controller: EveryNth, ticks: int) -> list[float]:
    """The first torque of each tick, NaN where the controller raised."""
    torques = []
    for _ in range(ticks):
        try:
            torques.append(float(controller.control(None, None, None, 0.004).effort[0]))  # type: ignore[arg-type]
        except RuntimeError:
            torques.append(np.nan)
    return torques


@pytest.mark.parametrize("ticks", [1, 2, 3, 5])
def test_it_runs_every_nth_tick_and_holds_in_between(ticks: int) -> None:
    slow = Counting()
    assert run(EveryNth(slow, ticks), 15) == [1.0 + k // ticks for k in range(15)]
    assert slow.periods == pytest.approx([0.004 * ticks] * -(-15 // ticks))


def test_a_failure_is_not_held(hyq: RobotModel) -> None:
    np.testing.assert_array_equal(run(EveryNth(Counting(failing=(2,)), 3), 9), [1, 1, 1, np.nan, 3, 3, 3, 4, 4])


def test_less_than_every_tick_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="every 0-th tick"):
        EveryNth(Counting(), 0)
