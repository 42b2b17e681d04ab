# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.estimation.planar.body import PlanarBody
from surefoot.estimation.planar.readings import PlanarReadings
from surefoot.estimation.refusals import Refusals
from surefoot.estimation.slot import ImuMeasurement, JointMeasurement, MagneticMeasurement, PoseMeasurement

LEVEL = np.array([0.0, 0.0, 0.0, 1.0])


@pytest.fixture
def readings(body: PlanarBody) -> PlanarReadings:
    made = PlanarReadings(body, np.eye(3), 0.01)
    made.begin(2.0, 0.1)
    return made


def imu(time: float, rate: float) -> ImuMeasurement:
    return ImuMeasurement(time, np.array([0.0, rate, 0.0]), np.zeros(3))


def test_of_each_step_the_nearest_sample_counts_whenever_it_comes(readings: PlanarReadings) -> None:
    for time, rate in ((2.014, 9.0), (2.011, 1.0), (2.008, 2.0), (2.021, 3.0)):
        assert readings.note("imu", imu(time, rate), 0)
    (one,) = readings.until(1)
    assert one[:2] == ("imu", 1)
    assert one[2] == pytest.approx([-1.0 - 0.1]), "against y of odom, less the bias"
    assert readings.note("imu", imu(2.012, 4.0), 0)
    assert not list(readings.until(1)), "a nearer one was there already"
    assert [step for _, step, _ in readings.until(2)] == [2]


def test_what_is_too_old_is_told(readings: PlanarReadings) -> None:
    assert not readings.note("imu", imu(2.02, 1.0), 5)
    assert readings.note("imu", imu(2.003, 1.0), 0), "as old as the beginning: it is in the first state"
    assert not readings.note("imu", imu(1.9, 1.0), 0)
    assert not list(readings.until(100))


def test_joints_are_carried_to_the_step(readings: PlanarReadings, body: PlanarBody) -> None:
    position, velocity = np.linspace(-1.0, 1.0, 12), np.linspace(3.0, -3.0, 12)
    readings.note("joints", JointMeasurement(2.012, position, velocity), 0)
    ((_, _, reading),) = readings.until(1)
    np.testing.assert_allclose(reading, body.joints(position - 0.002 * velocity))


def test_a_pose_is_x_z_and_pitch(readings: PlanarReadings) -> None:
    nose_down = np.array([0.0, np.sin(0.1), 0.0, np.cos(0.1)])
    readings.note("pose", PoseMeasurement(2.01, np.array([1.0, 2.0, 3.0]), nose_down, np.full(6, 1e-4)), 0)
    ((_, _, reading),) = readings.until(1)
    np.testing.assert_allclose(reading, (1.0, 3.0, -0.2))


def test_a_pose_without_one_of_these_is_refused() -> None:
    refusals, variance = Refusals(), np.full(6, 1e-4)
    variance[[1, 3, 5]] = np.nan
    assert PlanarReadings.incomplete(PoseMeasurement(0.0, np.zeros(3), LEVEL, variance), refusals) is None
    variance[4] = np.nan
    refusal = PlanarReadings.incomplete(PoseMeasurement(0.0, np.zeros(3), LEVEL, variance), refusals)
    assert refusal is not None
    assert refusals.counts == {"pose_incomplete": 1}


def test_who_is_not_heard_is_not_read(readings: PlanarReadings) -> None:
    with pytest.raises(AssertionError):
        readings.note("magnetic_field", MagneticMeasurement(2.01, np.zeros(3), 0.1), 0)
