# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.errors import SensorError
from surefoot.limited_names import LimitedNames


def test_one_name_too_many_is_refused_and_those_that_are_known_go_on() -> None:
    names: LimitedNames[int] = LimitedNames("node", 3)
    for number in range(3):
        names[f"node_{number}"] = number
    with pytest.raises(SensorError, match=r"node 'x{60}' is one too many: 3 are known already"):
        names["x" * 1000] = 3
    names["node_1"] = 10
    assert names == {"node_0": 0, "node_1": 10, "node_2": 2}
    del names["node_0"]
    names["another"] = 4
    assert len(names) == 3
