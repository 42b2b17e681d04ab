# SPDX-License-Identifier: Apache-2.0
from surefoot.estimation.guest_pace import GuestPace
from surefoot.estimation.refusals import Refusals


def test_one_sample_in_each_period_is_heard_in_whatever_order_they_come() -> None:
    refusals = Refusals()
    pace = GuestPace(refusals, 250.0)
    refused = [pace.refused("pose", 0.0001 + 0.001 * tick) is not None for tick in range(40)]
    assert refused.count(False) == 10
    assert pace.refused("pose", 0.0183) is not None, "late, of a period that was heard"
    assert pace.refused("magnetic_field", 0.0183) is None, "another guest"
    assert refusals.counts == {"too_often": 31}
    pace.clear()
    assert pace.refused("pose", 0.0183) is None


def test_a_guest_as_fast_as_the_robot_is_heard() -> None:
    pace = GuestPace(Refusals(), 500.0)
    assert all(pace.refused("pose", 0.0005 + 0.002 * tick) is None for tick in range(1000))
