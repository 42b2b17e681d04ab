# SPDX-License-Identifier: Apache-2.0
import math

import pytest

from surefoot.servos.watchdog import Watchdog


def test_a_gap_of_60_ms_latches_until_reset() -> None:  # case 146
    watchdog = Watchdog(0.05)
    assert watchdog.check("command", 1.00, 0.96) is None
    trip = watchdog.check("command", 1.02, 0.96)
    assert trip is not None
    assert (trip.who, trip.since, str(trip)) == ("command", 1.02, "command: 0.060 s old, limit 0.050 s")
    assert watchdog.check("command", 1.03, 1.03) is trip
    watchdog.reset()
    assert watchdog.check("command", 1.04, 1.04) is None
    assert watchdog.counts == {"command": 1}


@pytest.mark.parametrize("stamp", [None, math.nan, math.inf, -math.inf, 9.0])
def test_what_is_no_fresh_stamp_trips(stamp: float | None) -> None:
    assert Watchdog(0.05).check("joint state", 1.0, stamp) is not None


def test_the_first_culprit_is_the_one_that_is_named() -> None:
    watchdog = Watchdog(0.05)
    watchdog.check("joint state", 1.0, 0.9)
    trip = watchdog.check("command", 1.1, 0.9)
    assert trip is not None
    assert trip.who == "joint state"
    assert watchdog.counts == {"joint state": 1, "command": 1}
