# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
import pytest

from surefoot.servos.modes import Mode, Request


@pytest.mark.parametrize("jump", [0.1, 0.25, 2.0, 10.0])
@pytest.mark.parametrize("mode", [Mode.STANDING_UP, Mode.SITTING_DOWN, Mode.WALKING])
def test_where_the_clock_leaps_ahead_the_joints_do_not(make_rig: Any, mode: Mode, jump: float) -> None:
    """All that is heard is fresh on the new clock, and what the controller asks for is as far ahead as the clock."""
    rig = make_rig().walking() if mode == Mode.WALKING else make_rig().ready() if mode == Mode.SITTING_DOWN else make_rig()
    asked = rig.STAND
    if mode == Mode.STANDING_UP:
        rig.tick()
        rig.tick(request=Request.ARM)
        rig.tick(request=Request.STAND)
    elif mode == Mode.SITTING_DOWN:
        rig.balance(150)
        rig.tick(request=Request.SIT)
    else:
        asked = rig.STAND + 0.8
    for _ in range(120):
        output = rig.balance() if mode == Mode.WALKING else rig.tick()
    assert output.mode == mode
    before = output.command.position
    rig.time += jump
    # 1/60 s of the clock is what a motion goes on by in one tick at most.
    fastest = 12.0 if mode == Mode.WALKING else 3.0
    for _ in range(3):
        command = rig.command_at(rig.time + rig.TICK, asked) if mode == Mode.WALKING else None
        output = rig.tick(command=command)
        assert np.abs(output.command.position - before).max() <= fastest / 60.0 + 1e-9
        before = output.command.position
    assert output.mode == mode
