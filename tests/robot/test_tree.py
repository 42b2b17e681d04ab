# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from numba import njit
from scipy.spatial.transform import Rotation

from surefoot.errors import RobotDescriptionError
from surefoot.robot.description import RobotDescription
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import LEG_TREE, leg_tree


@njit
def heaviest_link(tree):
    return tree.link_mass.max() + 0.0 * tree.placement_rotation[3, 2, 0, 0] + 0.0 * tree.base_inertia[1, 1]


def test_compiled_functions_take_the_record(hyq):
    tree = leg_tree(hyq)
    assert isinstance(tree, np.void)
    assert tree.dtype == LEG_TREE
    assert LEG_TREE.isalignedstruct
    assert heaviest_link(tree) == pytest.approx(2.93)


def test_forward_kinematics_of_the_tree_is_the_models(model):
    tree = leg_tree(model)
    random = np.random.default_rng(0)
    for _ in range(20):
        joints = random.uniform(model.position_lower, model.position_upper)
        feet = model.feet_in_base(joints)
        for leg in range(4):
            rotation, position = np.eye(3), np.zeros(3)
            for joint in range(3):
                position = position + rotation @ tree["placement_translation"][leg, joint]
                angle = joints[3 * leg + joint]
                turn = Rotation.from_rotvec(angle * tree["axis"][leg, joint]).as_matrix()
                rotation = rotation @ tree["placement_rotation"][leg, joint] @ turn
            np.testing.assert_allclose(position + rotation @ tree["foot_offset"][leg], feet[leg], atol=1e-12)


def test_facts(model):
    tree = leg_tree(model)
    description = model.description
    assert tree["base_mass"] + tree["link_mass"].sum() == pytest.approx(model.total_mass, rel=1e-12)
    np.testing.assert_allclose(np.linalg.norm(tree["axis"], axis=2), 1.0)
    np.testing.assert_allclose(tree["stand_foot_in_base"][:, 2], description.foot_radius - description.stand_height, atol=1e-3)
    np.testing.assert_array_equal(tree["effort_limit"].ravel(), model.effort_limit)
    np.testing.assert_array_equal(tree["position_lower"].ravel(), model.position_lower)
    np.testing.assert_array_equal(tree["hip_in_base"], model.hip_in_base)
    np.testing.assert_array_equal(tree["armature"], np.full((4, 3), description.servos.armature))
    assert (tree["gravity"], tree["foot_radius"], tree["max_reach"]) == (9.81, description.foot_radius, description.max_reach)
    assert (np.linalg.eigvalsh(tree["link_inertia"]) > 0.0).all()


def test_centre_of_mass_of_the_tree_is_the_models(hyq):
    tree = leg_tree(hyq)
    moment = tree["base_mass"] * tree["base_com"]
    for leg in range(4):
        rotation, position = np.eye(3), np.zeros(3)
        for joint in range(3):
            position = position + rotation @ tree["placement_translation"][leg, joint]
            rotation = rotation @ tree["placement_rotation"][leg, joint]
            moment = moment + tree["link_mass"][leg, joint] * (position + rotation @ tree["link_com"][leg, joint])
    expected = hyq.centre_of_mass(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(12))
    np.testing.assert_allclose(moment / hyq.total_mass, expected, atol=1e-12)


def test_leg_listed_wrongly_is_named(description, urdf):
    legs = {leg: member.model_dump() for leg, member in description.legs.items()}
    legs["LF"]["joints"] = ("lf_haa_joint", "lf_kfe_joint", "lf_hfe_joint")
    wrong = RobotModel(RobotDescription(**{**description.model_dump(), "legs": legs}), urdf)
    with pytest.raises(RobotDescriptionError, match=r"lf_kfe_joint.*LF"):
        leg_tree(wrong)
