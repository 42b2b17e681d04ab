# SPDX-License-Identifier: Apache-2.0
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.traces.cloud.catalogue import PERSISTENT, TRANSIENT
from surefoot.traces.cloud.effects import in_si, without_effect


def test_a_robot_says_what_it_does_not_feel(hyq: RobotModel) -> None:
    assert without_effect(hyq) == {"foot_mass": (4, "the URDF gives the foot links no mass")}
    assert without_effect(load_robot("go2")) == {"foot_force": (4, "the feet have no force sensors")}


def test_spreads_in_si_units(hyq: RobotModel) -> None:
    by_name = {parameter.name: parameter for parameter in PERSISTENT}
    assert in_si(by_name["base_mass"], 0.1, hyq) == "6.1 kg"
    assert in_si(by_name["slope"], 0.1, hyq) == "0.1 rad"
    assert in_si(by_name["link_mass"], 0.1, hyq) == ""
    assert in_si({parameter.name: parameter for parameter in TRANSIENT}["foot_force"], 2.0, hyq) == "20 N"
