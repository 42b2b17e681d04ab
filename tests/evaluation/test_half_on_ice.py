# SPDX-License-Identifier: Apache-2.0
"""hyq with its front feet on ice and its hind feet on firm ground, stepping sideways along the edge."""

import numpy as np
import pytest

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.robot.model import RobotModel
from surefoot.terrain.world import GroundStrip, World

FIRM, ICE = 0.6, 0.05
WORLD = World(strips=(GroundStrip(start=0.0, end=50.0, friction=ICE),))


def believed(x: float) -> float:
    """Of the ground at an x of odom, somewhat less than there is."""
    return 0.8 * ICE if x > 0.0 else FIRM


def course(hyq: RobotModel, friction: object, gait: str, seconds: float, name: str = "compiled", perfect: bool = True) -> ClosedLoop:
    controller = None if name == "compiled" else ReferenceController(hyq, controller=name)
    loop = ClosedLoop(hyq, 1, WORLD, friction=friction, perfect_sensors=perfect, controller=controller)  # type: ignore[arg-type]
    loop.run(0.5)
    if gait != "stand":
        loop.change_gait(gait)
    loop.run(seconds, (0.0, 0.1, 0.0))
    return loop


def feet_on_ice_moved(hyq: RobotModel, loop: ClosedLoop) -> float:
    """How far forward or back a front foot went, m; the robot hardly turns."""
    truths = loop.course.truth[5], loop.course.truth[-1]
    first, last = (truth.base_position[0] + hyq.feet_in_base(truth.joint_position)[:2, 0] for truth in truths)
    return float(np.abs(last - first).max())


def off_course(loop: ClosedLoop) -> float:
    """How far the base went forward or back, m, though it was asked to go sideways."""
    return abs(float(loop.course.truth[-1].base_position[0]))


@pytest.mark.parametrize("name", ["compiled", "two_stage_qp"])
def test_feet_that_are_known_to_stand_on_ice_do_not_slip_and_others_hold(hyq: RobotModel, name: str) -> None:
    assert feet_on_ice_moved(hyq, course(hyq, believed, "stand", 1.0, name)) < 0.005
    # The control: one friction for all feet, that of the firm ones.
    assert feet_on_ice_moved(hyq, course(hyq, FIRM, "stand", 1.0, name)) > 0.05


@pytest.mark.parametrize("gait", ["walk", "trot"])
def test_walking_with_two_feet_on_ice(hyq: RobotModel, gait: str) -> None:
    loop = course(hyq, believed, gait, 2.0)
    assert not loop.fallen
    assert loop.failures == 0
    assert loop.course.truth[-1].base_position[1] == pytest.approx(0.2, abs=0.06)
    assert off_course(loop) < 0.03
    # The control: taken for firm everywhere.
    control = course(hyq, FIRM, gait, 2.0)
    assert control.fallen or off_course(control) > 0.06


def test_what_feet_have_shown_of_their_friction_is_enough(hyq: RobotModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """The policy takes the ground for firm everywhere, until the estimator sees feet slip."""
    loop = course(hyq, FIRM, "trot", 2.0, perfect=False)
    assert not loop.fallen
    shown = np.array([estimate.foot_friction for estimate in loop.course.estimate])
    # What a foot has shown is dropped once it has held at more.
    assert (np.nanmin(shown[:, :2], axis=0) < 0.2).all()
    plan = loop.planning.plan_record["friction"][0]
    np.testing.assert_array_equal(plan, np.fmin(FIRM, shown[-1]))
    monkeypatch.setattr("surefoot.estimation.output.believed_friction", lambda *_: np.full(4, np.nan))
    assert course(hyq, FIRM, "trot", 6.0, perfect=False).fallen
