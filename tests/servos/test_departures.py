# SPDX-License-Identifier: Apache-2.0
"""Commands that do not leave take the torque away, and nobody stands up while they do not."""

from typing import Any

import pytest

from surefoot.servos.bus import BusHealth
from surefoot.servos.departures import Departures
from surefoot.servos.modes import Mode, Request

OVERLOAD = "LF_KFE (id 3): overload"


def test_what_does_not_leave_for_long_is_a_fault_until_one_does() -> None:
    departures = Departures(0.05)
    assert departures.fault(9.0) == "", "nobody wrote anything yet"
    departures.left(1.0)
    assert departures.fault(9.0) == "", "nobody wrote anything since"
    departures.failed(9.0, "")
    departures.left(10.0)
    departures.failed(10.01, "the cable is out")
    assert departures.fault(10.04) == "", "for a moment"
    assert departures.upon(BusHealth(faults=(OVERLOAD,)), 10.04).faults == (OVERLOAD,)
    words = "no command has left for 0.060 s, limit 0.050 s: the cable is out"
    assert departures.fault(10.06) == words
    health = departures.upon(BusHealth("silent", (OVERLOAD,)), 10.06)
    assert (health.problem, health.faults) == ("silent", (words, OVERLOAD))
    departures.left(10.07)
    assert departures.fault(10.2) == ""


def test_where_none_ever_left_it_counts_from_the_first() -> None:
    departures = Departures(0.05)
    departures.failed(3.0, "no")
    departures.failed(3.04, "no")
    assert departures.fault(3.04) == ""
    departures.failed(3.08, "no")
    assert departures.fault(3.08) == "no command has left for 0.080 s, limit 0.050 s: no"


@pytest.mark.parametrize("request_", [Request.ARM, Request.STAND])
def test_the_bridge_ends_in_damping_and_nobody_goes_on(make_rig: Any, request_: Request) -> None:
    rig = make_rig().walking()
    departures = Departures(rig.settings.stale_after)
    departures.left(rig.time)
    for _ in range(30):
        departures.failed(rig.time, "the cable is out")
        output = rig.balance(health=departures.upon(BusHealth(), rig.time))
    assert output.mode == Mode.FAULT
    assert output.reason.startswith("servo fault: no command has left for 0.0")
    rig.position = rig.LIE.copy()
    for _ in range(300):
        rig.tick(health=departures.upon(BusHealth(), rig.time))
    refused = rig.tick(request=request_, health=departures.upon(BusHealth(), rig.time))
    assert refused.mode == Mode.FAULT
    departures.left(rig.time)
    rig.tick(health=departures.upon(BusHealth(), rig.time))
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING
