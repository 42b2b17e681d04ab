# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from surefoot.gait.of_robot import gaits_of
from surefoot.gait.parameters import Gait
from surefoot.gait.timing import in_planned_stance
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import RobotModel
from surefoot.viewer.gait_pictures import PICTURES, draw_gait_parameters
from surefoot.viewer.gait_timetable import ROWS, draw_timetable


def test_every_parameter_of_a_gait_has_its_picture(hyq: RobotModel, tmp_path: Path) -> None:
    assert set(PICTURES) == set(Gait.model_fields) - {"name"}
    paths = draw_gait_parameters(gaits_of(hyq)["trot"], tmp_path)
    assert [path.stem for path in paths] == list(PICTURES)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)


@pytest.mark.parametrize("name", ["walk", "gallop", "pronk"])
def test_a_bar_lies_where_the_planner_has_the_foot_on_the_ground(hyq: RobotModel, name: str) -> None:
    gait, axes = gaits_of(hyq)[name], Figure().add_subplot()
    axes.set_xlim(0.0, 1.0)
    draw_timetable(axes, gait)
    for row, leg in enumerate(ROWS):
        bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches if round(bar.get_y() + 0.35) == row]
        for phase in np.linspace(0.0051, 0.9951, 100):
            drawn = any(left <= phase < right for left, right in bars)
            assert drawn == in_planned_stance(phase, gait.liftoff[leg], gait.duty_factor[leg])
    assert {*ROWS} == {*LEG_NAMES}
