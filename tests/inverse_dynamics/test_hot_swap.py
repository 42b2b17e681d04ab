# SPDX-License-Identifier: Apache-2.0
"""Another controller in mid-stride: no joint torque jumps, and the robot walks on."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.hot_swap import HotSwapController, TorqueStep
from surefoot.inverse_dynamics.law import FAILED, SOLVED
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.robot.model import RobotModel

PERIOD = 0.004


class Constant:
    """A controller that always gives the same."""

    def __init__(self, model: RobotModel, effort: np.ndarray, shift: float = 0.0, status: int = SOLVED) -> None:
        position, zero = model.stand_joint_position + shift, np.zeros(12)
        self.answer = ControlResult(position, zero, effort, np.zeros((4, 3)), np.zeros(6), zero, status)

    def control(self, *_: object) -> ControlResult:
        return self.answer


def drive(model: RobotModel, result: ControlResult) -> np.ndarray:
    """What of the servos' torques a command decides."""
    servos = model.description.servos
    return result.effort + servos.stiffness * result.position + servos.damping * result.velocity


@pytest.mark.parametrize("step", [TorqueStep(per_tick=4.0), TorqueStep(per_second=1000.0)])
def test_a_swap_goes_in_bounded_steps_and_arrives(hyq: RobotModel, stand, terms_of, step: TorqueStep) -> None:
    plan, state = stand()
    arguments = terms_of(state[0]), plan[0], state[0], PERIOD
    swap = HotSwapController(hyq, "two_stage_qp", step=step)
    swap.put(Constant(hyq, np.linspace(-100.0, 100.0, 12)), "old")
    last = swap.control(*arguments)
    new = Constant(hyq, np.linspace(90.0, -120.0, 12), shift=0.05)
    swap.put(new, "new")
    ticks = 0
    while True:
        result = swap.control(*arguments)
        ticks += 1
        change = np.abs(drive(hyq, result) - drive(hyq, last))
        assert change.max() <= 4.0 * (1.0 + 1e-9)
        assert (np.abs(result.effort) <= hyq.effort_limit).all()
        last = result
        if not swap.blending:
            break
    assert swap.name == "new"
    np.testing.assert_allclose(result.effort, new.answer.effort, atol=1e-9)
    np.testing.assert_allclose(result.position, new.answer.position, atol=1e-12)
    assert ticks == int(np.ceil(np.abs(drive(hyq, new.answer) - drive(hyq, Constant(hyq, np.linspace(-100, 100, 12)).answer)).max() / 4.0))


def test_without_a_swap_nothing_is_touched(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    plain = ReferenceController(hyq).tick(plan[0], state[0], PERIOD)
    swap = HotSwapController(hyq, "two_stage_qp")
    np.testing.assert_array_equal(swap.control(terms_of(state[0]), plan[0], state[0], PERIOD).effort, plain.effort)


@pytest.mark.parametrize("bad", ["failed", "nan"])
def test_a_new_controller_without_answers_leaves_the_way_as_it_was(hyq: RobotModel, stand, terms_of, bad: str) -> None:
    plan, state = stand()
    arguments = terms_of(state[0]), plan[0], state[0], PERIOD
    swap = HotSwapController(hyq, "two_stage_qp", step=TorqueStep(per_tick=1.0))
    before = swap.control(*arguments)
    new = Constant(hyq, np.full(12, 100.0))
    working = new.answer
    new.answer = ControlResult.failed() if bad == "failed" else replace(working, effort=np.full(12, np.nan))
    swap.put(new, "new")
    assert not np.isfinite(swap.control(*arguments).effort).any()
    new.answer = working
    after = swap.control(*arguments)
    assert np.abs(drive(hyq, after) - drive(hyq, before)).max() <= 1.0 + 1e-9


def test_an_unknown_name_leaves_the_controller_in_force(hyq: RobotModel) -> None:
    swap = HotSwapController(hyq, "two_stage_qp")
    with pytest.raises(UnknownNameError):
        swap.swap("no_such_controller")
    assert swap.name == "two_stage_qp"
    assert not swap.blending


@pytest.mark.parametrize("values", [{}, {"per_tick": 1.0, "per_second": 1.0}, {"per_tick": 0.0}, {"per_second": float("nan")}])
def test_a_bound_that_is_none_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match="torque step"):
        TorqueStep(**values)


def test_swaps_in_mid_trot(hyq: RobotModel) -> None:
    bound, drives = 5.0, []
    swap = HotSwapController(hyq, "two_stage_qp", step=TorqueStep(per_tick=bound))

    class Watched:
        def control(self, *arguments) -> ControlResult:  # type: ignore[no-untyped-def]
            on_the_way = swap.on_the_way
            result = swap.control(*arguments)
            drives.append((on_the_way, drive(hyq, result)))
            return result

    loop = ClosedLoop(hyq, seed=1, perfect_sensors=True, controller=ReferenceController(hyq, controller=Watched()))
    loop.run(0.5)
    loop.change_gait("trot")
    for name, every in (("whole_body_qp", 1), ("joint_pid", 1), ("two_stage_qp", 2), ("whole_body_qp", 1)):
        loop.run(0.41, (0.3, 0.0, 0.0))
        swap.swap(name, every)
    loop.run(0.6, (0.3, 0.0, 0.0))
    assert not loop.fallen
    assert loop.failures == 0
    assert not swap.blending
    steps = np.concatenate([np.abs(now - before)[on_the_way] for (_, before), (on_the_way, now) in pairwise(drives)])
    assert len(steps) >= 4 * 12
    assert steps.max() <= bound * (1.0 + 1e-9)


def test_a_failed_answer_stays_one(hyq: RobotModel, stand, terms_of) -> None:
    plan, state = stand()
    swap = HotSwapController(hyq, "two_stage_qp")
    swap.put(Constant(hyq, np.full(12, np.nan), status=FAILED), "broken")
    assert swap.control(terms_of(state[0]), plan[0], state[0], PERIOD).status == FAILED
