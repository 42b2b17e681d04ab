# SPDX-License-Identifier: Apache-2.0
"""One timetable between two gaits."""

import numpy as np
import pytest
from numba import njit

from surefoot.gait.blend import blend_gaits, phase_shift
from surefoot.gait.parameters import GAIT, gait_record
from surefoot.gait.timing import in_planned_stance


@njit
def _blend(gait_from, gait_to, share, phase_from, phase_to, out):
    shift = phase_shift(gait_from[0], phase_from, phase_to)
    blend_gaits(gait_from[0], gait_to[0], share, shift, out[0])
    return shift


def blended(rig, gait_from: str, gait_to: str, share: float, phase_from: float = 0.0, phase_to: float = 0.0):
    """The blend of two gaits of the rig and the shift of its clock."""
    out = np.zeros(1, GAIT)
    shift = _blend(gait_record(rig.gaits[gait_from]), gait_record(rig.gaits[gait_to]), share, phase_from, phase_to, out)
    return out[0], shift


@pytest.mark.parametrize(("gait_from", "gait_to"), [("walk", "trot"), ("trot", "pace"), ("pace", "walk")])
def test_its_ends_are_the_two_gaits(rig, gait_from: str, gait_to: str) -> None:
    begin, _ = blended(rig, gait_from, gait_to, 0.0, 0.3, 0.8)
    assert begin.tobytes() == gait_record(rig.gaits[gait_from])[0].tobytes()
    end, shift = blended(rig, gait_from, gait_to, 1.0, 0.3, 0.8)
    wanted = gait_record(rig.gaits[gait_to])[0]
    for name in set(GAIT.names or ()) - {"liftoff"}:
        assert end[name] == pytest.approx(wanted[name], abs=1e-12), name
    # The same feet are on the ground at the same time, by either clock.
    for phase in np.arange(0.003, 1.0, 0.01):
        for leg in range(4):
            coming = in_planned_stance((phase - shift) % 1.0, wanted["liftoff"][leg], wanted["duty_factor"][leg])
            assert in_planned_stance(phase, end["liftoff"][leg], end["duty_factor"][leg]) == coming


@pytest.mark.parametrize("phase_to", [0.0, 0.2, 0.55, 0.9])
def test_each_liftoff_takes_the_shorter_way_and_never_jumps(rig, phase_to: float) -> None:
    for gait_from in ("walk", "trot", "pace"):
        for gait_to in ("walk", "trot", "pace"):
            liftoff = np.array(
                [blended(rig, gait_from, gait_to, share, 0.1, phase_to)[0]["liftoff"] for share in np.linspace(0.0, 1.0, 101)]
            )
            step = (np.diff(liftoff, axis=0) + 0.5) % 1.0 - 0.5
            assert np.abs(step).max() <= 0.5 / 100 + 1e-9
            assert (liftoff >= 0.0).all()
            assert (liftoff < 1.0).all()


def test_rounding_does_not_choose_the_way_of_a_foot_that_goes_half_round(rig) -> None:
    """From trot to pace the hind feet do: the trace and the robot come to the change at times that differ in their last bits."""
    ways = [blended(rig, "trot", "pace", 0.25, 0.25 + off, 0.25)[0]["liftoff"] for off in (-1e-12, -1e-15, 0.0, 1e-15, 1e-12)]
    for way in ways[1:]:
        assert way == pytest.approx(ways[0], abs=1e-9)


@pytest.mark.parametrize(("gait_from", "gait_to"), [("stand", "trot"), ("walk", "stand")])
def test_from_and_to_a_stand_only_the_duty_factor_changes_the_timetable(rig, gait_from: str, gait_to: str) -> None:
    moving = gait_to if gait_from == "stand" else gait_from
    for share in (0.0, 0.3, 0.9):
        gait, shift = blended(rig, gait_from, gait_to, share, 0.0, 0.0)
        assert gait["moves"] == 1
        assert shift == 0.0
        assert gait["liftoff"] == pytest.approx(gait_record(rig.gaits[moving])["liftoff"][0])
        assert (gait["duty_factor"] >= gait_record(rig.gaits[moving])["duty_factor"][0] - 1e-12).all()


@pytest.mark.parametrize(
    ("yaw_from", "yaw_to", "half_way"), [(0.0, 0.4, 0.2), (3.0, -3.0, np.pi), (-3.0, 3.0, -np.pi), (0.5, 0.5 + np.pi, 0.5 - np.pi / 2)]
)
def test_the_base_turns_the_short_way_round(rig, yaw_from: float, yaw_to: float, half_way: float) -> None:
    out, (begin, end) = np.zeros(1, GAIT), (gait_record(rig.gaits[name]) for name in ("walk", "trot"))
    for off in (-1e-12, 0.0, 1e-12):
        begin["base_yaw"], end["base_yaw"] = yaw_from, (yaw_to + off + np.pi) % (2.0 * np.pi) - np.pi
        _blend(begin, end, 0.5, 0.0, 0.0, out)
        assert abs(np.exp(1j * out["base_yaw"][0]) - np.exp(1j * half_way)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("stand_first", [True, False])
def test_a_stand_does_not_turn_the_base(rig, stand_first: bool) -> None:
    out, stand, trot = np.zeros(1, GAIT), gait_record(rig.gaits["stand"]), gait_record(rig.gaits["trot"])
    trot["base_yaw"] = 0.4
    _blend(*((stand, trot) if stand_first else (trot, stand)), 0.3, 0.0, 0.0, out)
    assert out["base_yaw"][0] == pytest.approx(0.4)
