# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.every_nth import EveryNth
from surefoot.inverse_dynamics.guarded import Fault, GuardedController
from surefoot.inverse_dynamics.law import HELD, SOLVED
from surefoot.inverse_dynamics.time_limited import TimeLimited
from surefoot.robot.model import RobotModel

PERIOD = 0.004


class Counting:
    """Answers with a torque of 1, 2, 3, ... N m."""

    def __init__(self, model: RobotModel) -> None:
        self._model, self._count = model, 0

    def control(self, *_: object) -> ControlResult:
        self._count += 1
        zeros = np.zeros(12)
        return ControlResult(
            self._model.stand_joint_position, zeros, np.full(12, float(self._count)), np.zeros((4, 3)), np.zeros(6), zeros, SOLVED
        )


def answers(model: RobotModel, arguments: tuple, taken: list[float], every: int) -> tuple[list[tuple[int, float]], list]:
    """Status and torque of one tick after another, with the wall time that each call of the controller takes, s; what was told."""
    clock = iter([time for start, length in enumerate(taken) for time in (float(start), start + length)])
    told: list[tuple[Fault, str]] = []
    limited = TimeLimited(Counting(model), 0.008, lambda: next(clock))
    guard = GuardedController(model, EveryNth(limited, every), report=lambda fault, text: told.append((fault, text)))
    results = [guard.control(*arguments) for _ in range(5)]
    return [(result.status, result.effort[0]) for result in results], told


def test_an_answer_that_comes_too_late_is_none(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    arguments = terms_of(state[0]), plan[0], state[0], PERIOD
    given, told = answers(hyq, arguments, [0.001, 0.009, 0.001, 0.001, 0.001], 1)
    assert given == [(SOLVED, 1.0), (HELD, 1.0), (SOLVED, 3.0), (SOLVED, 4.0), (SOLVED, 5.0)]
    assert told == [(Fault.TIME_OUT, "took 9.0 ms, 8.0 ms are allowed")]


def test_a_late_answer_is_not_repeated_as_if_it_were_fresh(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    arguments = terms_of(state[0]), plan[0], state[0], PERIOD
    given, _ = answers(hyq, arguments, [0.001, 0.009, 0.001], 2)
    assert given == [(SOLVED, 1.0), (SOLVED, 1.0), (HELD, 1.0), (SOLVED, 3.0), (SOLVED, 3.0)]


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan")])
def test_a_time_limit_that_nothing_meets_is_refused(hyq: RobotModel, limit: float) -> None:
    with pytest.raises(ConfigurationError, match="time limit"):
        TimeLimited(Counting(hyq), limit)
