# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.errors import RobotDescriptionError
from surefoot.robot.urdf import parse_urdf

LINKS = '<link name="a"/><link name="b"/>'
JOINT = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'


def robot(*parts: str) -> str:
    return f"<robot>{''.join(parts)}</robot>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "not XML"),
        ("<sdf/>", "<sdf>, not <robot>"),
        (robot(LINKS), "has 2: a, b"),
        (robot(LINKS, '<link name="a"/>'), "link 'a' is there twice"),
        (robot(LINKS, JOINT, JOINT), "joint 'j' is there twice"),
        (robot(LINKS, JOINT.replace('link="b"', 'link="c"')), "'j' names link 'c'"),
        (robot(LINKS, JOINT, JOINT.replace('"j"', '"k"')), "'b' hangs on two joints"),
        (robot(LINKS, JOINT.replace("</joint>", '<axis xyz="0 x 1"/></joint>')), "joint 'j': an attribute"),
        (robot(LINKS, JOINT.replace("</joint>", '<axis xyz="0 1"/></joint>')), "axis has 2 numbers, not 3"),
        (robot(LINKS, JOINT.replace('<child link="b"/>', "")), "joint 'j': an attribute"),
        (robot('<link name="a"><inertial><mass/></inertial></link>'), "link 'a': an attribute"),
        (robot("<link><inertial/></link>"), "link 'without a name'"),
    ],
)
def test_what_is_no_urdf_is_named(text, message):
    with pytest.raises(RobotDescriptionError, match=message):
        parse_urdf(text)


def test_loop_beside_the_tree():
    loop = '<link name="c"/><joint name="k" type="fixed"><parent link="c"/><child link="d"/></joint>'
    loop += '<link name="d"/><joint name="l" type="fixed"><parent link="d"/><child link="c"/></joint>'
    with pytest.raises(RobotDescriptionError, match="links c, d hang on each other in a loop and not on root 'a'"):
        parse_urdf(robot(LINKS, JOINT, loop))


def test_carrier_of_a_fixed_link_is_what_moves(urdf):
    tree = parse_urdf(urdf)
    assert tree.carrier("lf_foot") == "lf_lowerleg"
    assert tree.carrier("imu_link") == "base_link"
    assert [joint.name for joint in tree.joints_above("rh_foot")] == ["rh_foot_joint", "rh_kfe_joint", "rh_hfe_joint", "rh_haa_joint"]
