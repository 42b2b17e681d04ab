# SPDX-License-Identifier: Apache-2.0
"""Whatever a controller does, what comes out of the guard may be sent to the servos or says that there is nothing to send."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.guarded import Fault, GuardedController
from surefoot.inverse_dynamics.law import FAILED, HELD, SOLVED
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.inverse_dynamics.selector import make_controller
from surefoot.robot.model import RobotModel

PERIOD = 0.004


class Scripted:
    """A controller whose answers, or exceptions, are given one a tick."""

    def __init__(self, *answers: ControlResult | Exception) -> None:
        self._answers = list(answers)

    def control(self, *_: object) -> ControlResult:
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def good(model: RobotModel, effort: float = 10.0) -> ControlResult:
    torque = np.full(12, effort)
    return ControlResult(model.stand_joint_position, np.zeros(12), torque, np.zeros((4, 3)), np.zeros(6), np.zeros(12), SOLVED)


BAD: dict[str, tuple[Callable[[ControlResult], ControlResult | Exception], Fault]] = {
    "failed": (lambda result: ControlResult.failed(), Fault.FAILED),
    "unknown status": (lambda result: replace(result, status=17), Fault.FAILED),
    "NaN torque": (lambda result: replace(result, effort=np.where(np.arange(12) == 5, np.nan, result.effort)), Fault.NOT_FINITE),
    "infinite position": (lambda result: replace(result, position=np.full(12, np.inf)), Fault.NOT_FINITE),
    "wrong shape": (lambda result: replace(result, velocity=np.zeros(11)), Fault.NOT_FINITE),
    "too much": (lambda result: replace(result, effort=np.full(12, 151.0)), Fault.OUT_OF_LIMITS),
    "exception": (lambda result: RuntimeError("the solver broke"), Fault.EXCEPTION),
    "time-out": (lambda result: TimeoutError("50 ms"), Fault.TIME_OUT),
    "no answer at all": (lambda result: None, Fault.EXCEPTION),  # type: ignore[dict-item, return-value]
}


@pytest.mark.parametrize("name", BAD)
def test_a_fault_holds_the_last_answer_a_few_ticks_then_there_is_none(hyq: RobotModel, stand, terms_of, name: str) -> None:
    plan, state = stand()
    arguments = terms_of(state[0]), plan[0], state[0], PERIOD
    spoil, kind = BAD[name]
    first, later = good(hyq), good(hyq, 20.0)
    told: list[tuple[Fault, str]] = []
    script = Scripted(first, *[spoil(first)] * 5, later, spoil(first))
    guard = GuardedController(hyq, script, hold_ticks=3, report=lambda fault, text: told.append((fault, text)))
    assert guard.control(*arguments) is first
    for _ in range(3):
        held = guard.control(*arguments)
        assert held.status == HELD
        assert held.usable
        np.testing.assert_array_equal(held.effort, first.effort)
    for _ in range(2):
        nothing = guard.control(*arguments)
        assert nothing.status == FAILED
        assert np.isnan(nothing.effort).all()
    assert guard.control(*arguments) is later
    np.testing.assert_array_equal(guard.control(*arguments).effort, later.effort)
    assert guard.faults == {kind: 6}
    assert guard.held == 4
    # One line for every row of faults.
    assert [fault for fault, _ in told] == [kind, kind]


def test_nothing_is_held_before_there_was_an_answer(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    guard = GuardedController(hyq, Scripted(ControlResult.failed(), good(hyq)))
    assert guard.control(terms_of(state[0]), plan[0], state[0], PERIOD).status == FAILED
    assert guard.control(terms_of(state[0]), plan[0], state[0], PERIOD).status == SOLVED


def test_every_other_tick_may_fail_for_ever(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    guard = GuardedController(hyq, Scripted(*[good(hyq), ValueError("now and then")] * 50))
    answers = [guard.control(terms_of(state[0]), plan[0], state[0], PERIOD) for _ in range(100)]
    assert all(answer.usable for answer in answers)
    assert guard.faults[Fault.EXCEPTION] == 50


def test_a_held_answer_that_failed_for_long_does_not_come_back(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    guard = GuardedController(hyq, Scripted(good(hyq), *[ControlResult.failed()] * 10), hold_ticks=2)
    statuses = [guard.control(terms_of(state[0]), plan[0], state[0], PERIOD).status for _ in range(11)]
    assert statuses == [SOLVED, HELD, HELD, *[FAILED] * 8]


def test_hold_ticks_below_zero_are_refused(hyq: RobotModel) -> None:
    with pytest.raises(ConfigurationError, match="hold_ticks is -1"):
        GuardedController(hyq, Scripted(), hold_ticks=-1)


def test_a_trot_goes_on_over_a_controller_that_fails_now_and_then(hyq: RobotModel) -> None:
    random, inner = np.random.default_rng(2), make_controller("whole_body_qp", hyq)

    class Flaky:
        def control(self, *arguments) -> ControlResult:  # type: ignore[no-untyped-def]
            if random.random() < 0.1:
                raise TimeoutError("the solver slept")
            return inner.control(*arguments)

    guard = GuardedController(hyq, Flaky(), hold_ticks=5)
    loop = ClosedLoop(hyq, seed=1, perfect_sensors=True, controller=ReferenceController(hyq, controller=guard))
    loop.run(0.5)
    loop.change_gait("trot")
    loop.run(1.5, (0.3, 0.0, 0.0))
    assert not loop.fallen
    assert guard.faults[Fault.TIME_OUT] == guard.held > 30
    assert loop.failures == 0
