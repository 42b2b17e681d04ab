# SPDX-License-Identifier: Apache-2.0
"""A second one that commands: nobody is armed beside it."""

from typing import Any

from surefoot.servos.modes import Mode, Request

WORDS = "2 publishers on /servo_command: /inverse_dynamics, /stranger"


def test_nobody_is_armed_while_two_command(rig: Any) -> None:
    rig.tick()
    output = rig.tick(request=Request.ARM, strangers=WORDS)
    assert output.mode == Mode.OFF
    assert output.refused == f"ARM in OFF: {WORDS}"
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING


def test_nobody_stands_up_while_two_command(rig: Any) -> None:
    rig.tick()
    rig.tick(request=Request.ARM)
    output = rig.tick(request=Request.STAND, strangers=WORDS)
    assert (output.mode, output.refused) == (Mode.DAMPING, f"STAND in DAMPING: {WORDS}")
    assert rig.tick(request=Request.STAND).mode == Mode.STANDING_UP


def test_nor_again_after_a_stop_and_a_fault(rig: Any) -> None:
    rig.walking()
    assert rig.balance(request=Request.STOP).mode == Mode.STOPPED
    assert WORDS in rig.tick(request=Request.ARM, strangers=WORDS).refused
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING


def test_one_that_comes_while_the_robot_walks_takes_no_torque_away(rig: Any) -> None:
    """Whoever could drop a robot by speaking would not have to command."""
    rig.walking()
    assert rig.balance(50, strangers=WORDS).mode == Mode.WALKING
