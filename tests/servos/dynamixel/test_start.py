# SPDX-License-Identifier: Apache-2.0
"""What a bus finds when it takes hold of its servos."""

from typing import Any

import pytest

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.robot.model import RobotModel
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.servo import EmulatedServo


def test_what_is_missing_at_the_start_is_named(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine
) -> None:
    hasty = links_settings.model_copy(update={"reply_time": hand.HASTE})
    emulated.servo(3).gone = emulated.servo(11).gone = True
    words = r"no answer on .* from .*lf_kfe_joint \(id 3\).*rh_hfe_joint \(id 11\); answers: .*surefoot servos find"
    with pytest.raises(SurefootError, match=words):
        hand.opened(links, hasty, emulated)


def test_a_servo_of_another_kind_is_named(hand: Any, links: RobotModel, links_settings: DynamixelSettings) -> None:
    servos = [EmulatedServo(read_table(one.table if one.id != 8 else "dynamixel_x"), one.id) for one in links_settings.joints.values()]
    line = EmulatedLine(servos)
    try:
        with pytest.raises(SurefootError, match=r"lh_hfe_joint \(id 8\) is of model number 1020, and its table is for MX-64 \(311\)"):
            hand.opened(links, links_settings, line)
    finally:
        line.close()


def test_limits_that_are_written_in_a_servo_are_kept(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine
) -> None:
    emulated.servo(2)._put("most_position", 520)
    with pytest.raises(ConfigurationError, match=r"lf_hfe_joint \(id 2\) would have to go .* can go to 0 to 520; .* written in the servo"):
        hand.opened(links, links_settings, emulated)


def test_what_is_as_it_should_be_is_not_written_again(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine
) -> None:
    hand.opened(links, links_settings, emulated).close()
    written: list[int] = []
    for servo in emulated.servos:
        servo.write = lambda start, data: written.append(start) or 0  # type: ignore[method-assign,func-returns-value]
    hand.opened(links, links_settings, emulated).close()
    assert written == []
