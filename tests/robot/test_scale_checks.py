# SPDX-License-Identifier: Apache-2.0
"""A description that was copied from a robot of another size does not pass for that of this one."""

import numpy as np
import pytest

from surefoot.errors import ConfigurationError, RobotDescriptionError
from surefoot.robot.description import RobotDescription
from surefoot.robot.load import load_robot
from surefoot.robot.locate import robot_names
from surefoot.robot.model import RobotModel
from surefoot.robot.model_checks import check_model
from surefoot.robot.scale_checks import check_scale, leg_lengths

Values = dict[str, float]


def changed(model: RobotModel, control: Values | None = None, servos: Values | None = None, **values: float) -> RobotModel:
    description = model.description.model_dump()
    description["control"] |= control or {}
    description["servos"] |= servos or {}
    return RobotModel(RobotDescription(**{**description, **values}), model.urdf)


@pytest.mark.parametrize("name", robot_names())
def test_robots_of_the_project_have_numbers_of_their_own(name: str) -> None:
    try:
        model = load_robot(name)
    except ConfigurationError as error:
        if "optional robot data" not in str(error):
            raise
        pytest.skip("the optional robot data is not installed")
    assert check_scale(model) == ()


def test_numbers_of_hyq_on_a_small_robot() -> None:
    """All refusals come in one message, by key, with the way out."""
    links, hyq = load_robot("links"), load_robot("hyq").description
    values = hyq.model_dump(include={"servos", "control", "max_reach", "foot_radius"})
    copied = RobotModel(RobotDescription(**{**links.description.model_dump(), **values}), links.urdf)
    with pytest.raises(RobotDescriptionError) as refusal:
        check_model(copied)
    words = str(refusal.value)
    assert "control.foot_force_threshold is 40 N, but a foot of this robot of 47.09 N bears 11.77 N" in words
    assert "max_reach is 0.765 m, but leg" in words


def test_threshold_that_no_standing_foot_reaches(model: RobotModel) -> None:
    share = model.total_mass * 9.81 / 4.0
    with pytest.raises(RobotDescriptionError, match=r"control\.foot_force_threshold .* never be seen as contact; give"):
        check_scale(changed(model, {"foot_force_threshold": 1.01 * share}))
    assert check_scale(changed(model, {"foot_force_threshold": 0.8 * share})) == ()


def test_limit_of_the_force_of_a_foot(model: RobotModel) -> None:
    weight = model.total_mass * 9.81
    (warning,) = check_scale(changed(model, {"foot_force_limit": 20.0 * weight}))
    assert "20 times the weight" in warning
    with pytest.raises(RobotDescriptionError, match=r"control\.foot_force_limit .* while it stands; give more"):
        check_scale(changed(model, {"foot_force_limit": 0.2 * weight}))


def test_reach_against_the_legs(model: RobotModel) -> None:
    length = float(leg_lengths(model).min())
    with pytest.raises(RobotDescriptionError, match=r"max_reach .* stretched out, is .* m long"):
        check_scale(changed(model, max_reach=1.1 * length))
    (warning,) = check_scale(changed(model, max_reach=0.4 * length))
    assert "40 % of the" in warning


def test_no_pose_is_longer_than_the_leg(model: RobotModel) -> None:
    """Whatever the joints do, and some pose comes near."""
    random = np.random.default_rng(0)
    poses = random.uniform(-np.pi, np.pi, (3000, 12))
    reached = np.max([np.linalg.norm(model.feet_in_base(pose) - model.hip_in_base, axis=1) for pose in poses], axis=0)
    assert (reached <= leg_lengths(model) * (1.0 + 1e-4)).all()
    assert (reached >= 0.98 * leg_lengths(model)).all()


def test_foot_against_the_sphere_of_the_urdf(model: RobotModel) -> None:
    warnings = check_scale(changed(model, foot_radius=0.03))
    assert len(warnings) == 4
    assert f"the sphere of foot 'lf_foot' in the URDF has {model.description.foot_radius:.4g} m" in warnings[0]


def test_stiffness_that_saturates_at_once(model: RobotModel) -> None:
    weakest = float(model.effort_limit.min())
    (warning,) = check_scale(changed(model, servos={"posture_stiffness": 12.0 * weakest}))
    assert "servos.posture_stiffness" in warning
    assert f"of its {weakest:.4g} N m" in warning
    assert len(check_scale(changed(model, servos={"posture_stiffness": 12.0 * weakest, "stiffness": 12.0 * weakest}))) == 2
