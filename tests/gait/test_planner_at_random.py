# SPDX-License-Identifier: Apache-2.0
"""A million ticks of nonsense: whatever comes in, the planner stays what it is."""

import numpy as np
import pytest
from numba import njit

from surefoot.gait.modes import REACH, STANCE, SUPPORT, SWING
from surefoot.gait.parameters import gait_record
from surefoot.gait.planner import change_gait, plan_tick
from surefoot.gait.timing import in_planned_stance, time_to_touchdown

TICKS = 1_000_000

LEGAL = np.ones((4, 4), np.int64)
"""From, to, between two ticks. A foot that lands may leave again at once; a foot in support does not look for ground."""
LEGAL[SUPPORT, REACH] = 0
LEGAL[SWING, SUPPORT] = 0


@njit
def _finite(array):
    return np.isfinite(array).all()


@njit
def _fuzz(tree, settings, gaits, planner, state, plan, legal, ticks, seed):
    """Returns how often each transition was seen, (4, 4), and [bad modes, illegal transitions, not finite, swings that end off time]."""
    np.random.seed(seed)
    seen, bad, stand = np.zeros((4, 4), np.int64), np.zeros(4, np.int64), state[0].joint_position.copy()
    command, before, swung, gait = np.zeros(3), np.zeros(4, np.int64), np.zeros(4, np.int64), 0
    contact_chance, wobble = 0.9, 0.0
    for _ in range(ticks):
        if np.random.random() < 0.002:
            gait = np.random.randint(gaits.shape[0])
            change_gait(planner[0], np.random.randint(100) / 100.0)
        if np.random.random() < 0.001:
            contact_chance, wobble = np.random.random(), 0.6 * np.random.random()
        if np.random.random() < 0.01:
            for i in range(3):
                command[i] = np.nan if np.random.random() < 0.05 else np.random.normal()
        dt = 0.004 if np.random.random() < 0.9 else 0.05 * np.random.random()
        if np.random.random() < 0.01:
            dt = -dt
        # After time has run backwards nothing moves until it has caught up.
        state[0].time += dt
        for leg in range(4):
            swung[leg], before[leg] = planner[0].swung[leg], planner[0].mode[leg]
            if before[leg] == SWING and np.random.random() < 0.8:
                state[0].contact_probability[leg] = 1.0 if state[0].time >= planner[0].knot_time[leg, 3] else 0.0
            else:
                state[0].contact_probability[leg] = 1.0 if np.random.random() < contact_chance else 0.0
            if np.random.random() < 0.001:
                state[0].contact_probability[leg] = np.nan
        leg = np.random.randint(4)
        for k in range(3):
            state[0].joint_position[leg, k] = stand[leg, k] + wobble * np.random.normal()
        plan_tick(tree[0], settings[0], gaits[gait], planner[0], state[0], command, np.full(4, 0.6), plan[0])
        g = gaits[gait]
        for leg in range(4):
            mode = planner[0].mode[leg]
            if mode < 0 or mode > 3:
                bad[0] += 1
                continue
            seen[before[leg], mode] += 1
            if legal[before[leg], mode] == 0:
                bad[1] += 1
            if mode == SWING and planner[0].mode_since[leg] == planner[0].time and planner[0].knot_time[leg, 0] == planner[0].time:
                due = time_to_touchdown(planner[0].phase, g.liftoff[leg], g.duty_factor[leg], g.period)
                planned = in_planned_stance(planner[0].phase, g.liftoff[leg], g.duty_factor[leg])
                ahead = planner[0].knot_time[leg, 3] - planner[0].time
                # A swing forced by overreach, or begun because there is no ground, has no touchdown of its own in the timetable; it takes
                # as long as any other.
                forced = planned or before[leg] == REACH or (before[leg] != SUPPORT and swung[leg] == 1)
                if not forced and abs(ahead - due) > 1e-9:
                    bad[3] += 1
                if ahead < settings[0].minimum_swing_time - 1e-9 or ahead > g.period + 1e-9:
                    bad[3] += 1
        good = _finite(plan[0].foot_position) and _finite(plan[0].foot_velocity) and _finite(plan[0].foot_acceleration)
        good = good and _finite(plan[0].base_position) and _finite(plan[0].base_velocity) and _finite(plan[0].base_roll_pitch_yaw)
        good = good and _finite(plan[0].load) and _finite(planner[0].command) and 0.0 <= plan[0].phase < 1.0
        if not good:
            bad[2] += 1
        if np.random.random() < 0.01:
            planner[0].fault = 0
    return seen, bad


@pytest.fixture
def moving(rig):
    """The records of gaits that differ in pattern, period and duty factor."""
    gaits = [rig.gaits[name] for name in ("walk", "trot", "pace", "stand")]
    gaits.append(gaits[1].model_copy(update={"period": 0.3, "duty_factor": {"LF": 0.4, "RF": 0.4, "LH": 0.5, "RH": 0.5}}))
    gaits.append(gaits[0].model_copy(update={"period": 2.0, "velocity_feedback": 0.0}))
    return np.concatenate([gait_record(gait) for gait in gaits])


def test_modes_stay_legal_numbers_finite_and_swings_on_time(rig, moving) -> None:
    seen, bad = _fuzz(rig.tree, rig.settings, moving, rig.planner, rig.state, rig.plan, LEGAL, TICKS, 7)
    assert dict(zip(("modes", "transitions", "not finite", "off time"), bad.tolist(), strict=True)) == {
        "modes": 0, "transitions": 0, "not finite": 0, "off time": 0,
    }  # fmt: skip
    assert seen.sum() == 4 * TICKS
    for change in ((STANCE, SWING), (STANCE, SUPPORT), (STANCE, REACH), (SWING, STANCE), (SWING, REACH), (REACH, STANCE),
                   (SUPPORT, SWING), (SUPPORT, STANCE)):  # fmt: skip
        assert seen[change] > 100, change


@pytest.mark.parametrize("phase", [percent / 100 for percent in range(100)])
def test_after_a_switch_at_any_moment_each_swing_ends_at_its_planned_touchdown(rig, phase: float) -> None:
    rig.walk(1.37)
    rig.change("trot", phase)
    trot, swings = rig.gait[0], 0
    for _ in range(200):
        before = rig.modes
        rig.walk(0.004)
        for leg in range(4):
            if rig.modes[leg] == SWING and before[leg] != SWING:
                swings += 1
                ahead = rig.planner["knot_time"][0, leg, 3] - rig.now
                due = time_to_touchdown(rig.planner["phase"][0], trot["liftoff"][leg], trot["duty_factor"][leg], trot["period"])
                assert ahead == pytest.approx(due, abs=1e-9)
                assert ahead >= rig.settings["minimum_swing_time"][0]
    assert swings >= 4
