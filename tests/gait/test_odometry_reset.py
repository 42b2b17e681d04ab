# SPDX-License-Identifier: Apache-2.0
from surefoot.gait.odometry_reset import AFTER, OdometryResetWatch


def test_states_that_come_again_after_a_while_may_be_of_another_place() -> None:
    watch = OdometryResetWatch()
    assert not watch.look(5.0), "the first is that of nobody else"
    assert not any(watch.look(5.0 + 0.004 * tick) for tick in range(10))
    assert not watch.look(5.036 + AFTER - 0.001)
    assert watch.look(5.036 + 2.0 * AFTER)
    assert not watch.look(5.036 + 2.0 * AFTER + 0.004), "once"


def test_a_clock_that_begins_anew_is_no_gap() -> None:
    watch = OdometryResetWatch()
    watch.look(100.0)
    assert not watch.look(0.0)
    assert not watch.look(0.004)
