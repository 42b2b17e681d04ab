# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.model import RobotModel
from surefoot.servos.dynamixel.members import Members
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.settings import check_settings


def changed(settings: DynamixelSettings, joint: str, **values: Any) -> DynamixelSettings:
    joints = {name: servo.model_dump() for name, servo in settings.joints.items()}
    joints[joint] = joints.get(joint, joints["lf_haa_joint"]) | values
    # The patience of the tests is none that a file may ask for.
    return check_settings(DynamixelSettings, settings.model_dump(exclude={"reply_time", "stale_after"}) | {"joints": joints}, "bus")


def test_counts_and_angles(links: RobotModel, links_settings: DynamixelSettings) -> None:
    settings = changed(links_settings, "lf_hfe_joint", sign=-1, offset=0.3, gear=2.0)
    members = Members(settings, links.joint_names, links.effort_limit)
    members.torque_per_unit[:] = 0.0026
    counts = members.counts(links.stand_joint_position)
    for place, count in enumerate(counts):
        table = members.tables[place]
        start, length = table.span("present_load", "present_velocity", "present_position")
        data = bytearray(length)
        item = table.items["present_position"]
        data[item.address - start :][: item.size] = b""
        data[item.address - start : item.address - start + item.size] = table.bytes_of("present_position", count)
        reading = members.reading(place, bytes(data), start)
        assert reading.position == pytest.approx(links.stand_joint_position[place], abs=table.radians_per_count)
    assert counts[1] == round(-2.0 * (0.72 - 0.3) / members.tables[1].radians_per_count) + 512
    np.testing.assert_array_equal(members.counts(np.full(12, 99.0))[:1], [1023])


def test_speeds_and_torques_have_the_sign_and_gear_of_their_joint(links: RobotModel, links_settings: DynamixelSettings) -> None:
    members = Members(changed(links_settings, "lh_hfe_joint", sign=-1, offset=0.3, gear=2.0), links.joint_names, links.effort_limit)
    members.torque_per_unit[:], members.most_current[:] = 0.005, 1000.0
    for place, factor in ((7, -0.5), (0, 1.0), (3, -1.0)):
        table = members.tables[place]
        start, length = table.span("present_load", "present_velocity", "present_position")
        data = bytearray(length)
        for name, number in (("present_load", 100), ("present_velocity", 40)):
            item = table.items[name]
            data[item.address - start : item.address - start + item.size] = table.bytes_of(name, number)
        reading = members.reading(place, bytes(data), start)
        assert reading.velocity == pytest.approx(40 * table.velocity_unit * factor)
        # What the gear takes from the speed, it adds to the torque.
        assert reading.effort == pytest.approx(100 * 0.005 / factor)
    torque = np.zeros(12)
    torque[[7, 0, 3]] = 0.5
    units = members.current_units(torque)
    assert [units[place] for place in (7, 0, 3)] == [-50, 100, -100]
    members.most_current[7] = 20
    assert members.current_units(torque)[7] == -20


def test_what_cannot_be_is_refused_by_name(links: RobotModel, links_settings: DynamixelSettings) -> None:
    names = links.joint_names
    with pytest.raises(ConfigurationError, match="lf_haa_joint and lf_hfe_joint have the same id 1"):
        Members(changed(links_settings, "lf_hfe_joint", id=1), names, links.effort_limit)
    with pytest.raises(UnknownNameError, match="unknown joint 'tail'"):
        Members(changed(links_settings, "tail", id=99), names, links.effort_limit)
    with pytest.raises(ConfigurationError, match="dynamixel_rx24f does not know 4000000 baud; it knows 9600"):
        Members(links_settings.model_copy(update={"baud_rate": 4000000}), names, links.effort_limit)
    without = {name: servo for name, servo in links_settings.joints.items() if name != names[0]}
    with pytest.raises(ConfigurationError, match="no servo is given for lf_haa_joint"):
        Members(links_settings.model_copy(update={"joints": without}), names, links.effort_limit)
    far = Members(changed(links_settings, "lf_kfe_joint", offset=2.0), names, links.effort_limit)
    with pytest.raises(ConfigurationError, match=r"lf_kfe_joint \(id 3\) would have to go to counts .* mend its offset"):
        far.check_range(links.position_lower, links.position_upper)
    Members(links_settings, names, links.effort_limit).check_range(links.position_lower, links.position_upper)
