# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.law import FAILED


def test_a_failed_answer_cannot_be_taken_for_one() -> None:
    result = ControlResult.failed()
    assert result.status == FAILED
    assert not result.usable
    assert result.reason == "no solution"
    for part in (result.position, result.velocity, result.effort, result.force, result.base_acceleration, result.joint_acceleration):
        assert np.isnan(part).all()
