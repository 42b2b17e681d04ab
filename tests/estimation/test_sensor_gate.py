# SPDX-License-Identifier: Apache-2.0
"""Cases 36, 40, 44, 46, 52, 64 and their kinds."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.estimation.refusals import Refusal
from surefoot.estimation.sensor_gate import RawFeet, RawImu, RawJoints, SensorGate
from surefoot.estimation.settings import GateSettings
from surefoot.estimation.slot import FootForceMeasurement, ImuMeasurement, JointMeasurement, Measurement
from surefoot.robot.load import load_robot

DESCRIPTION = load_robot("hyq").description
NAMES = list(DESCRIPTION.joint_names)
SETTINGS = GateSettings(
    missing_velocity="differentiate", velocity_cutoff=30.0, angular_velocity_limit=60.0, specific_force_limit=500.0, frozen_motion=0.02
)
NUMBERS = np.arange(12.0)
JOINTS = RawJoints(NAMES, 0.1 * NUMBERS, 0.2 * NUMBERS, 0.3 * NUMBERS)
IMU = RawImu([0.1, 0.2, 0.3], [0.0, 0.0, 9.81])
FEET = RawFeet(list(DESCRIPTION.foot_names), np.arange(12.0).reshape(4, 3))


def gate(**changes: object) -> SensorGate:
    return SensorGate(DESCRIPTION, SETTINGS.model_copy(update=changes))


def same(one: Measurement | Refusal, other: Measurement | Refusal) -> bool:
    assert not isinstance(one, Refusal)
    assert not isinstance(other, Refusal)
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in one.__dataclass_fields__)


@given(st.permutations(range(12)), st.permutations(range(4)))
def test_the_order_of_names_changes_nothing(order: list[int], feet: list[int]) -> None:
    plain, plain_feet = gate().admit_joints(1.0, JOINTS), gate().admit_feet(1.0, FEET)
    joints = RawJoints([NAMES[i] for i in order], JOINTS.position[order], JOINTS.velocity[order], JOINTS.effort[order])
    shuffled = RawFeet([FEET.names[i] for i in feet], FEET.force[feet])
    other = gate()
    assert same(other.admit_joints(1.0, joints), plain)
    assert same(other.admit_feet(1.0, shuffled), plain_feet)
    # The same names in another order at the next sample are a new order, not the remembered one.
    assert same(other.admit_joints(2.0, JOINTS), replace(plain, time=2.0))


@pytest.mark.parametrize(
    ("names", "kind", "word"),
    [
        (["imu_joint", *NAMES[1:]], "unknown_joint", "imu_joint"),
        ([*NAMES, "imu_joint"], "unknown_joint", "imu_joint"),
        ([NAMES[1], *NAMES[1:]], "duplicate_joint", NAMES[1]),
        (NAMES[:11], "missing_joint", NAMES[11]),
        ([], "missing_joint", NAMES[0]),
    ],
)
def test_names_that_do_not_fit_are_refused_by_name(names: list[str], kind: str, word: str) -> None:
    refused = gate()
    answer = refused.admit_joints(1.0, RawJoints(names, np.zeros(len(names))))
    assert isinstance(answer, Refusal)
    assert answer.kind == kind
    assert word in answer.words
    assert refused.refusals.counts == {kind: 1}


def test_feet_answer_to_the_names_of_the_description_only() -> None:
    answer = gate().admit_feet(1.0, RawFeet(["FL_foot"], [[0.0, 0.0, 1.0]]))
    assert isinstance(answer, Refusal)
    assert answer.kind == "unknown_foot"
    assert DESCRIPTION.foot_names[0] in answer.words


def test_a_foot_that_is_left_out_is_not_measured() -> None:
    sample = gate().admit_feet(1.0, RawFeet([DESCRIPTION.foot_names[2]], [[1.0, 2.0, 3.0]]))
    assert isinstance(sample, FootForceMeasurement)
    assert sample.force_base[2].tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(sample.force_base[[0, 1, 3]]).all()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("where", ["position", "velocity", "effort", "rate", "force", "foot", "stamp"])
def test_what_is_not_finite_is_refused_and_the_next_sample_is_fine(bad: float, where: str) -> None:
    values = {name: np.array(getattr(JOINTS, name)) for name in ("position", "velocity", "effort")}
    rate, force, feet = [0.0, 0.0, 0.0], [0.0, 0.0, 9.81], np.zeros((4, 3))
    if where in values:
        values[where][4] = bad
    elif where in ("rate", "force"):
        (rate if where == "rate" else force)[0] = bad
    elif where == "foot":
        feet[1, 2] = bad
    guarded = gate()
    stamp = bad if where == "stamp" else 1.0
    answers = (
        guarded.admit_joints(stamp, RawJoints(NAMES, **values)),
        guarded.admit_imu(stamp, RawImu(rate, force)),
        guarded.admit_feet(stamp, RawFeet(FEET.names, feet)),
    )
    refused = [answer for answer in answers if isinstance(answer, Refusal)]
    assert [answer.kind for answer in refused] == ["not_finite"] * (3 if where == "stamp" else 1)
    assert guarded.refusals.counts["not_finite"] == len(refused)
    assert isinstance(guarded.admit_joints(1.0, JOINTS), JointMeasurement)
    assert isinstance(guarded.admit_imu(1.0, IMU), ImuMeasurement)
    assert isinstance(guarded.admit_feet(1.0, FEET), FootForceMeasurement)


@pytest.mark.parametrize("missing", [[], [math.nan] * 12])
def test_velocity_that_is_not_measured_is_differentiated_or_refused(missing: list[float]) -> None:
    differentiating, refusing = gate(), gate(missing_velocity="refuse")
    for k in range(200):
        sample = differentiating.admit_joints(0.004 * k, RawJoints(NAMES, np.full(12, 0.5 * 0.004 * k), missing))
        assert isinstance(sample, JointMeasurement)
        assert np.isfinite(sample.velocity).all()
    np.testing.assert_allclose(sample.velocity, 0.5, rtol=1e-6)
    late = differentiating.admit_joints(0.75, RawJoints(NAMES, np.zeros(12), missing))
    assert isinstance(late, Refusal)
    assert late.kind == "stamp_older"
    answer = refusing.admit_joints(0.0, RawJoints(NAMES, np.zeros(12), missing))
    assert isinstance(answer, Refusal)
    assert answer.kind == "velocity_missing"


@pytest.mark.parametrize("jump", [1e6, 5.0, -0.3, -100.0])
def test_one_wrong_stamp_does_not_end_the_differentiation_and_a_clock_that_jumps_neither(jump: float) -> None:
    def joints(k: int) -> RawJoints:
        return RawJoints(NAMES, np.full(12, 0.002 * k))

    once, jumped = gate(), gate()
    for k in range(200):
        once.admit_joints(0.004 * k, joints(k))
        jumped.admit_joints(0.004 * k, joints(k))
    wrong = once.admit_joints(0.8 + jump, joints(200))
    assert isinstance(wrong, Refusal)
    assert wrong.kind == "stamp_jumped"
    after = once.admit_joints(0.804, joints(201))
    assert isinstance(after, JointMeasurement)
    np.testing.assert_allclose(after.velocity, 0.5, rtol=1e-6)
    answers = [jumped.admit_joints(0.004 * k + jump, joints(k)) for k in range(200, 400)]
    assert isinstance(answers[0], Refusal)
    assert all(isinstance(answer, JointMeasurement) for answer in answers[1:])
    np.testing.assert_allclose(answers[-1].velocity, 0.5, rtol=1e-6)


def test_a_wrong_stamp_does_no_harm_where_velocities_are_measured() -> None:
    guarded = gate()
    for stamp in (0.0, 1e6, 0.004, 0.008):
        assert isinstance(guarded.admit_joints(stamp, JOINTS), JointMeasurement)
    differentiated = guarded.admit_joints(0.012, RawJoints(NAMES, JOINTS.position))
    assert isinstance(differentiated, JointMeasurement)
    assert not differentiated.velocity_measured


def test_it_is_said_which_velocities_were_measured() -> None:
    measured, differentiated = gate().admit_joints(1.0, JOINTS), gate().admit_joints(1.0, RawJoints(NAMES, JOINTS.position))
    assert measured.velocity_measured
    assert not differentiated.velocity_measured


@pytest.mark.parametrize(
    ("joints", "imu"),
    [
        (RawJoints(NAMES, np.zeros(11)), IMU),
        (RawJoints(NAMES, np.zeros(12), np.zeros(3)), IMU),
        (RawJoints(NAMES, np.zeros(12), (), np.zeros(13)), IMU),
        (RawJoints(NAMES, ["a"] * 12), IMU),
        (JOINTS, RawImu([0.0, 0.0], [0.0, 0.0, 9.81])),
        (JOINTS, RawImu([0.0, 0.0, 0.0], [])),
        (JOINTS, RawImu(None, [0.0, 0.0, 9.81])),
    ],
)
def test_wrong_lengths_are_refused(joints: RawJoints, imu: RawImu) -> None:
    answers = gate().admit_joints(1.0, joints), gate().admit_imu(1.0, imu)
    assert [answer.kind for answer in answers if isinstance(answer, Refusal)] == ["wrong_length"]


def test_numbers_that_no_robot_makes_are_refused() -> None:
    answer = gate().admit_imu(1.0, RawImu([0.0, 0.0, 0.0], [0.0, 1e6, 9.81]))
    assert isinstance(answer, Refusal)
    assert answer.kind == "implausible"


def test_the_sample_does_not_change_with_the_senders_arrays() -> None:
    position = np.zeros(12)
    sample = gate().admit_joints(1.0, RawJoints(NAMES, position))
    position[:] = 9.0
    assert isinstance(sample, JointMeasurement)
    assert not sample.position.any()


def held_imu(moves: float, every: int = 10_000) -> SensorGate:
    """A gate that has heard 100 samples at 250 Hz of joints that move (rad each) and of an IMU that says another thing every so many."""
    heard = gate()
    for tick in range(100):
        position = JOINTS.position + moves * tick
        heard.admit_joints(0.004 * tick, replace(JOINTS, position=position))
        heard.admit_imu(0.004 * tick, replace(IMU, angular_velocity=[0.1, 0.2, float(tick // every)]))
    return heard


def test_an_imu_that_says_the_same_while_joints_move_is_not_believed() -> None:
    refusals = held_imu(moves=0.01).refusals
    assert 80 < refusals.counts["frozen"] < 95
    assert refusals.last["frozen"].startswith("the IMU says the same to the last digit for 0.396 s, while a joint moved by 0.99")


def test_an_imu_without_noise_on_a_robot_at_rest_and_a_slow_one_whose_samples_are_held_are() -> None:
    assert not held_imu(moves=0.0).refusals.counts["frozen"]
    assert not held_imu(moves=0.01, every=7).refusals.counts["frozen"]


def test_joints_that_are_heard_after_the_imu_have_not_moved() -> None:
    heard = gate()
    for tick in range(100):
        heard.admit_imu(0.004 * tick, IMU)
        heard.admit_joints(0.004 * tick, JOINTS)
    assert not heard.refusals.counts["frozen"]
