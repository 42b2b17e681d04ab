# SPDX-License-Identifier: Apache-2.0
"""Where four feet leave the forces undetermined, Stage II keeps the torques small and steady [Zapolsky and Drumwright 2016, sec. 6.3]."""

import numpy as np
import pytest

from surefoot.evaluation.bench.inverse_dynamics import standing
from surefoot.inverse_dynamics.controller import Controller
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.inverse_dynamics.multibody_two_stage import MultibodyTwoStage
from surefoot.inverse_dynamics.prescribed_motion import PrescribedMotion
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.inverse_dynamics.robot_law import RobotLaw
from surefoot.robot.model import RobotModel

TICKS = 60


def torques(model: RobotModel, controller: Controller | str) -> np.ndarray:
    """Of ticks in a stand whose state is disturbed anew at each of them, (TICKS, 12)."""
    plan, states = standing(model, TICKS, seed=0)
    driving, period = ReferenceController(model, controller=controller), 1.0 / model.description.control.rate
    results = [driving.tick(plan[0], states[k], period) for k in range(TICKS)]
    assert all(result.status == SOLVED for result in results)
    return np.array([result.effort for result in results])


@pytest.mark.parametrize("slips", [True, False])
@pytest.mark.parametrize("robot", ["hyq", "links"])
def test_the_second_stage_steadies_the_torques(robot: str, slips: bool, request: pytest.FixtureRequest) -> None:
    model: RobotModel = request.getfixturevalue(robot)
    one, two = (
        torques(model, PrescribedMotion(model, model.description.control, RobotLaw(MultibodyTwoStage(slips=slips, second_stage=second))))
        for second in (False, True)
    )
    assert 10.0 * np.abs(np.diff(two, axis=0)).mean() < np.abs(np.diff(one, axis=0)).mean()
    assert (np.linalg.norm(two, axis=1) <= np.linalg.norm(one, axis=1) * (1.0 + 1e-9)).all()


def test_the_law_of_the_robot_and_the_general_one_agree_there(hyq: RobotModel) -> None:
    general = torques(hyq, PrescribedMotion(hyq, hyq.description.control, RobotLaw(MultibodyTwoStage())))
    np.testing.assert_allclose(torques(hyq, "two_stage_qp"), general, atol=1e-5 * float(hyq.effort_limit.max()))
