# SPDX-License-Identifier: Apache-2.0
"""The bench of the estimator on a short walk: what is spoilt, what that costs, and what the report holds."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from surefoot.cli.bench_estimator import estimator_as_json, estimator_tables
from surefoot.estimation.slot import FootForceMeasurement, ImuMeasurement
from surefoot.evaluation.bench.estimator import EstimatorResult, bench_estimator, nees
from surefoot.evaluation.bench.estimator_seed import (
    INVARIANT,
    INVARIANT_NO_DELAY,
    NO_DELAY,
    NO_STAMPS,
    ODOMETRY,
    ODOMETRY_NO_DELAY,
    OURS,
    RUNS,
    STANDING,
)
from surefoot.evaluation.estimator_runs import Track
from surefoot.evaluation.sensor_faults import read_sensor_faults, spoil
from surefoot.evaluation.sensor_stream import SensorStream, record_walk
from surefoot.robot.model import RobotModel
from surefoot.viewer.estimator_plot import draw_windows

FAULTS = read_sensor_faults("a1_class")


@pytest.fixture(scope="module")
def stream(hyq: RobotModel) -> SensorStream:
    return record_walk(hyq, 3.0)


@pytest.fixture(scope="module")
def result() -> EstimatorResult:
    return bench_estimator("hyq", "a1_class", seeds=1, plain_seeds=1, seconds=3.0, processes=1)


def test_the_recorded_robot_walks_and_its_sensors_are_perfect(hyq: RobotModel, stream: SensorStream) -> None:
    assert len(stream.time) == 1501
    assert 0.5 < stream.way()[-1] < 1.0
    np.testing.assert_allclose(np.diff(stream.time), 0.004, atol=1e-9)
    standing = stream.time < 2.9
    assert np.abs(stream.joint_position[standing] - hyq.stand_joint_position).max() < 0.1
    force = np.linalg.norm(stream.foot_force_base[standing].sum(axis=1), axis=1)
    assert np.median(force) == pytest.approx(hyq.total_mass * 9.81, rel=0.01)


def test_a_stream_comes_back_from_its_file(stream: SensorStream, tmp_path: Path) -> None:
    stream.save(tmp_path / "walk.npz")
    again = SensorStream.load(tmp_path / "walk.npz")
    assert all(np.array_equal(getattr(again, name), getattr(stream, name)) for name in stream.__dataclass_fields__)


def test_what_is_spoilt_is_spoilt_as_much_as_the_file_says(stream: SensorStream) -> None:
    arrivals = spoil(stream, FAULTS, 3)
    assert [one.time for one in arrivals] == sorted(one.time for one in arrivals)
    for kind in (ImuMeasurement, FootForceMeasurement):
        mine = [one for one in arrivals if isinstance(one.measurement, kind)]
        assert len(mine) / len(stream.time) == pytest.approx(1.0 - FAULTS.loss, abs=0.03)
        late = np.array([one.time - one.measurement.time for one in mine])
        assert late.min() >= 0.0
        assert late.max() <= FAULTS.delay[1] + FAULTS.delay_jitter
        assert np.ptp(late) <= FAULTS.delay_jitter
    truth = dict(zip(stream.time.tolist(), stream.foot_force_base[:, :, 2] > 0.0, strict=True))
    feet = [one.measurement for one in arrivals if isinstance(one.measurement, FootForceMeasurement)]
    wrong = np.mean([(one.force_base[:, 2] > 20.0) != truth[one.time] for one in feet])
    assert 0.02 < wrong < 0.12


def test_the_same_seed_is_the_same_noise_with_and_without_delay(stream: SensorStream) -> None:
    late, prompt = spoil(stream, FAULTS, 4), spoil(stream, FAULTS.without_delay(), 4)
    imu = [{one.measurement.time: one.measurement for one in run if isinstance(one.measurement, ImuMeasurement)} for run in (late, prompt)]
    assert imu[0].keys() == imu[1].keys()
    assert all(np.array_equal(imu[0][time].specific_force_imu, imu[1][time].specific_force_imu) for time in imu[0])
    assert [one.time for one in prompt] == [one.measurement.time for one in prompt]
    other = spoil(stream, FAULTS, 5)
    assert not np.array_equal(late[50].measurement.time, other[50].measurement.time) or len(late) != len(other)


def test_every_filter_knows_roughly_where_the_robot_is(result: EstimatorResult) -> None:
    assert set(result.accuracy) == set(RUNS)
    # Of position (%), height (m) and velocity (m/s), about half as much again as is measured for this seed.
    limits = {
        OURS: (0.3, 0.0025, 0.013), NO_STAMPS: (0.65, 0.0036, 0.028), NO_DELAY: (0.3, 0.0065, 0.0075),
        ODOMETRY: (18.0, 0.018, 0.5), ODOMETRY_NO_DELAY: (20.0, 0.0165, 0.25), INVARIANT: (1.4, 0.014, 0.031),
        INVARIANT_NO_DELAY: (2.5, 0.012, 0.02),
    }  # fmt: skip
    assert set(limits) == set(RUNS)
    for name, one in result.accuracy.items():
        measured = (one.position_percent[0], one.height_m[0], one.velocity_rms[0])
        assert all(value < limit for value, limit in zip(measured, limits[name], strict=True)), (name, measured)
    assert result.accuracy[OURS].velocity_rms[0] < 0.8 * result.accuracy[NO_STAMPS].velocity_rms[0]
    assert result.invalid[OURS] == 0.0


def test_the_report_is_for_people_and_for_machines(result: EstimatorResult, tmp_path: Path) -> None:
    said = json.loads(json.dumps(estimator_as_json(result), allow_nan=False))
    assert set(said) >= {"position_percent", "yaw_deg", "velocity_rms", "nees_in_band", "nis_in_band", "tick_us", "baseline"}
    assert set(said["baseline"]) >= {"without_delay_handling", "leg_odometry", "invariant"}
    assert said["tick_us"]["p99"] >= said["tick_us"]["p50"] > 0.0
    assert asdict(result)["robot"] == "hyq"
    assert next(table.row_count for table in estimator_tables(result)) == len(RUNS)
    draw_windows(result, tmp_path / "report" / "estimator.png")
    assert (tmp_path / "report" / "estimator.png").stat().st_size > 1000


def test_errors_that_are_drawn_from_the_covariance_lie_in_the_band() -> None:
    """The measure of honesty itself: 1 and 95 % for honest errors, more for errors that are twice as large as said."""
    generator = np.random.default_rng(0)
    time = STANDING + 0.02 * np.arange(1, 701)
    covariance = np.tile(np.diag([1.0, 2.0, 3.0, 0.1, 0.2, 0.3]), (len(time), 1, 1))
    deviation = np.sqrt(np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3, 1.0, 2.0, 3.0]))
    tracks = [Track(time, time, generator.normal(size=(len(time), 9)) * deviation, covariance, covariance) for _ in range(10)]
    honest = nees(tracks, "pose")
    assert honest.normalised == pytest.approx(1.0, abs=0.03)
    assert honest.in_band == pytest.approx(0.95, abs=0.03)
    proud = nees([replace(track, error=2.0 * track.error) for track in tracks], "pose")
    assert proud.normalised == pytest.approx(4.0, abs=0.15)
    assert proud.in_band < 0.05
