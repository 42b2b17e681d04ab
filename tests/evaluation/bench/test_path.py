# SPDX-License-Identifier: Apache-2.0
"""A lap of a figure of eight."""

import math

import numpy as np
import pytest

from surefoot.evaluation.bench import path
from surefoot.evaluation.bench.path import SLENDERNESS, lay_path
from surefoot.gait.path import figure_eight


@pytest.mark.parametrize("yaw", [0.0, 2.0])
def test_the_path_begins_where_the_robot_is_and_where_it_looks(yaw: float) -> None:
    eight = figure_eight(2.0, 2.0 * SLENDERNESS)
    laid = lay_path(eight, np.array((3.0, 1.0)), yaw)
    assert laid[0] == pytest.approx((3.0, 1.0))
    assert math.atan2(*(laid[1] - laid[0])[::-1]) == pytest.approx(yaw)
    # It was turned and moved, not bent.
    assert np.linalg.norm(laid - laid[0], axis=1) == pytest.approx(np.linalg.norm(eight - eight[0], axis=1))


def test_a_trot_keeps_to_it_and_a_lap_that_is_not_finished_is_not_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path, "PATIENCE", 0.25)
    trial = path.run_lap("hyq", "trot", 0)
    assert not trial.fell
    assert 0.0 < trial.error < 0.05
    assert trial.drift < 0.05
    assert trial.seconds == math.inf
    assert not trial.good
