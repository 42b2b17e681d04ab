# SPDX-License-Identifier: Apache-2.0
"""An estimator that ends while the robot stands, and begins again above another origin. The ground, the joints and the bridge stay."""

from collections.abc import Callable

import numpy as np
import pytest

from surefoot.evaluation.faults.loop import FaultLoop
from surefoot.evaluation.faults.matrix import UP, illegal_command, lead_in
from surefoot.evaluation.faults.taps import Kind
from surefoot.robot.activity import Activity
from surefoot.servos.estimate import HELD
from surefoot.servos.modes import Mode, Request
from surefoot.servos.output import BridgeOutput
from surefoot.servos.unmet import NO_ESTIMATE


def until(loop: FaultLoop, over: Callable[[BridgeOutput], bool], most: float) -> list[BridgeOutput]:
    """What the bridge says until then, or for so many seconds; nothing illegal is among it."""
    begin, said = loop.time, []
    while loop.time < begin + most:
        output = loop.step()
        said.append(output)
        assert illegal_command(output.command, output.mode, loop.limits, loop.model.description.servos.safe_damping) == ""
        assert output.counters.get("exceptions", 0) == 0
        if over(output):
            break
    return said


def height(loop: FaultLoop) -> float:
    return float(loop.robot.truth().base_position[2])


@pytest.fixture
def arrived() -> FaultLoop:
    """A robot that walked somewhere, turned, and stands there."""
    loop = lead_in("hyq", 0, "walking")
    loop.twist = np.array((0.1, 0.0, 0.5))
    until(loop, lambda output: False, 2.0)
    loop.request, loop.twist = int(Request.STAND), np.zeros(3)
    loop.change_gait("stand", 0.02)
    until(loop, lambda output: False, 1.5)
    assert loop.output is not None
    assert (loop.output.mode, loop._activity) == (Mode.READY, Activity.STANDING)
    state = loop._estimator.state(loop.time)
    assert min(state.base_position[0], state.base_quaternion[2]) > 0.2, "another origin would show"
    return loop


@pytest.mark.parametrize("first_words", ["heard", "lost"])
def test_one_that_is_started_again_while_the_robot_stands_does_not_drop_it(arrived: FaultLoop, first_words: str) -> None:
    loop, before = arrived, height(arrived)
    joints = loop.robot.truth().joint_position.copy()
    loop.end_estimator()
    blind = until(loop, lambda output: False, 1.0)
    assert {output.mode for output in blind} == {Mode.READY}
    assert HELD in blind[-1].reason
    assert blind[-1].reason == blind[-100].reason, "one cause is told once"
    assert height(loop) > 0.97 * before
    assert np.abs(loop.robot.truth().joint_position - joints).max() < 0.05
    loop.request = int(Request.WALK)
    assert NO_ESTIMATE in loop.step().refused
    place = loop.robot.truth()
    loop.start_estimator()
    if first_words == "lost":
        # Who is found late is heard late: that it knows nothing yet, nobody hears.
        for name in ("robot_state", "base_attitude"):
            loop.taps[name].fail(Kind.OFF, loop.time)
        until(loop, lambda output: loop._estimator.state(loop.time).valid, 2.0)
        for name in ("robot_state", "base_attitude"):
            loop.taps[name].heal()
    after = until(loop, lambda output: HELD not in output.reason, 5.0)
    after += until(loop, lambda output: False, 2.0)
    assert {output.mode for output in after} == {Mode.READY}
    assert after[-1].counters["estimates_lost"] == 1
    assert HELD not in after[-1].reason
    assert loop._activity == Activity.STANDING, "under balance control"
    assert np.abs(loop._estimator.state(loop.time).base_position[:2]).max() < 0.1, "it counts from where it began"
    moved, turned = (getattr(loop.robot.truth(), name) - getattr(place, name) for name in ("base_position", "base_quaternion"))
    assert max(np.abs(moved).max(), np.abs(turned).max()) < 0.02, "it goes to no place of before"
    loop.request = int(Request.WALK)
    assert until(loop, lambda output: output.mode == Mode.WALKING, 0.1)[-1].mode == Mode.WALKING


def test_one_that_does_not_come_back_has_the_robot_lie_down(arrived: FaultLoop) -> None:
    loop, limit = arrived, arrived.settings.estimate_hold
    loop.end_estimator()
    said = until(loop, lambda output: output.mode == Mode.SITTING, limit + 8.0)
    assert list(dict.fromkeys(output.mode for output in said)) == [Mode.READY, Mode.SITTING_DOWN, Mode.SITTING]
    down = next(output for output in said if output.mode == Mode.SITTING_DOWN)
    assert down.reason.startswith("estimate lost: attitude: none for ")
    assert down.reason.endswith("limit 10.000 s; the robot lies down")
    assert height(loop) < UP * loop.model.description.stand_height


def test_one_that_ends_while_the_robot_walks_takes_the_torque_away() -> None:
    loop = lead_in("hyq", 0, "walking")
    loop.end_estimator()
    ended = until(loop, lambda output: output.mode != Mode.WALKING, 1.0)[-1]
    assert ended.mode == Mode.FAULT
    assert ended.reason.startswith("command stale")
