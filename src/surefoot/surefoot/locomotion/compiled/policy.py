# SPDX-License-Identifier: Apache-2.0
"""The whole policy over a leading particle axis, compiled: plan, then control, with a gait change on schedule."""

import math
from typing import Any

import numpy as np

from surefoot.compilation import compiled
from surefoot.gait.blend import blend_gaits, phase_shift
from surefoot.gait.planner import change_gait, plan_tick, start_planner
from surefoot.locomotion.compiled.controller import control_tick

SCHEDULE = np.dtype(
    [
        ("gait", "i8"),  # which of the given gaits is in force
        ("pending", "i8"),  # which one comes; NONE: no change is due
        ("switch_time", "f8"),  # when it comes, s, planner time
        ("switch_phase", "f8"),  # at which phase of its cycle
        ("blend_time", "f8"),  # over how long it comes, s; 0: at once
        ("then", "i8"),  # which one comes after it, in the same way, at whichever phase the cycle has; NONE: it is to stay
        ("then_after", "f8"),  # how long after it, s
        ("blend_from", "i8"),  # which gait still fades; NONE: the one in force is alone
        ("blend_since", "f8"),  # s, planner time
        ("blend_until", "f8"),  # s, planner time
        ("blend_shift", "f8"),  # see gait.blend.phase_shift
    ],
    align=True,
)
"""Which gait one robot or particle runs, and which comes."""

NONE = -1


def schedule_records(count: int) -> np.ndarray:
    """An array of SCHEDULE records in which gait 0 is in force and nothing comes."""
    schedule = np.zeros(count, SCHEDULE)
    schedule["pending"] = schedule["then"] = schedule["blend_from"] = NONE
    return schedule


@compiled
def _turn(gaits: Any, turn: Any, planner: Any, time: float, blended: Any) -> bool:
    """Make what is due of a gait change; whether two gaits are blended at this tick, into the given record."""
    # Times are sums of ticks: a thousandth of a second decides nothing but the rounding.
    if turn.pending >= 0 and time >= turn.switch_time - 1e-3:
        phase = planner.phase if math.isnan(turn.switch_phase) else turn.switch_phase
        turn.blend_from, turn.gait, turn.pending = turn.gait, turn.pending, NONE
        if turn.blend_time > 0.0:
            turn.blend_since, turn.blend_until = time, time + turn.blend_time
            turn.blend_shift = phase_shift(gaits[turn.blend_from], planner.phase, phase)
            if not gaits[turn.blend_from].moves:
                change_gait(planner, phase)
        else:
            turn.blend_from = NONE
            change_gait(planner, phase)
        if turn.then >= 0:
            turn.pending, turn.switch_time, turn.switch_phase, turn.then = turn.then, turn.switch_time + turn.then_after, math.nan, NONE
    if turn.blend_from == NONE:
        return False
    share = (time - turn.blend_since) / (turn.blend_until - turn.blend_since)
    if share >= 1.0:
        # The coming gait by its own clock is the same timetable: the feet notice nothing.
        planner.phase -= turn.blend_shift
        planner.phase -= math.floor(planner.phase)
        turn.blend_from = NONE
        return False
    blend_gaits(gaits[turn.blend_from], gaits[turn.gait], max(0.0, share), turn.blend_shift, blended)
    return True


@compiled
def start(tree: Any, settings: Any, planner: Any, state: Any) -> None:
    """Begin from the measured pose; arrays of one record each, see `gait.planner.start_planner`."""
    for i in range(state.shape[0]):
        start_planner(tree[0], settings[0], planner[i], state[i])


@compiled
def plan(
    tree: Any, settings: Any, gaits: Any, schedule: Any, planner: Any, state: Any, command: Any, friction: Any, plans: Any, alive: Any
) -> None:
    """Plan one tick for each particle that is alive, changing the gait first where its time has come.

    Args:
        tree, settings: arrays of one record, see `gait.planner.plan_tick`.
        gaits: GAIT records that the schedules refer to, and a last one for what is blended.
        schedule, planner, state, plans: arrays of n records.
        command: wanted forward and left speed, m/s, and turn rate, rad/s, (3,).
        friction: believed Coulomb coefficient under each foot, (4,).
        alive: (n,), bool.
    """
    for i in range(state.shape[0]):
        if not alive[i]:
            continue
        blended = gaits.shape[0] - 1
        running = blended if _turn(gaits, schedule[i], planner[i], state[i].time, gaits[blended]) else schedule[i].gait
        plan_tick(tree[0], settings[0], gaits[running], planner[i], state[i], command, friction, plans[i])


@compiled
def control(tree: Any, gains: Any, plans: Any, state: Any, dt: float, terms: Any, controls: Any, alive: Any) -> None:
    """Compute the joint command of each particle that is alive; arrays of n records, see `controller.control_tick`."""
    for i in range(state.shape[0]):
        if alive[i]:
            control_tick(tree[0], gains[0], plans[i], state[i], dt, terms[0], controls[i])
