# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.inverse_dynamics.law import FAILED
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.robot.model import GRAVITY, RobotModel


@pytest.mark.parametrize("name", ["two_stage_qp_no_slip", "no_slip_lcp", "coulomb_lcp", "orthogonal_decomposition", "inverse_contact"])
def test_hyq_stands_by_every_law(name: str, hyq: RobotModel, stand) -> None:
    plan, state = stand()
    controller = ReferenceController(hyq, controller=name)
    for _ in range(3):
        result = controller.tick(plan[0], state[0], 0.004)
        assert result.status != FAILED
        weight = hyq.total_mass * GRAVITY
        np.testing.assert_allclose(result.force.sum(axis=0), (0.0, 0.0, weight), atol=0.01 * weight)
        assert np.abs(result.base_acceleration).max() < 0.1
