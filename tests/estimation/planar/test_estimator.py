# SPDX-License-Identifier: Apache-2.0
"""The planar estimator on a robot that rocks, its IMU and its poses late."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.estimation.choice import estimator_of
from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.planar.estimator import PlanarEstimator
from surefoot.estimation.refusals import Refusal
from surefoot.robot.state import RobotState

LATE = 3
"""Steps by which IMU and poses come later than encoders [Levashov 2012, section 4.4]."""


def in_plane(state: RobotState) -> np.ndarray:
    """x, z and the angle from x to z of the base, and their rates, (6,)."""
    x, _, z = state.base_position
    vx, _, vz = state.base_linear_velocity
    pitch = 2.0 * np.arctan2(state.base_quaternion[1], state.base_quaternion[3])
    return np.array([x, z, -pitch, vx, vz, -state.base_angular_velocity[1]])


def run(estimator, rocking, poses=True, commands=True, late=LATE, loss=0.1, ahead=0.0):
    """States at each step, whatever comes when."""
    generator, states = np.random.default_rng(9), []
    for n in range(len(rocking.imu)):
        if generator.random() > loss:
            estimator.take(rocking.joints[n])
        for heard in (rocking.imu, rocking.poses) if poses else (rocking.imu,):
            if n >= late and generator.random() > loss:
                estimator.take(heard[n - late])
        if commands:
            estimator.command(rocking.joints[n].time, rocking.wanted[n])
        states.append(estimator.state(rocking.joints[n].time + ahead))
    return states


@pytest.fixture
def estimator(a1, planar_settings) -> PlanarEstimator:
    made = estimator_of(a1, planar_settings)
    assert isinstance(made, PlanarEstimator)
    return made


def errors(states, rocking, begin=60):
    return np.array([in_plane(state) for state in states[begin:]]) - rocking.bases[begin : len(states)]


@pytest.mark.parametrize("poses", [True, False])
def test_it_follows_a_robot_that_rocks(estimator, rock, poses) -> None:
    """Feet leave the ground and come down, sensors are 30 ms late, one sample of ten is lost."""
    rocking = rock(0)
    assert len(set(rocking.modes)) > 1
    states = run(estimator, rocking, poses)
    error = np.sqrt(np.mean(errors(states, rocking) ** 2, axis=0))
    # Where nobody says the place, feet that are taken to stand and do not carry x away.
    assert error[0] < (0.003 if poses else 0.01)
    assert error[1] < 0.001
    assert error[2] < 0.005
    assert error[3:5].max() < 0.15
    flip = np.array([1.0, 1.0, -1.0])
    distances = []
    for state, off in zip(states[60:], errors(states, rocking), strict=True):
        spread = state.pose_covariance[np.ix_([0, 2, 4], [0, 2, 4])] * np.outer(flip, flip)
        distances.append(off[:3] @ np.linalg.solve(spread, off[:3]) / 3.0)
    assert 0.3 < np.median(distances) < 2.0
    assert int(estimator.diagnostics["planar_liftoffs"]) > 0


def test_without_what_the_motors_are_asked_for_it_knows_less(a1, planar_settings, rock) -> None:
    rocking = rock(0)
    off = [
        np.abs(errors(run(PlanarEstimator(a1.description, a1, planar_settings), rocking, commands=commands), rocking)[:, 2]).mean()
        for commands in (True, False)
    ]
    assert off[0] < 0.95 * off[1]


def test_one_step_ahead_is_nearer_to_what_is_then(a1, planar_settings, rock) -> None:
    rocking = rock(1)
    here = run(PlanarEstimator(a1.description, a1, planar_settings), rocking)
    window = planar_settings.window.model_copy(update={"lead": 0.01})
    leading = run(PlanarEstimator(a1.description, a1, planar_settings.model_copy(update={"window": window})), rocking)
    truth = rocking.bases[61:]
    late, early = (np.array([in_plane(state) for state in states[60:-1]])[:, 2] - truth[:, 2] for states in (here, leading))
    assert np.sqrt(np.mean(early**2)) < np.sqrt(np.mean(late**2))


def test_samples_of_one_instant_may_come_in_any_order(a1, planar_settings, rock) -> None:
    rocking = rock(0, 1.5)
    results = []
    for order in ("imu first", "imu last"):
        estimator = PlanarEstimator(a1.description, a1, planar_settings)
        for n in range(len(rocking.imu)):
            # The imu of a step comes before the next step is made, so both orders deliver the same to the same steps.
            first, second = (rocking.imu[n], rocking.joints[n]) if order == "imu first" else (rocking.joints[n], rocking.imu[n])
            estimator.take(first)
            estimator.take(second)
        estimator.take(replace(rocking.joints[-1], time=rocking.joints[-1].time + 0.01))
        results.append(in_plane(estimator.state(0.0)))
    np.testing.assert_allclose(results[0], results[1], atol=2e-3)


def test_it_is_not_valid_while_a_sensor_is_silent(estimator, rock) -> None:
    rocking = rock(0, 1.2)
    states = run(estimator, rocking, loss=0.0)
    assert all(state.valid for state in states[60:]), [state.invalid_reason for state in states[60:]]
    last = rocking.imu[-1 - LATE].time
    assert estimator.state(last + 0.065).valid or "joints" in estimator.state(last + 0.065).invalid_reason
    gone = estimator.state(rocking.joints[-1].time + 0.05)
    assert "no sensor data came from joints for 0.050 s" in gone.invalid_reason
    assert "no sensor data came from imu for 0.080 s" in gone.invalid_reason
    assert estimator.attitude_problem == gone.invalid_reason


def test_a_sensor_that_has_said_nothing_true_for_a_while_is_silent(estimator, rock) -> None:
    rocking = rock(0, 1.0)
    assert run(estimator, rocking, loss=0.0)[-1].valid
    refusal = Refusal("frozen", "the IMU says the same to the last digit", since=rocking.imu[-1].time - 0.2)
    assert estimator.hear(refusal) is refusal
    assert "no sensor data came from imu" in estimator.state(rocking.joints[-1].time).invalid_reason


def test_joints_that_stay_away_do_not_pile_up_what_others_say(estimator, rock) -> None:
    rocking = rock(0, 1.0)
    run(estimator, rocking, loss=0.0)
    for n in range(600):
        estimator.take(replace(rocking.imu[0], time=rocking.imu[-1].time + 0.01 * n))
    assert len(estimator._readings._waiting) < 150
    assert not estimator.state(8.0).valid
    assert not estimator.started


def test_an_imu_that_is_later_than_the_steps_reach_is_not_heard(estimator, rock) -> None:
    states = run(estimator, rock(0, 1.2), late=5, loss=0.0)
    assert "imu" in states[-1].invalid_reason


def test_a_clock_that_goes_back_a_little_is_told_and_starts_it_again(estimator, rock) -> None:
    rocking = rock(0, 1.0)
    run(estimator, rocking, loss=0.0)
    for n in range(30):
        time = rocking.joints[-1].time - 0.5 + 0.01 * n
        estimator.take(replace(rocking.imu[0], time=time))
        estimator.take(replace(rocking.joints[0], time=time))
        if n == 8:
            assert not estimator.state(time).valid
    assert "clock went back" in estimator.state(0.0).invalid_reason or estimator.started


def test_legs_that_do_not_move_in_pairs_are_no_planar_robot(estimator, rock) -> None:
    rocking = rock(0, 1.0)
    apart = rocking.joints[-1].position.copy()
    apart[1] += 0.4
    rocking.joints[-1] = replace(rocking.joints[-1], position=apart)
    assert "not planar: the legs of a pair are 0.4" in run(estimator, rocking, loss=0.0)[-1].invalid_reason


def test_a_robot_that_is_tipped_with_the_ground_under_it_is_not_believed(estimator, rock) -> None:
    """Its feet say that it is level; by gravity it is not."""
    rocking = rock(0, 1.0)
    assert run(estimator, rocking, loss=0.0)[-1].valid
    mounted = estimator._base_from_imu
    for n in range(200):
        time = rocking.joints[-1].time + 0.01 * (n + 1)
        tipped = mounted.T @ (9.81 * np.array([np.sin(0.4), 0.0, np.cos(0.4)]))
        estimator.take(replace(rocking.imu[0], time=time, specific_force_imu=tipped))
        estimator.take(replace(rocking.joints[0], time=time))
        state = estimator.state(time)
    assert "the robot does not stand on its feet alone" in state.invalid_reason
    assert estimator.attitude_problem == state.invalid_reason


def test_what_cannot_be_used_is_counted_and_changes_nothing(estimator, rock) -> None:
    rocking = rock(0, 1.0)
    before = run(estimator, rocking, loss=0.0)[-1]
    time = rocking.joints[-1].time
    bad = replace(rocking.imu[-1], time=time, angular_velocity_imu=np.array([0.0, np.nan, 0.0]))
    for measurement in (
        bad, replace(rocking.joints[-1]), replace(rocking.imu[0], time=rocking.imu[0].time + 0.4),
        replace(rocking.poses[-1], variance=np.full(6, np.nan)), replace(rocking.joints[-1], time=float("nan")),
        replace(rocking.joints[-1], time=time + 5.0),
    ):  # fmt: skip
        assert estimator.take(measurement) is not None
    counted = {"not_finite": 2, "stamp_repeated": 1, "stamp_too_old": 1, "pose_incomplete": 1, "stamp_jumped": 1}
    assert estimator.refusals.counts == counted
    np.testing.assert_array_equal(in_plane(estimator.state(time)), in_plane(before))
    estimator.command(np.nan, np.full(12, np.nan))


def test_after_a_clock_that_jumped_it_starts_where_it_was(estimator, rock) -> None:
    rocking = rock(0, 1.3)
    place = in_plane(run(estimator, rocking, loss=0.0)[-1])[0]
    still = rock(0, 0.5)
    for shift in (100.0,):
        for n in range(len(still.imu)):
            estimator.take(replace(still.imu[n], time=still.imu[n].time + shift))
            estimator.take(replace(still.joints[n], time=still.joints[n].time + shift))
            if n == 5:
                assert "starting again" in estimator.state(0.0).invalid_reason
    state = estimator.state(0.0)
    assert state.valid, state.invalid_reason
    assert in_plane(state)[0] == pytest.approx(place, abs=0.02)


def test_a_filter_that_left_the_finite_starts_again(estimator, rock, monkeypatch) -> None:
    rocking = rock(0, 1.0)
    run(estimator, rocking, loss=0.0)
    monkeypatch.setattr(estimator._filter, "estimate", lambda: (np.full(14, np.nan), np.eye(14)))
    estimator.take(replace(rocking.joints[-1], time=rocking.joints[-1].time + 0.01))
    assert not estimator.started
    assert estimator.refusals.counts["diverged"] == 1
    assert np.isfinite(in_plane(estimator.state(2.0))).all()
    assert "left the finite" in estimator.state(2.0).invalid_reason


def test_a_robot_that_moves_does_not_start(estimator, rock) -> None:
    rocking = rock(0, 1.5)
    for n in range(52, 74):
        estimator.take(rocking.imu[n])
        estimator.take(rocking.joints[n])
    assert not estimator.started
    assert estimator.state(9.0).invalid_reason.startswith("not started: ")


def test_the_settings_choose_the_process(a1, planar_settings) -> None:
    assert isinstance(estimator_of(a1, planar_settings.model_copy(update={"process": "spatial"})), StateEstimator)
