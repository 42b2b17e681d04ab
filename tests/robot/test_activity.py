# SPDX-License-Identifier: Apache-2.0
import re
from pathlib import Path

from surefoot.robot.activity import Activity

MESSAGE = Path(__file__).parents[2] / "src" / "surefoot_msgs" / "msg" / "MotionPlan.msg"


def test_numbers_are_those_of_the_message() -> None:
    # Foot modes come behind an empty line, with numbers of their own.
    activities = MESSAGE.read_text().partition("STANCE")[0]
    assert {name: int(value) for name, value in re.findall(r"^uint8 ([A-Z_]+)=(\d+)", activities, re.MULTILINE)} == Activity.__members__
