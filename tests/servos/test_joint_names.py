# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.servos.joint_names import require_every_joint, require_known_joints

JOINTS = ("hip", "knee", "ankle")


@pytest.mark.parametrize("given", [("hip", "elbow"), ("hip", "knee", "ankle", "elbow")])
def test_a_joint_of_another_robot_is_named(given: tuple[str, ...]) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown joint 'elbow'.*names joints of another robot"):
        require_known_joints(given, JOINTS)
    with pytest.raises(UnknownNameError, match="unknown joint 'elbow'"):
        require_every_joint(given, JOINTS, "motor", "motors")


def test_every_joint_that_is_left_out_is_named_with_the_way_out() -> None:
    with pytest.raises(ConfigurationError, match=r"^no motor is given for hip, ankle; add them to motors of the bus file$"):
        require_every_joint(("knee",), JOINTS, "motor", "motors")
