# SPDX-License-Identifier: Apache-2.0
"""Laws of general multi-bodies walk the robots in the simulator, with noise, delay and the estimator."""

import numpy as np
import pytest

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.inverse_dynamics.guarded import GuardedController
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.inverse_dynamics.selector import make_controller
from surefoot.robot.model import RobotModel
from surefoot.rotation import roll_pitch_yaw


@pytest.mark.parametrize("name", ["two_stage_qp_no_slip", "inverse_contact", "coulomb_lcp", "no_slip_lcp", "orthogonal_decomposition"])
def test_hyq_trots_by_every_law(hyq: RobotModel, name: str) -> None:
    guard = GuardedController(hyq, make_controller(name, hyq))
    loop = ClosedLoop(hyq, seed=1, controller=ReferenceController(hyq, controller=guard))
    loop.run(1.0)
    loop.change_gait("trot")
    loop.run(1.5, (0.3, 0.0, 0.0))
    begin = loop.course.truth[-1]
    loop.run(0.5, (0.3, 0.0, 0.0))
    assert not loop.fallen
    assert loop.failures == 0
    moved = loop.course.truth[-1].base_position - begin.base_position
    assert moved[0] == pytest.approx(0.15, rel=0.15)
    angles = np.array([roll_pitch_yaw(sample.base_quaternion)[:2] for sample in loop.course.truth])
    assert np.abs(angles).max() < 0.05
