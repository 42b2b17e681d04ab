# SPDX-License-Identifier: Apache-2.0
"""The whole policy over a leading particle axis, compiled: plan, then control, with a gait change on schedule."""

from typing import Any

import numpy as np

from surefoot.compilation import compiled
from surefoot.gait.planner import change_gait, plan_tick, start_planner
from surefoot.locomotion.compiled.controller import control_tick

SCHEDULE = np.dtype([("gait", "i8"), ("pending", "i8"), ("switch_time", "f8"), ("switch_phase", "f8")], align=True)
"""Which of the given gaits is in force, which one comes (-1: none), when (s, planner time), and at which phase of its cycle."""


@compiled
def start(tree: Any, gait: Any, planner: Any, state: Any) -> None:
    """Begin from the measured pose; arrays of one record each, see `gait.planner.start_planner`."""
    for i in range(state.shape[0]):
        start_planner(tree[0], gait[0], planner[i], state[i])


@compiled
def plan(
    tree: Any, settings: Any, gaits: Any, schedule: Any, planner: Any, state: Any, command: Any, friction: float, plans: Any, alive: Any
) -> None:
    """Plan one tick for each particle that is alive, changing the gait first where its time has come.

    Args:
        tree, settings: arrays of one record, see `gait.planner.plan_tick`.
        gaits: GAIT records that the schedules refer to.
        schedule, planner, state, plans: arrays of n records.
        command: wanted forward and left speed, m/s, and turn rate, rad/s, (3,).
        friction: believed Coulomb coefficient.
        alive: (n,), bool.
    """
    for i in range(state.shape[0]):
        if not alive[i]:
            continue
        turn = schedule[i]
        # Times are sums of ticks: a thousandth of a second decides nothing but the rounding.
        if turn.pending >= 0 and state[i].time >= turn.switch_time - 1e-3:
            turn.gait, turn.pending = turn.pending, -1
            change_gait(planner[i], turn.switch_phase)
        plan_tick(tree[0], settings[0], gaits[turn.gait], planner[i], state[i], command, friction, plans[i])


@compiled
def control(tree: Any, gains: Any, plans: Any, state: Any, dt: float, terms: Any, controls: Any, alive: Any) -> None:
    """Compute the joint command of each particle that is alive; arrays of n records, see `controller.control_tick`."""
    for i in range(state.shape[0]):
        if alive[i]:
            control_tick(tree[0], gains[0], plans[i], state[i], dt, terms[0], controls[i])
