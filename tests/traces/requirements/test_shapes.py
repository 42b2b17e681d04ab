# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.errors import ConfigurationError
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.simulation.mujoco_model import build_model
from surefoot.terrain.relief import Relief
from surefoot.terrain.world import World
from surefoot.traces.findings.marks import LINK_NAMES
from surefoot.traces.requirements.shapes import FOOT_LINKS, adjacent, robot_shapes


def test_seventeen_links_and_their_neighbours() -> None:
    assert len(LINK_NAMES) == 17
    assert [LINK_NAMES[link] for link in FOOT_LINKS] == ["LF foot", "RF foot", "LH foot", "RH foot"]
    pairs = [(LINK_NAMES[a], LINK_NAMES[b]) for a in range(17) for b in range(a + 1, 17) if adjacent(a, b)]
    assert len(pairs) == 16
    assert ("base", "RH hip") in pairs
    assert ("RF thigh", "RF shin") in pairs
    assert all(first == "base" or first[:2] == second[:2] for first, second in pairs)


def test_every_link_of_hyq_has_its_shapes(hyq: RobotModel) -> None:
    shapes = robot_shapes(hyq, build_model(hyq, World(), 2e-3))
    assert [int(link["last"] - link["first"]) for link in shapes.links] == [1] * 17
    assert shapes.shapes["link"].tolist() == list(range(17))
    assert shapes.ground["box"].tolist() == [0]
    # Without neighbours, and without the thighs that hang close beside the body.
    assert len(shapes.pairs) == 136 - 16 - 4
    assert not any({0, 4 * leg + 2} == {int(pair["first"]), int(pair["second"])} for leg in range(4) for pair in shapes.pairs)


def test_links_that_are_meshes_have_none() -> None:
    go2 = load_robot("go2")
    shapes = robot_shapes(go2, build_model(go2, World(), 2e-3))
    assert [int(shape["link"]) for shape in shapes.shapes] == list(FOOT_LINKS)
    assert len(shapes.pairs) == 6


def test_rough_ground_is_refused(hyq: RobotModel) -> None:
    rough = build_model(hyq, World(relief=Relief()), 2e-3)
    with pytest.raises(ConfigurationError, match="is ground that traces cannot judge; they take planes and boxes"):
        robot_shapes(hyq, rough)
