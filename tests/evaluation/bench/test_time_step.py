# SPDX-License-Identifier: Apache-2.0
from surefoot.evaluation.bench.time_step import time_step_errors
from surefoot.robot.model import RobotModel


def test_the_step_of_the_traces_errs_less_than_the_cloud_spreads(hyq: RobotModel) -> None:
    result = time_step_errors(hyq, 2e-3, particles=8, steps=(2e-3,))
    (chosen,) = result.errors
    assert chosen.time_step == 2e-3
    assert result.particles == 8
    for error, spread in ((chosen.error.position_m, result.spread.position_m), (chosen.error.angle_rad, result.spread.angle_rad)):
        assert len(error) == len(spread) == len(result.moments) == 2
        assert all(0.0 < one < 0.3 * other for one, other in zip(error, spread, strict=True))
