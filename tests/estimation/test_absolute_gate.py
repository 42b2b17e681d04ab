# SPDX-License-Identifier: Apache-2.0
"""Poses and magnetic fields from outside: what is right goes through, what is wrong is refused with words that say what to do."""

import math
from dataclasses import replace

import numpy as np
import pytest

from surefoot.estimation.absolute_gate import AbsoluteGate, RawField, RawPose
from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.slot import MagneticMeasurement, PoseMeasurement

POSE = RawPose("odom", (1.0, 2.0, 0.5), (0.0, 0.0, 0.0, 1.0), np.diag([1e-4] * 6).ravel())
FIELD = RawField("imu_link", (2e-5, 0.0, -4e-5), np.diag([1e-14] * 3).ravel())


@pytest.fixture
def gate() -> AbsoluteGate:
    return AbsoluteGate("odom", "imu_link", Refusals())


def variances(*values: float) -> np.ndarray:
    return np.diag(values).ravel()


def test_a_whole_pose_goes_through(gate: AbsoluteGate) -> None:
    pose = gate.admit_pose(3.0, replace(POSE, quaternion=(0.0, 0.0, 0.0, 1.01)))
    assert isinstance(pose, PoseMeasurement)
    assert pose.time == 3.0
    assert pose.variance.tolist() == [1e-4] * 6
    assert np.linalg.norm(pose.quaternion) == pytest.approx(1.0, abs=1e-15)
    assert gate.refusals.total == 0


def test_what_is_not_measured_may_be_anything(gate: AbsoluteGate) -> None:
    """x and y of a satellite receiver: no height, and a quaternion of zeros."""
    raw = RawPose("odom", (1.0, 2.0, math.nan), (0.0, 0.0, 0.0, 0.0), variances(1.0, 1.0, -1.0, -1.0, math.nan, -1.0))
    pose = gate.admit_pose(0.0, raw)
    assert isinstance(pose, PoseMeasurement)
    assert np.isfinite(pose.variance).tolist() == [True, True, False, False, False, False]


@pytest.mark.parametrize(("change", "kind", "word"), [
    ({"frame": "map"}, "wrong_frame", "map"),
    ({"covariance": np.zeros(36)}, "covariance_missing", "0 means"),
    ({"covariance": np.full(36, -1.0)}, "nothing_measured", "-1"),
    ({"covariance": np.full(36, np.inf)}, "nothing_measured", "inf"),
    ({"covariance": np.zeros(6)}, "wrong_length", "(6,)"),
    ({"position": (1.0, math.inf, 0.0)}, "not_finite", "inf"),
    ({"position": (1.0, 2.0)}, "wrong_length", "(2,)"),
    ({"quaternion": (0.0, 0.0, 0.0, 0.0)}, "not_a_rotation", "length 0"),
    ({"quaternion": (0.0, math.nan, 0.0, 1.0)}, "not_a_rotation", "nan"),
])  # fmt: skip
def test_a_pose_that_is_wrong_is_refused(gate: AbsoluteGate, change: dict, kind: str, word: str) -> None:
    refusal = gate.admit_pose(0.0, replace(POSE, **change))
    assert isinstance(refusal, Refusal)
    assert refusal.kind == kind
    assert word in refusal.words or word == "-1"
    assert gate.refusals.counts[kind] == 1


def test_a_field_says_how_sure_its_direction_is(gate: AbsoluteGate) -> None:
    field = gate.admit_field(1.0, FIELD)
    assert isinstance(field, MagneticMeasurement)
    assert field.standard_deviation == pytest.approx(1e-7 / math.sqrt(20.0) / 1e-5)


@pytest.mark.parametrize(("change", "kind"), [
    ({"frame": "base_link"}, "wrong_frame"),
    ({"field": (0.0, 0.0, 0.0)}, "no_field"),
    ({"field": (math.nan, 0.0, 0.0)}, "not_finite"),
    ({"field": (1.0,)}, "wrong_length"),
    ({"covariance": np.zeros(9)}, "covariance_missing"),
    ({"covariance": np.full(9, math.nan)}, "covariance_missing"),
    ({"covariance": np.diag([1e-14, -1.0, 1e-14]).ravel()}, "covariance_missing"),
    ({"field": (1e300, 0.0, 0.0)}, "covariance_missing"),
])  # fmt: skip
def test_a_field_that_is_wrong_is_refused(gate: AbsoluteGate, change: dict, kind: str) -> None:
    refusal = gate.admit_field(0.0, replace(FIELD, **change))
    assert isinstance(refusal, Refusal)
    assert refusal.kind == kind


def test_a_stamp_that_is_no_time_is_refused(gate: AbsoluteGate) -> None:
    for refusal in (gate.admit_pose(math.nan, POSE), gate.admit_field(math.inf, FIELD)):
        assert isinstance(refusal, Refusal)
        assert refusal.kind == "not_finite"
