# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.errors import RobotDescriptionError
from surefoot.robot.description import RobotDescription
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.robot.model_checks import check_model, static_stand_torque


def changed(description: RobotDescription, **values: object) -> RobotDescription:
    return RobotDescription(**{**description.model_dump(), **values})


def test_stand_torque_holds_the_weight(model):
    """The torques, taken back through the foot Jacobians, must be those of four upward forces that sum to the weight."""
    torque = static_stand_torque(model).reshape(4, 3)
    state = model.neutral()
    zero = np.zeros(3)
    terms = model.rigid_body_terms(state.base_position, state.base_quaternion, state.joint_position, zero, zero, np.zeros(12))
    total = np.zeros(3)
    for leg in range(4):
        own = terms.foot_jacobians[leg][:, 6 + 3 * leg : 9 + 3 * leg]
        total += np.linalg.solve(own.T, terms.bias[6 + 3 * leg : 9 + 3 * leg] - torque[leg])
    np.testing.assert_allclose(total, [0.0, 0.0, model.total_mass * GRAVITY], atol=1e-6 * model.total_mass)


def test_robot_too_heavy_for_its_joints(urdf, description):
    """Case 88."""
    weak = RobotModel(changed(description, effort_limits={"lf_kfe_joint": 20.0}), urdf)
    warning, *of_its_stiffness = check_model(weak)
    assert "lf_kfe_joint" in warning
    assert "more than its limit of 20 N m" in warning
    assert all("stiffness" in words for words in of_its_stiffness)


def test_stand_height_and_reach_that_do_not_fit(urdf, description):
    (warning,) = check_model(RobotModel(changed(description, stand_height=0.7), urdf))
    assert warning == "stand_height is 0.7 m, but the stand pose puts the base 0.5993 m above ground"
    warnings = check_model(RobotModel(changed(description, max_reach=0.5), urdf))
    assert len(warnings) == 4
    assert "leg LF stands 0.5893 m from its hip, beyond max_reach 0.5 m" in warnings


def test_uneven_feet(urdf, description):
    legs = {leg: member.model_dump() for leg, member in description.legs.items()}
    legs["RH"]["stand"] = (-0.2, -0.9, 1.8)
    warnings = check_model(RobotModel(changed(description, legs=legs), urdf))
    assert any("foot RH is" in warning for warning in warnings)


def test_merged_moments_that_no_body_has(urdf, description):
    spoiler = (
        '<link name="spoiler"><inertial><mass value="1e-3"/><inertia ixx="0" iyy="0" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="spoiler_joint" type="fixed"><parent link="lf_lowerleg"/><child link="spoiler"/></joint></robot>'
    )
    with pytest.raises(RobotDescriptionError, match="lf_lowerleg"):
        check_model(RobotModel(description, urdf.replace("</robot>", spoiler)))
