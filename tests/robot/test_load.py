# SPDX-License-Identifier: Apache-2.0
"""The robots of config/robots as they are shipped."""

import sys
from pathlib import Path

import numpy as np
import pytest

from surefoot.errors import RobotDescriptionError
from surefoot.robot.load import load_robot
from surefoot.robot.locate import find_robot, robot_names, shared_directory

EXTRAS = ("a1", "anymal_c", "go2", "solo12")
DATA = Path("cmeel.prefix/share/example-robot-data/robots")
extra_installed = pytest.mark.skipif(
    not any((Path(entry) / DATA).is_dir() for entry in sys.path), reason="the extra 'robots' is not installed"
)


def test_every_robot_is_tested():
    assert set(robot_names()) == {"hyq", "links", *EXTRAS}


def test_stand_height_is_that_of_forward_kinematics(model):
    feet = model.feet_in_base(model.stand_joint_position)
    np.testing.assert_allclose(model.description.foot_radius - feet[:, 2], model.description.stand_height, atol=2e-4)


def test_reach_is_that_of_the_straightest_leg(model):
    straightest = np.clip(0.0, model.position_lower, model.position_upper)
    reach = np.linalg.norm(model.feet_in_base(straightest) - model.hip_in_base, axis=1)
    np.testing.assert_allclose(reach, model.description.max_reach, rtol=0.01)


def test_rising_keeps_the_knees_off_the_ground(model):
    """From lying to standing in straight joint lines: only feet at the bottom, the base never sinks, no joint beyond its limits."""
    lie, stand = model.lie_joint_position, model.stand_joint_position
    bodies = {body.name: body for body in model.bodies()}
    last_height = 0.0
    for share in np.linspace(0.0, 1.0, 50):
        joints = lie + share * (stand - lie)
        assert (joints >= model.position_lower).all()
        assert (joints <= model.position_upper).all()
        ground = model.feet_in_base(joints)[:, 2].min() - model.description.foot_radius
        assert -ground > last_height
        last_height = -ground
        poses = {}
        for body, angle in zip(model.bodies(), [0.0, *joints], strict=True):
            rotation, position = poses.get(body.parent, (np.eye(3), np.zeros(3)))
            turn = np.eye(3)
            if body.joint is not None:
                x, y, z = body.joint.axis
                skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                turn = np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
            poses[body.name] = (
                rotation @ body.parent_from_body_rotation @ turn,
                position + rotation @ body.parent_from_body_translation,
            )
        for leg in range(4):
            knee = list(bodies)[3 + 3 * leg]
            assert poses[knee][1][2] > ground + 1.5 * model.description.foot_radius
        for shape in bodies[model.description.base].collisions:
            belly = shape.body_from_shape_translation[2] - 0.5 * shape.size[2]
            assert belly > ground


def test_broken_urdf_is_refused_before_anything_starts(tmp_path):
    urdf = (
        (shared_directory() / "urdf" / "links.urdf.xacro").read_text().replace('mass="3.15"', 'mass="0"').replace('mass="0.01"', 'mass="0"')
    )
    (tmp_path / "broken.urdf.xacro").write_text(urdf)
    (tmp_path / "leg.xacro").write_text((shared_directory() / "urdf" / "leg.xacro").read_text())
    robot = find_robot("links").read_text().replace("../../urdf/links.urdf.xacro", "broken.urdf.xacro")
    (tmp_path / "broken.yaml").write_text(robot)
    with pytest.raises(RobotDescriptionError, match="the base has mass 0 kg"):
        load_robot(str(tmp_path / "broken.yaml"))


@extra_installed
@pytest.mark.parametrize(("name", "mass"), [("a1", 13.741), ("anymal_c", 52.135), ("go2", 16.085), ("solo12", 2.5)])
def test_robots_of_the_extra(name, mass):
    model = load_robot(name)
    assert model.total_mass == pytest.approx(mass, abs=1e-3)
    assert not [warning for warning in model.warnings if "triangle" not in warning]
    feet = model.feet_in_base(model.stand_joint_position)
    np.testing.assert_allclose(model.description.foot_radius - feet[:, 2], model.description.stand_height, atol=1e-3)
    straightest = np.clip(0.0, model.position_lower, model.position_upper)
    reach = np.linalg.norm(model.feet_in_base(straightest) - model.hip_in_base, axis=1).max()
    assert model.description.max_reach <= 1.1 * reach
