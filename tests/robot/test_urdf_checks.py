# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from surefoot.errors import RobotDescriptionError
from surefoot.robot.description import RobotDescription
from surefoot.robot.urdf_checks import check_urdf

UPPER_LEG = re.compile(r'(<link name="lf_upperleg">\s*)<inertial>.*?</inertial>', re.DOTALL)


def with_upper_leg(urdf: str, inertial: str) -> str:
    changed, count = UPPER_LEG.subn(rf"\1{inertial}", urdf)
    assert count == 1
    return changed


def inertial(mass: float, ixx: float, iyy: float, izz: float, ixy: float = 0.0) -> str:
    return f'<inertial><mass value="{mass}"/><inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="{ixy}" ixz="0" iyz="0"/></inertial>'


def replaced(urdf: str, pattern: str, replacement: str) -> str:
    changed, count = re.subn(pattern, replacement, urdf, count=1, flags=re.DOTALL)
    assert count == 1
    return changed


def changed_leg(description: RobotDescription, leg: str, **values: object) -> RobotDescription:
    legs = {name: member.model_dump() for name, member in description.legs.items()}
    legs[leg].update(values)
    return RobotDescription(**{**description.model_dump(), "legs": legs})


def test_our_robots_pass_without_a_word(model):
    assert check_urdf(model.urdf, model.description) == ()
    assert model.warnings == ()


@pytest.mark.parametrize(
    ("moments", "named"),
    [
        ((1.486e-6, 2e-7, 8.31e-7), "2e-07, 8.31e-07, 1.486e-06"),  # case 74
        ((2661.9e-6, 2302.5e-6, 1676359e-6), "0.002302, 0.002662, 1.676"),  # case 76
        ((0.01, 0.01, -0.01), "-0.01, 0.01, 0.01"),
    ],
)
def test_moments_that_no_body_has(urdf, description, moments, named):
    with pytest.raises(RobotDescriptionError, match="lf_upperleg.*" + re.escape(named)):
        check_urdf(with_upper_leg(urdf, inertial(2.0, *moments)), description)


def test_triangle_is_tested_on_principal_moments(urdf, description):
    """Case 76: the diagonal 1, 1, 1.1 passes, but with ixy = 0.9 the principal moments are 0.1, 1.1 and 1.9."""
    assert check_urdf(with_upper_leg(urdf, inertial(2.638, 1.0, 1.0, 1.1)), description) == ()
    with pytest.raises(RobotDescriptionError, match=r"\[0\.1, 1\.1, 1\.9\]"):
        check_urdf(with_upper_leg(urdf, inertial(2.638, 1.0, 1.0, 1.1, ixy=0.9)), description)


def test_mass_without_inertia(urdf, description):
    """Case 78: refused on a link that turns, accepted as a point mass on a fixed one."""
    with pytest.raises(RobotDescriptionError, match=r"lf_upperleg.*2\.175 kg with inertia 0"):
        check_urdf(with_upper_leg(urdf, inertial(2.175, 0, 0, 0)), description)
    point = replaced(urdf, r'(<link name="lf_foot">)', r"\1" + inertial(0.1, 0, 0, 0))
    assert "lf_lowerleg" in check_urdf(point, description)[0]  # and left differs from right


def test_left_and_right_that_differ(urdf, description):
    warnings = check_urdf(with_upper_leg(urdf, inertial(2.8, 0.03, 0.03, 0.01)), description)
    assert warnings == ("left and right differ: 'lf_upperleg' has 2.8 kg, 'rf_upperleg' 2.638 kg",)


def test_missing_inertial(urdf, description):
    """Case 80, 86: nothing to say of a massless foot frame; a turning link and the base need mass."""
    assert '<link name="lf_foot">' in urdf
    with pytest.raises(RobotDescriptionError, match=r"moving link 'lf_upperleg' has mass 0 kg"):
        check_urdf(with_upper_leg(urdf, ""), description)
    bare = replaced(urdf, r'(<link name="base_link">\s*)<inertial>.*?</inertial>', r"\1")
    bare = replaced(bare, r'(<link name="imu_link">\s*)<inertial>.*?</inertial>', r"\1")
    with pytest.raises(RobotDescriptionError, match="the base has mass 0 kg"):
        check_urdf(bare, description)


def test_mass_may_sit_on_a_fixed_child(urdf, description):
    bare = with_upper_leg(urdf, "")
    child = (
        '<link name="lf_shell">' + inertial(2.638, 0.03, 0.03, 0.01) + '</link><joint name="lf_shell_joint" type="fixed">'
        '<parent link="lf_upperleg"/><child link="lf_shell"/></joint></robot>'
    )
    assert check_urdf(bare.replace("</robot>", child), description) == ()


def test_fixed_link_with_impossible_moments_is_mentioned(urdf, description):
    odd = replaced(urdf, r'(<link name="imu_link">\s*)<inertial>.*?</inertial>', r"\1" + inertial(0.018, 1e-6, 1e-6, 9e-6))
    assert "imu_link" in check_urdf(odd, description)[0]


def test_wheels_and_other_joints(urdf, description):
    """Case 82."""
    hip = replaced(urdf, r'<joint name="lf_haa_joint" type="revolute">', '<joint name="lf_haa_joint" type="continuous">')
    with pytest.raises(RobotDescriptionError, match=r"lf_haa_joint' is continuous.*revolute"):
        check_urdf(hip, description)
    wheel = replaced(urdf, r'<joint name="lf_foot_joint" type="fixed">', '<joint name="lf_foot_joint" type="continuous">')
    with pytest.raises(RobotDescriptionError, match="lf_foot_joint' is continuous and belongs to no leg"):
        check_urdf(wheel, description)


def test_axis(urdf, description):
    """Case 92."""
    zero = replaced(urdf, r'<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>')
    with pytest.raises(RobotDescriptionError, match=r"lf_hfe_joint': axis \[0, 0, 0\] has no direction"):
        check_urdf(zero, description)
    long = replaced(urdf, r'<axis xyz="0 1 0"/>', '<axis xyz="0 2 0"/>')
    assert check_urdf(long, description) == ("joint 'lf_hfe_joint': axis [0, 2, 0] has length 2; taken as a direction of length 1",)


def test_link_of_almost_no_mass(urdf, description):
    """Case 94."""
    warnings = check_urdf(with_upper_leg(urdf, inertial(1e-9, 1e-12, 1e-12, 1e-12)), description)
    assert "moving link 'lf_upperleg' has only 1e-09 kg" in warnings[0]


def test_names_that_are_not_there(urdf, description):
    """Case 44: a fixed joint in the list; and names that nothing has."""
    with pytest.raises(RobotDescriptionError, match="lf_foot_joint' is fixed"):
        check_urdf(urdf, changed_leg(description, "LF", joints=("lf_haa_joint", "lf_hfe_joint", "lf_foot_joint")))
    with pytest.raises(RobotDescriptionError, match=r"legs\.RH\.foot: link 'rh_toe'"):
        check_urdf(urdf, changed_leg(description, "RH", foot="rh_toe"))
    with pytest.raises(RobotDescriptionError, match="base: link 'trunk'"):
        check_urdf(urdf, RobotDescription(**{**description.model_dump(), "base": "trunk"}))


def test_joint_listed_twice(urdf, description):
    """Case 46."""
    with pytest.raises(RobotDescriptionError, match=r"lf_haa_joint' is listed 2 times"):
        check_urdf(urdf, changed_leg(description, "LF", joints=("lf_haa_joint", "lf_haa_joint", "lf_kfe_joint")))


def test_leg_in_the_wrong_order(urdf, description):
    """Case 38."""
    with pytest.raises(RobotDescriptionError, match=r"leg RF: from the base to 'rf_foot' lie joints \[rf_haa_joint, rf_hfe_joint"):
        check_urdf(urdf, changed_leg(description, "RF", joints=("rf_haa_joint", "rf_kfe_joint", "rf_hfe_joint")))


def test_sensor_and_base_must_not_move(urdf, description):
    sensors = {**description.sensors.model_dump(), "imu_link": "lf_upperleg"}
    with pytest.raises(RobotDescriptionError, match="imu_link 'lf_upperleg' moves"):
        check_urdf(urdf, RobotDescription(**{**description.model_dump(), "sensors": sensors}))
    with pytest.raises(RobotDescriptionError, match="base 'lf_lowerleg' moves with joint 'lf_kfe_joint'"):
        check_urdf(urdf, RobotDescription(**{**description.model_dump(), "base": "lf_lowerleg"}))


def test_limits(urdf, description):
    weak = replaced(urdf, r'effort="150"', 'effort="0"')
    with pytest.raises(RobotDescriptionError, match=r"lf_haa_joint': effort limit is 0\.0"):
        check_urdf(weak, description)
    assert check_urdf(weak, RobotDescription(**{**description.model_dump(), "effort_limits": {"lf_haa_joint": 120.0}})) == ()
    with pytest.raises(RobotDescriptionError, match=r"lf_haa_joint': position limits \[None, None\]"):
        check_urdf(replaced(urdf, r"<limit[^>]*/>", ""), description)
    with pytest.raises(RobotDescriptionError, match=r"lf_kfe_joint': stand angle 0\.5 rad is outside of its limits \[-2\.443, -0\.3491\]"):
        check_urdf(urdf, changed_leg(description, "LF", stand=(0.0, 0.7, 0.5)))


def test_all_problems_come_at_once(urdf, description):
    twice = with_upper_leg(replaced(urdf, r'<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>'), inertial(2.0, 0, 0, 0))
    with pytest.raises(RobotDescriptionError) as caught:
        check_urdf(twice, description)
    assert "lf_hfe_joint" in str(caught.value)
    assert "lf_upperleg" in str(caught.value)


@pytest.mark.parametrize("mass", ["nan", "-1"])
def test_mass_that_is_no_mass(urdf, description, mass):
    with pytest.raises(RobotDescriptionError, match="lf_upperleg"):
        check_urdf(with_upper_leg(urdf, inertial(1.0, 0.01, 0.01, 0.01).replace('"1.0"', f'"{mass}"')), description)
