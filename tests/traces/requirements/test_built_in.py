# SPDX-License-Identifier: Apache-2.0
import math

from surefoot.robot.model import RobotModel
from surefoot.traces.requirements.built_in import BUILT_IN, COLUMN, TABLE_4, limits_record
from surefoot.traces.requirements.records import LIMITS


def test_the_counts_of_the_table() -> None:
    """12 joints, 17 links, 4 feet: 180 conditions, all pairs of links among them."""
    counts = [BUILT_IN[name].conditions for name in TABLE_4]
    assert counts == [1, 1, 1, 12, 12, math.comb(17, 2), 13, 4]
    assert sum(counts) == 180


def test_every_requirement_has_its_place(hyq: RobotModel) -> None:
    assert list(COLUMN.values()) == list(range(LIMITS["on"].shape[0]))
    record = limits_record(hyq, {"pitch": BUILT_IN["pitch"].parameters()}, 0.1)
    assert record["on"][0].tolist() == [0, 1] + [0] * 10
    # What is not asked for has limits all the same.
    assert record["largest_roll"][0] == 0.6
