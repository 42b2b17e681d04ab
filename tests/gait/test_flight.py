# SPDX-License-Identifier: Apache-2.0
"""Momentum through flight: what the stances give is what the flights take."""

import numpy as np
import pytest
from numba import njit

from surefoot.gait.flight import vertical_motion
from surefoot.gait.parameters import gait_record
from surefoot.gait.timing import in_planned_stance

GRAVITY = 9.81
LEGS = ("LF", "RF", "LH", "RH")
FLIGHTED = {
    "running trot": (0.4, (0.25, 0.75, 0.75, 0.25), (0.4, 0.4, 0.4, 0.4)),
    "pronk": (0.35, (0.0, 0.0, 0.0, 0.0), (0.7, 0.7, 0.7, 0.7)),
    "gallop": (0.4, (0.8, 0.9, 0.4, 0.5), (0.4, 0.4, 0.4, 0.4)),
    "uneven bound": (0.5, (0.9, 0.9, 0.45, 0.45), (0.3, 0.3, 0.4, 0.4)),
    "one long stance": (0.6, (0.5, 0.6, 0.7, 0.8), (0.5, 0.5, 0.5, 0.5)),
}


@njit
def _motion(gait, phase, gravity, out):
    vertical_motion(gait[0], phase, gravity, out)


def motion(gait: np.ndarray, phase: float) -> np.ndarray:
    out = np.empty(3)
    _motion(gait, phase, GRAVITY, out)
    return out


@pytest.fixture(params=FLIGHTED)
def flighted(request, rig) -> np.ndarray:
    period, liftoff, duty = FLIGHTED[request.param]
    values = {"period": period, "liftoff": dict(zip(LEGS, liftoff, strict=True)), "duty_factor": dict(zip(LEGS, duty, strict=True))}
    return gait_record(rig.gaits["trot"].model_copy(update=values))


def supported(gait: np.ndarray, phase: float) -> bool:
    return any(in_planned_stance(phase, gait["liftoff"][0, leg], gait["duty_factor"][0, leg]) for leg in range(4))


@pytest.mark.parametrize("name", ["stand", "walk", "trot", "pace"])
def test_a_gait_without_flight_has_no_vertical_motion(rig, name: str) -> None:
    gait = gait_record(rig.gaits[name])
    for phase in np.linspace(0.0, 0.999, 97):
        assert motion(gait, phase).tolist() == [0.0, 0.0, 0.0]


def test_in_flight_only_gravity_acts_and_on_the_ground_the_feet_push(flighted: np.ndarray) -> None:
    flights = 0
    for phase in np.arange(0.0005, 1.0, 0.001):
        acceleration = motion(flighted, phase)[2]
        if supported(flighted, phase):
            assert acceleration > 0.0
        else:
            flights += 1
            assert acceleration == -GRAVITY
    assert flights > 10


def test_height_velocity_and_acceleration_are_one_motion_without_a_jump(flighted: np.ndarray) -> None:
    """Where flights are as long as each other; between those that are not, the height has a step of their difference."""
    period, step = float(flighted["period"][0]), 1e-4
    phases = np.arange(0.0, 1.0, step / period)
    z, v, a = np.array([motion(flighted, phase) for phase in phases]).T
    assert np.abs(np.diff(v)).max() <= 1.2 * np.abs(a).max() * step
    steady = np.diff(a) == 0.0  # but where a foot lands or leaves
    assert (np.diff(v) / step)[steady] == pytest.approx(a[1:][steady], abs=1e-6)
    inside = np.abs(np.diff(z)) < 2.0 * np.abs(v).max() * step
    assert (np.diff(z) / step)[inside] == pytest.approx((0.5 * (v[1:] + v[:-1]))[inside], abs=0.02)
    assert (~inside).sum() <= 2


def test_over_a_period_the_push_bears_the_weight(flighted: np.ndarray) -> None:
    phases = np.linspace(0.0, 1.0, 20001)[:-1]
    accelerations = [motion(flighted, phase)[2] for phase in phases]
    assert np.mean(accelerations) == pytest.approx(0.0, abs=0.02)
