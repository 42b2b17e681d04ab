# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.evaluation.bench.rehearsal import walking_snapshot
from surefoot.robot.model import RobotModel


def test_a_walk_that_starts_on_a_slope_has_come_onto_it_and_knows_it(hyq: RobotModel) -> None:
    snapshot = walking_snapshot(hyq, "walk", "trot", (0.3, 0.0, 0.0), 0, 1.0, slope=0.15)
    assert snapshot.planner["ground_slope"][0] == pytest.approx((0.15, 0.0), abs=0.03)
    assert snapshot.planner["ground_height"][0] > 0.05
    assert (snapshot.gait_from.name, snapshot.gait_to.name) == ("walk", "trot")
    assert snapshot.command[0] == pytest.approx(0.3)
