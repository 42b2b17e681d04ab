# SPDX-License-Identifier: Apache-2.0
import random
import re
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.errors import RobotDescriptionError
from surefoot.robot.description import RobotDescription
from surefoot.robot.load import load_robot
from surefoot.robot.model import GRAVITY, RigidBodyTerms, RobotModel
from surefoot.robot.urdf_checks import check_urdf


def same_terms(one: RigidBodyTerms, other: RigidBodyTerms, tolerance: float = 1e-9) -> None:
    for name in RigidBodyTerms._fields:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=tolerance, rtol=tolerance)


def moved(motion, acceleration, step):
    """The motion a short time later, integrated to second order for a constant generalized acceleration (18,)."""
    position, quaternion, joints, linear, angular, joint_velocity = motion
    turn = Rotation.from_rotvec((angular + 0.5 * step * acceleration[3:6]) * step)
    return (
        position + step * linear + 0.5 * step**2 * acceleration[:3],
        (turn * Rotation.from_quat(quaternion)).as_quat(),
        joints + step * joint_velocity + 0.5 * step**2 * acceleration[6:],
        linear + step * acceleration[:3],
        angular + step * acceleration[3:6],
        joint_velocity + step * acceleration[6:],
    )


def mujoco_twin(model: RobotModel) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, 0.0, -GRAVITY]
    made = {}
    for body in model.bodies():
        parent = spec.worldbody if body.parent is None else made[body.parent]
        quaternion = Rotation.from_matrix(body.parent_from_body_rotation).as_quat()[[3, 0, 1, 2]]
        twin = parent.add_body(name=body.name, pos=body.parent_from_body_translation, quat=quaternion)
        inertia = body.inertia
        twin.mass, twin.ipos, twin.explicitinertial = body.mass, body.centre_of_mass, True
        twin.fullinertia = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        if body.joint is None:
            twin.add_freejoint()
        else:
            twin.add_joint(name=body.joint.name, axis=body.joint.axis, armature=model.description.servos.armature)
        made[body.name] = twin
    for foot in model.description.foot_names:
        frame = model.attached_frame(foot)
        made[frame.body].add_site(name=foot, pos=frame.body_from_frame_translation)
    return spec.compile()


def test_hyq_is_the_published_robot(hyq):
    # 60.96 kg of trunk, four legs of 2.93, 2.638 and 0.881 kg, 18 g of IMU.
    assert hyq.total_mass == pytest.approx(60.96 + 4 * (2.93 + 2.638 + 0.881) + 0.018, abs=1e-9)
    np.testing.assert_allclose(hyq.hip_in_base, [[0.3735, 0.207, 0], [0.3735, -0.207, 0], [-0.3735, 0.207, 0], [-0.3735, -0.207, 0]])
    np.testing.assert_allclose(hyq.effort_limit, 150.0)
    np.testing.assert_allclose(hyq.feet_in_base(np.zeros(12)), hyq.hip_in_base - [0, 0, 0.08 + 0.35 + 0.346], atol=1e-9)


def test_signs_of_the_joints(hyq):
    straight = hyq.feet_in_base(np.zeros(12))
    abducted = hyq.feet_in_base(np.tile([0.1, 0.0, 0.0], 4)) - straight
    assert (abducted[:, 1] * [-1, 1, -1, 1] > 0.05).all()  # positive abduction moves every foot inwards
    flexed = hyq.feet_in_base(np.tile([0.0, 0.1, 0.0], 4)) - straight
    assert (flexed[:, 0] < -0.05).all()  # positive flexion moves every foot backwards


def test_links_weighs_what_the_dissertation_says():
    links = load_robot("links")
    assert links.total_mass * GRAVITY == pytest.approx(47.0882, abs=1e-3)
    assert sorted(links.effort_limit) == [2.6] * 10 + [6.0] * 2
    assert sorted(links.velocity_limit) == [6.597] * 2 + [13.195] * 10


def test_agrees_with_mujoco(model, random_motion):
    twin = mujoco_twin(model)
    data = mujoco.MjData(twin)
    for seed in range(20):
        motion = random_motion(model, seed)
        position, quaternion, joints, linear, angular, joint_velocity = motion
        terms = model.rigid_body_terms(*motion)
        odom_from_base = Rotation.from_quat(quaternion).as_matrix()
        data.qpos[:7] = [*position, *quaternion[[3, 0, 1, 2]]]
        data.qpos[7:], data.qvel[:3], data.qvel[3:6], data.qvel[6:] = joints, linear, odom_from_base.T @ angular, joint_velocity
        mujoco.mj_forward(twin, data)
        twin_from_ours = np.eye(18)  # MuJoCo turns the base in base axes
        twin_from_ours[3:6, 3:6] = odom_from_base.T
        mass = np.zeros((18, 18))
        mujoco.mj_fullM(twin, data, mass)
        np.testing.assert_allclose(terms.mass_matrix, twin_from_ours.T @ mass @ twin_from_ours, atol=1e-10)
        np.testing.assert_allclose(terms.bias, twin_from_ours.T @ data.qfrc_bias, atol=1e-8)
        for leg, foot in enumerate(model.description.foot_names):
            jacobian = np.zeros((3, 18))
            mujoco.mj_jacSite(twin, data, jacobian, None, twin.site(foot).id)
            np.testing.assert_allclose(terms.foot_positions[leg], data.site(foot).xpos, atol=1e-10)
            np.testing.assert_allclose(terms.foot_jacobians[leg], jacobian @ twin_from_ours, atol=1e-10)
        np.testing.assert_allclose(model.centre_of_mass(*motion[:3]), data.subtree_com[1], atol=1e-9)


def test_foot_velocities_and_accelerations_are_derivatives(model, random_motion):
    step, acceleration = 1e-5, np.zeros(18)
    for seed in range(10):
        motion = random_motion(model, seed)
        terms = model.rigid_body_terms(*motion)
        after = model.rigid_body_terms(*moved(motion, acceleration, step))
        before = model.rigid_body_terms(*moved(motion, acceleration, -step))
        np.testing.assert_allclose(terms.foot_velocities, (after.foot_positions - before.foot_positions) / (2 * step), atol=1e-5)
        slope = (after.foot_velocities - before.foot_velocities) / (2 * step)
        np.testing.assert_allclose(terms.foot_bias_accelerations, slope, atol=1e-4, rtol=1e-5)


def test_rotations_of_the_feet_are_derivatives(model, random_motion):
    step, acceleration = 1e-5, np.zeros(18)
    for seed in range(10):
        motion = random_motion(model, seed)
        (_, quaternion, joints, _, angular, joint_velocity), spin = motion, np.concatenate((motion[3], motion[4], motion[5]))
        terms = model.foot_rotation_terms(quaternion, joints, angular, joint_velocity)
        after, before = (
            model.foot_rotation_terms(*(moved(motion, acceleration, sign * step)[place] for place in (1, 2, 4, 5))) for sign in (1.0, -1.0)
        )
        for leg in range(4):
            turned = Rotation.from_matrix(after.odom_from_link[leg] @ before.odom_from_link[leg].T).as_rotvec() / (2 * step)
            np.testing.assert_allclose(terms.jacobians[leg] @ spin, turned, atol=1e-5)
        np.testing.assert_allclose(terms.velocities, terms.jacobians @ spin, atol=1e-12)
        slope = (after.velocities - before.velocities) / (2 * step)
        np.testing.assert_allclose(terms.bias_accelerations, slope, atol=1e-4, rtol=1e-5)


def test_energy_is_kept_in_free_fall(model, random_motion):
    """With u' = -M^-1 h nothing drives the robot, so kinetic and potential energy together stand still."""

    def energy(motion):
        velocity = np.concatenate(motion[3:])
        kinetic = 0.5 * velocity @ model.rigid_body_terms(*motion).mass_matrix @ velocity
        return kinetic + model.total_mass * GRAVITY * model.centre_of_mass(*motion[:3])[2]

    step = 1e-5
    for seed in range(10):
        motion = random_motion(model, seed)
        terms = model.rigid_body_terms(*motion)
        acceleration = -np.linalg.solve(terms.mass_matrix, terms.bias)
        power = (energy(moved(motion, acceleration, step)) - energy(moved(motion, acceleration, -step))) / (2 * step)
        assert abs(power) < 1e-5 * abs(np.concatenate(motion[3:]) @ terms.bias)


def test_weight_and_standing_still(model):
    state = model.neutral()
    zero = np.zeros(3)
    terms = model.rigid_body_terms(state.base_position, state.base_quaternion, state.joint_position, zero, zero, np.zeros(12))
    assert terms.bias[2] == pytest.approx(model.total_mass * GRAVITY)
    np.testing.assert_allclose(terms.bias[[0, 1]], 0.0, atol=1e-9)
    np.testing.assert_allclose(terms.foot_positions[:, 2], model.description.foot_radius, atol=1e-3)


def test_order_of_the_urdf_does_not_matter(urdf, description, random_motion):
    """Case 32, 36, 38: shuffled elements, and names that sort the other way round."""
    plain = RobotModel(description, urdf)
    root = ElementTree.fromstring(urdf)
    elements = list(root)
    random.Random(3).shuffle(elements)
    root[:] = elements
    other_names = {"lf_": "q_", "rf_": "b_", "lh_": "k_", "rh_": "a_"}

    def renamed(text: str) -> str:
        for old, new in other_names.items():
            text = re.sub(rf"\b{old}", new, text)
        return text

    values = {**description.model_dump(), "legs": {}}
    for leg, member in description.legs.items():
        values["legs"][leg] = {**member.model_dump(), "joints": tuple(map(renamed, member.joints)), "foot": renamed(member.foot)}
    shuffled = RobotModel(RobotDescription(**values), renamed(ElementTree.tostring(root, encoding="unicode")))
    assert shuffled.joint_names[0] == "q_haa_joint"
    for seed in range(5):
        motion = random_motion(plain, seed)
        same_terms(plain.rigid_body_terms(*motion), shuffled.rigid_body_terms(*motion))
    np.testing.assert_array_equal(plain.position_lower, shuffled.position_lower)
    np.testing.assert_allclose(plain.feet_in_base(plain.stand_joint_position), shuffled.feet_in_base(plain.stand_joint_position))


def test_base_link_may_sit_off_the_root(urdf, description, random_motion):
    """Case 80, 86: a root without inertial carries the base by a fixed joint; nothing may change."""
    extra = (
        '<link name="chassis"/><joint name="mount" type="fixed"><origin xyz="0.1 -0.2 0.3" rpy="0.4 -0.5 0.6"/>'
        '<parent link="chassis"/><child link="base_link"/></joint></robot>'
    )
    mounted_urdf = urdf.replace("</robot>", extra)
    assert check_urdf(mounted_urdf, description) == ()
    plain, mounted = RobotModel(description, urdf), RobotModel(description, mounted_urdf)
    for seed in range(5):
        motion = random_motion(plain, seed)
        same_terms(plain.rigid_body_terms(*motion), mounted.rigid_body_terms(*motion))
    joints = plain.stand_joint_position
    np.testing.assert_allclose(mounted.feet_in_base(joints), plain.feet_in_base(joints), atol=1e-12)
    one, other = (robot.foot_and_jacobian_in_base(2, joints[6:9])[1] for robot in (plain, mounted))
    np.testing.assert_allclose(other, one, atol=1e-12)
    np.testing.assert_allclose(mounted.hip_in_base, plain.hip_in_base, atol=1e-12)
    for one, other in zip(plain.bodies(), mounted.bodies(), strict=True):
        assert (one.name, one.parent) == (other.name, other.parent)
        np.testing.assert_allclose(one.inertia, other.inertia, atol=1e-9)
        np.testing.assert_allclose(one.parent_from_body_translation, other.parent_from_body_translation, atol=1e-12)
        for left, right in zip(one.collisions, other.collisions, strict=True):
            np.testing.assert_allclose(left.body_from_shape_translation, right.body_from_shape_translation, atol=1e-12)


def test_fixed_link_is_merged_exactly(urdf, description, random_motion):
    """Case 84: a turned fixed link with inertial, against the same mass merged by hand."""
    payload = (
        '<link name="payload"><inertial><origin xyz="0.1 0 0"/><mass value="2"/>'
        '<inertia ixx="0.01" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="payload_joint" type="fixed"><origin xyz="0 0 0.2" rpy="0 1.5707963267948966 0"/>'
        '<parent link="base_link"/><child link="payload"/></joint></robot>'
    )
    loaded = RobotModel(description, urdf.replace("</robot>", payload))
    plain = RobotModel(description, urdf)
    assert loaded.total_mass == pytest.approx(plain.total_mass + 2.0)
    position, quaternion, joints = random_motion(plain, 4)[:3]
    # Pitched by 90 degrees, x of the payload points down and z forward: its mass sits at (0, 0, 0.2 - 0.1) in the base.
    place = position + Rotation.from_quat(quaternion).apply([0.0, 0.0, 0.1])
    expected = (plain.total_mass * plain.centre_of_mass(position, quaternion, joints) + 2.0 * place) / loaded.total_mass
    np.testing.assert_allclose(loaded.centre_of_mass(position, quaternion, joints), expected, atol=1e-12)
    motion = random_motion(plain, 4)
    rotation = Rotation.from_quat(quaternion).as_matrix()
    arm = rotation @ [0.0, 0.0, 0.1]
    arm_cross = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    added = np.zeros((18, 18))
    added[:3, :3] = 2.0 * np.eye(3)
    added[:3, 3:6] = -2.0 * arm_cross
    added[3:6, :3] = added[:3, 3:6].T
    added[3:6, 3:6] = rotation @ np.diag([0.03, 0.02, 0.01]) @ rotation.T + 2.0 * arm_cross.T @ arm_cross
    difference = loaded.rigid_body_terms(*motion).mass_matrix - plain.rigid_body_terms(*motion).mass_matrix
    np.testing.assert_allclose(difference, added, atol=1e-10)


def test_limits_of_the_description_win(urdf, description):
    values = {**description.model_dump(), "effort_limits": {"rh_kfe_joint": 99.0}}
    model = RobotModel(RobotDescription(**values), urdf)
    assert model.effort_limit[11] == 99.0
    assert (model.effort_limit[:11] == 150.0).all()
    values["effort_limits"] = {"rh_knee": 99.0}
    with pytest.raises(RobotDescriptionError, match=r"rh_knee.*rh_kfe_joint"):
        RobotModel(RobotDescription(**values), urdf)


def test_state_that_is_handed_out_cannot_be_changed(hyq):
    with pytest.raises(ValueError, match="read-only"):
        hyq.effort_limit[0] = 1.0
    hyq.neutral().joint_position[0] = 7.0
    assert hyq.stand_joint_position[0] == -0.2


def test_unnormalised_quaternion_is_normalised(hyq, random_motion):
    motion = random_motion(hyq, 1)
    terms, of_three = hyq.rigid_body_terms(*motion), hyq.rigid_body_terms(motion[0], 3.0 * motion[1], *motion[2:])
    same_terms(terms, of_three)
    assert np.abs(of_three.mass_matrix).max() > 1.0, "terms of nothing would be the same as well"
