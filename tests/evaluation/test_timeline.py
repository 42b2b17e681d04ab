# SPDX-License-Identifier: Apache-2.0
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.evaluation.timeline import Timeline


def test_spans_cover_the_run(told_run: Any) -> None:
    timeline = Timeline(told_run.run(), told_run.events)
    for spans in (timeline.modes, timeline.gaits):
        assert spans[0].start == 0.0
        assert spans[-1].end == pytest.approx(31.99)
        assert all(before.end == after.start for before, after in pairwise(spans))
    assert [(span.name, span.start) for span in timeline.gaits] == [("stand", 0.0), ("walk", 5.0), ("trot", 11.5), ("stand", 28.2)]
    assert timeline.in_mode("SITTING")[-1]


def test_steady_phases(told_run: Any) -> None:
    phases = Timeline(told_run.run(), told_run.events).steady_phases
    assert [(phase.name, round(phase.start, 2), round(phase.end, 2)) for phase in phases] == [("walk", 5.0, 11.49), ("trot", 11.5, 25.99)]


def test_speed_is_seen_in_the_heading_of_the_robot(told_run: Any) -> None:
    told_run.columns["base_quaternion"][:] = Rotation.from_euler("Z", 90.0, degrees=True).as_quat()
    told_run.columns["base_linear_velocity"][:] = (0.0, 0.4, 0.0)
    timeline = Timeline(told_run.run(), told_run.events)
    np.testing.assert_allclose(timeline.heading_velocity[5], (0.4, 0.0), atol=1e-12)
    np.testing.assert_allclose(timeline.roll_pitch_yaw[5], (0.0, 0.0, np.pi / 2.0), atol=1e-12)
