# SPDX-License-Identifier: Apache-2.0
"""What is drawn at the feet: their modes, the forces of the ground, friction cones with their use, paths through the air and footholds."""

from dataclasses import replace
from unittest.mock import MagicMock

import numpy as np
import pytest

from surefoot.robot.model import RobotModel
from surefoot.viewer.page import palette
from surefoot.viewer.page.feet_figure import FeetFigure
from surefoot.viewer.page.state import PageState, PlanShown, RobotShown, SwingShown


@pytest.fixture
def server() -> MagicMock:
    """Each thing that is added is one of its own."""
    server = MagicMock()
    for kind in ("add_icosphere", "add_mesh_simple", "add_cylinder", "add_arrows"):
        getattr(server.scene, kind).side_effect = lambda name, *given, **named: MagicMock(path=name, given=given, named=named)
    return server


def made(server: MagicMock, kind: str, part: str) -> list[tuple[str, dict[str, object]]]:
    """Names and settings of what was added, where its name has a part in it."""
    return [(call.args[0], call.kwargs) for call in getattr(server.scene, kind).call_args_list if part in call.args[0]]


def test_modes_forces_and_cones_are_those_of_each_foot(
    server: MagicMock, hyq: RobotModel, standing: RobotShown, planned: PlanShown
) -> None:
    # A third of the friction is used, all of it, and nothing is felt; the second foot is in the air.
    force = np.array([(40.0, 0.0, 200.0), (0.0, 0.0, 0.0), (119.0, 0.0, 200.0), (np.nan, np.nan, np.nan)])
    figure = FeetFigure(server, "/feet", hyq)
    figure.draw(PageState(hyq.effort_limit, robot=replace(standing, foot_force=force), plan=planned))
    assert [foot.color for foot in figure._feet[1:]] == [palette.rgb(colour) for colour in palette.FOOT_MODES[1:]]
    np.testing.assert_allclose([foot.position for foot in figure._feet], standing.foot_position)
    np.testing.assert_allclose(figure.use[[0, 2]], (40.0 / 120.0, 119.0 / 120.0))
    assert np.isnan(figure.use[[1, 3]]).all()
    assert [cone is not None for cone in figure._cones] == [True, False, True, True]
    colours = [palette.rgb(colour) for colour in (palette.USE[0][0], palette.USE[-1][0], palette.PLANNED)]
    assert [cone.color for cone in figure._cones if cone is not None] == colours
    ((_, arrows),) = [(call.args[0], call.args[1]) for call in server.scene.add_arrows.call_args_list]
    said = [(call.args[0], call.args[1]) for call in server.scene.add_label.call_args_list]
    # Each foot that bears says what is believed there.
    assert said == [(f"/feet/cone_{leg}/friction", "µ 0.6") for leg in ("LF", "LH", "RH")]
    lengths = np.linalg.norm(arrows[:, 1] - arrows[:, 0], axis=1)
    assert lengths[0] / lengths[2] == pytest.approx(np.hypot(40.0, 200.0) / np.hypot(119.0, 200.0), rel=1e-3)
    assert lengths[[1, 3]].max() < 1e-2 * lengths[0]


def test_a_path_through_the_air_ends_at_its_foothold_and_goes_when_the_foot_is_down(
    server: MagicMock, hyq: RobotModel, standing: RobotShown, planned: PlanShown
) -> None:
    figure, state = FeetFigure(server, "/feet", hyq), PageState(hyq.effort_limit, robot=standing, plan=planned)
    state.swings = {1: SwingShown(9.8, 10.2, np.linspace((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), 16))}
    for _ in range(3):
        figure.draw(state)
    ((_, foothold),) = made(server, "add_cylinder", "RF/foothold")
    np.testing.assert_allclose(foothold["position"], (0.3, 0.0, 0.0))  # type: ignore[arg-type]
    assert len(made(server, "add_mesh_simple", "RF/path")) == 1, "it is drawn once"
    handles = figure._swings[1][1]
    state.swings = {}
    figure.draw(state)
    assert figure._swings == {}
    assert all(handle.remove.called for handle in handles)  # type: ignore[attr-defined]
