# SPDX-License-Identifier: Apache-2.0
"""Which controller drives, and how another one takes over."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.settings import PlannerSettings
from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.inverse_dynamics.guarded import Fault
from surefoot.inverse_dynamics.hot_swap import SHARE_PER_SECOND
from surefoot.inverse_dynamics.selector import controller_names, make_controller, reason_against_hardware
from surefoot.locomotion import control as control_module
from surefoot.locomotion.control import SelectedControl
from surefoot.locomotion.laws import COMPILED, LAW_OF
from surefoot.locomotion.policy import Controlling, Planning
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState

FIELDS = ("position", "velocity", "effort", "force", "base_acceleration", "joint_acceleration")


@pytest.fixture(scope="module")
def walked(hyq: RobotModel) -> ClosedLoop:
    """A robot that trots by the compiled law."""
    loop = ClosedLoop(hyq, 3, perfect_sensors=True)
    loop.run(0.5)
    loop.change_gait("trot")
    return loop


@pytest.fixture
def ticks(hyq: RobotModel, walked: ClosedLoop) -> list[tuple[np.ndarray, object]]:
    """Plans and states of a trot, tick by tick."""
    result, begin = [], len(walked.course.estimate)
    for _ in range(150):
        walked.run(walked.robot.period, (0.2, 0.0, 0.0))
        result.append(walked.planning.plan_record.copy())
    return list(zip(result, walked.course.estimate[begin:], strict=True))


def same(left: ControlResult, right: ControlResult) -> bool:
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in FIELDS)


def test_the_compiled_law_drives_as_it_does_alone(hyq: RobotModel, ticks: list) -> None:
    control, alone = SelectedControl(hyq), Controlling(hyq)
    for plan, state in ticks[:20]:
        result, record = control.tick(plan, state), alone.tick(plan, state)[0]
        np.testing.assert_array_equal(result.effort, record["effort"].ravel())
        np.testing.assert_array_equal(result.force, record["force"])


def test_a_result_is_not_overwritten_by_the_next_tick(hyq: RobotModel, ticks: list) -> None:
    control = SelectedControl(hyq)
    first = control.tick(*ticks[0])
    kept = first.effort.copy()
    control.tick(*ticks[40])
    np.testing.assert_array_equal(first.effort, kept)


@pytest.mark.parametrize("name", ["whole_body_qp", "joint_pid", "two_stage_qp", "orthogonal_decomposition"])
def test_a_swap_takes_over_and_goes_back_in_bounded_steps(hyq: RobotModel, ticks: list, name: str) -> None:
    control, bound = SelectedControl(hyq, hardware=False), SHARE_PER_SECOND * float(hyq.effort_limit.min()) / hyq.description.control.rate
    servos = hyq.description.servos
    last, on_the_way = None, None
    for number, (plan, state) in enumerate(ticks):
        if number == 20:
            control.swap(name)
        if number == 90:
            control.swap(COMPILED)
        result = control.tick(plan, state)
        assert result.usable, number
        drive = result.effort + servos.stiffness * result.position + servos.damping * result.velocity
        swapping = control._swapping
        if last is not None and swapping is not None and on_the_way is not None:
            assert np.abs(drive - last)[on_the_way & swapping.on_the_way].max(initial=0.0) <= bound * (1.0 + 1e-9)
        last, on_the_way = drive, None if swapping is None else swapping.on_the_way.copy()
    assert control.name == COMPILED
    plan, state = ticks[-1]
    assert same(control.tick(plan, state), SelectedControl(hyq).tick(plan, state))


def test_a_controller_that_is_not_there_leaves_the_one_that_is(hyq: RobotModel, ticks: list) -> None:
    control = SelectedControl(hyq)
    with pytest.raises(UnknownNameError, match=r"unknown controller 'joint_pit'; did you mean 'joint_pid'.*compiled"):
        control.swap("joint_pit")
    assert control.name == COMPILED
    assert control.tick(*ticks[0]).usable
    with pytest.raises(UnknownNameError):
        SelectedControl(hyq, "nobody")


def test_what_is_for_simulation_only_is_refused_on_hardware(hyq: RobotModel) -> None:
    with pytest.raises(ConfigurationError, match="coulomb_lcp"):
        SelectedControl(hyq).swap("coulomb_lcp")
    assert SelectedControl(hyq, "coulomb_lcp", hardware=False).name == "coulomb_lcp"


def test_feedback_comes_on_top_of_any_controller_and_no_trace_speaks_for_it(hyq: RobotModel, ticks: list) -> None:
    plan, state = ticks[-1]
    alone, helped = (SelectedControl(hyq, name).tick(plan, state) for name in ("compiled", "compiled+stabiliser"))
    assert helped.usable
    assert np.abs(helped.effort - alone.effort).max() > 1e-3
    assert "compiled+stabiliser" not in LAW_OF
    with pytest.raises(UnknownNameError, match="unknown feedback 'stabilizer'"):
        SelectedControl(hyq).swap("joint_pid+stabilizer")


def test_faults_of_a_readable_controller_are_held_and_reported(hyq: RobotModel, ticks: list, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[Fault, str]] = []
    control = SelectedControl(hyq, "two_stage_qp", report=lambda fault, text: told.append((fault, text)))
    before = control.tick(*ticks[0])

    def breaks(*_: object) -> ControlResult:
        raise ArithmeticError("no more")

    monkeypatch.setattr("surefoot.inverse_dynamics.prescribed_motion.PrescribedMotion.control", breaks)
    answers = [control.tick(plan, state) for plan, state in ticks[1:6]]
    assert [answer.usable for answer in answers] == [True, True, True, False, False]
    np.testing.assert_array_equal(answers[0].effort, before.effort)
    assert told[0] == (Fault.EXCEPTION, "ArithmeticError: no more")


def test_traces_speak_for_the_compiled_laws_in_both_forms_only() -> None:
    assert set(SelectedControl.names()) > set(LAW_OF)
    assert "whole_body_qp" not in LAW_OF


def test_a_plan_that_cannot_be_read_has_no_answer(hyq: RobotModel) -> None:
    planning = Planning(hyq, gaits_of(hyq), PlannerSettings())
    planning.start(hyq.neutral())
    planning.tick(hyq.neutral(), np.zeros(3), 0.5)
    plan = planning.plan_record.copy()
    plan["base_position"][0, 0] = np.nan
    for name in (COMPILED, "two_stage_qp"):
        result = SelectedControl(hyq, name).tick(plan, hyq.neutral())
        assert not result.usable
        assert np.isnan(result.effort).all()


def test_a_slow_controller_is_asked_now_and_then(hyq: RobotModel, ticks: list) -> None:
    control = SelectedControl(hyq, "two_stage_qp", every=3)
    efforts = [control.tick(plan, state).effort for plan, state in ticks[:7]]
    again = [np.array_equal(left, right) for left, right in pairwise(efforts)]
    assert again == [True, True, False, True, True, False]


def test_a_controller_that_never_runs_is_refused(hyq: RobotModel) -> None:
    with pytest.raises(ConfigurationError, match="0-th"):
        SelectedControl(hyq, every=0)


def later(state: RobotState, seconds: float) -> RobotState:
    return replace(state, time=state.time + seconds)


def test_two_swaps_in_one_tick_begin_from_the_torques_in_force(hyq: RobotModel, ticks: list) -> None:
    control, alone = SelectedControl(hyq), SelectedControl(hyq)
    control.tick(*ticks[0])
    control.swap("whole_body_qp")
    control.swap("joint_pid")
    first = control.tick(*ticks[1])
    np.testing.assert_allclose(first.effort, alone.tick(*ticks[1]).effort, atol=1e-6 * float(hyq.effort_limit.max()))
    bound = SHARE_PER_SECOND * float(hyq.effort_limit.min()) / hyq.description.control.rate
    servos = hyq.description.servos
    drives = [
        result.effort + servos.stiffness * result.position + servos.damping * result.velocity
        for result in (first, control.tick(*ticks[2]))
    ]
    assert control._swapping is not None
    on_the_way = control._swapping.on_the_way
    assert on_the_way.any()
    assert np.abs(drives[1] - drives[0])[on_the_way].max() <= bound * (1.0 + 1e-9)
    assert control.name == "joint_pid"


def test_after_a_pause_nothing_old_is_repeated(hyq: RobotModel, ticks: list) -> None:
    control = SelectedControl(hyq, "two_stage_qp", every=5)
    plan, state = ticks[0]
    old = control.tick(plan, state)
    (plan, state), fresh = ticks[60], SelectedControl(hyq, "two_stage_qp", every=5)
    resumed = control.tick(plan, later(state, 5.0))
    np.testing.assert_array_equal(resumed.effort, fresh.tick(plan, later(state, 5.0)).effort)
    assert not np.array_equal(resumed.effort, old.effort)


def test_a_swap_that_a_pause_interrupts_is_made(hyq: RobotModel, ticks: list) -> None:
    control = SelectedControl(hyq)
    control.tick(*ticks[0])
    control.swap("whole_body_qp")
    plan, state = ticks[5]
    result = control.tick(plan, later(state, 3.0))
    assert result.usable
    assert control.name == "whole_body_qp"
    assert control._swapping is not None
    assert not control._swapping.blending


def test_every_controller_that_may_drive_is_asked_before_one_has_to_be(
    hyq: RobotModel, ticks: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = set()

    def asking(name: str, *arguments: object, **words: object) -> Controller:
        made = make_controller(name, *arguments, **words)  # type: ignore[arg-type]

        class Asked:
            def control(self, *inputs: object) -> ControlResult:
                asked.add(name)
                return made.control(*inputs)  # type: ignore[arg-type]

        return Asked()

    monkeypatch.setattr(control_module, "make_controller", asking)
    control = SelectedControl(hyq, hardware=True)
    control.warm_up(others=True)
    assert asked == {name for name in controller_names() if reason_against_hardware(name) is None}
    assert same(control.tick(*ticks[0]), SelectedControl(hyq).tick(*ticks[0]))
