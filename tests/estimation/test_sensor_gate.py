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

MODEL = load_robot("hyq")
DESCRIPTION = MODEL.description
NAMES = list(DESCRIPTION.joint_names)
SETTINGS = GateSettings(
    missing_velocity="differentiate", velocity_cutoff=30.0, angular_velocity_limit=60.0, specific_force_limit=500.0, frozen_motion=0.02,
    position_margin=0.5, position_jump=0.3, velocity_factor=5.0, effort_factor=5.0, foot_force_factor=30.0,
)  # fmt: skip
NUMBERS = np.arange(12.0)
STAND = MODEL.stand_joint_position
JOINTS = RawJoints(NAMES, STAND + 0.01 * NUMBERS, 0.2 * NUMBERS, 0.3 * NUMBERS)
IMU = RawImu([0.01, 0.02, 0.03], [0.0, 0.0, 9.81])
FEET = RawFeet(list(DESCRIPTION.foot_names), np.arange(12.0).reshape(4, 3))


def gate(**changes: object) -> SensorGate:
    return SensorGate(MODEL, SETTINGS.model_copy(update=changes))


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
        sample = differentiating.admit_joints(0.004 * k, RawJoints(NAMES, STAND + 0.5 * 0.004 * k, missing))
        assert isinstance(sample, JointMeasurement)
        assert np.isfinite(sample.velocity).all()
    np.testing.assert_allclose(sample.velocity, 0.5, rtol=1e-6)
    late = differentiating.admit_joints(0.75, RawJoints(NAMES, STAND + 0.4, missing))
    assert isinstance(late, Refusal)
    assert late.kind == "stamp_older"
    answer = refusing.admit_joints(0.0, RawJoints(NAMES, STAND, missing))
    assert isinstance(answer, Refusal)
    assert answer.kind == "velocity_missing"


@pytest.mark.parametrize("jump", [1e6, 5.0, -0.3, -100.0])
def test_one_wrong_stamp_does_not_end_the_differentiation_and_a_clock_that_jumps_neither(jump: float) -> None:
    def joints(k: int) -> RawJoints:
        return RawJoints(NAMES, STAND - 0.3 + 0.002 * k)

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


@pytest.mark.parametrize("wrong", [1e300, -1e300, 1e6, 5.0])
@pytest.mark.parametrize("where", ["position", "velocity", "effort", "foot"])
def test_finite_numbers_that_no_joint_and_no_foot_makes_are_refused_in_words(wrong: float, where: str) -> None:
    """5 rad off, or five times and a bit of what a joint may do, or of a foot thirty times the weight."""
    limits = {"position": 1.0, "velocity": MODEL.velocity_limit[4], "effort": MODEL.effort_limit[4], "foot": 6.0 * MODEL.total_mass * 9.81}
    value = wrong if abs(wrong) > 5.0 else 5.1 * limits[where]
    guarded = gate()
    if where == "foot":
        force = np.array(FEET.force)
        force[2, 0] = value
        answer, word = guarded.admit_feet(1.0, RawFeet(FEET.names, force)), DESCRIPTION.foot_names[2]
    else:
        # In another order than that of the description.
        order = [*range(6, 12), *range(6)]
        values = {name: np.array(getattr(JOINTS, name)) for name in ("position", "velocity", "effort")}
        values[where][4] = value
        joints = RawJoints([NAMES[k] for k in order], *(values[name][order] for name in values))
        answer, word = guarded.admit_joints(1.0, joints), NAMES[4]
    assert isinstance(answer, Refusal)
    assert answer.kind == "implausible"
    assert word in answer.words
    assert guarded.refusals.counts == {"implausible": 1}
    assert isinstance(guarded.admit_joints(1.004, JOINTS), JointMeasurement)
    assert isinstance(guarded.admit_feet(1.004, FEET), FootForceMeasurement)


def test_joints_beyond_their_limits_by_a_bad_zero_and_faster_than_they_may_be_are_believed() -> None:
    position, velocity = MODEL.position_upper + 0.4, 4.0 * MODEL.velocity_limit
    assert isinstance(gate().admit_joints(1.0, RawJoints(NAMES, position, velocity, 4.0 * MODEL.effort_limit)), JointMeasurement)


def test_a_joint_that_leaps_is_refused_once_and_believed_where_it_stays() -> None:
    guarded, leapt = gate(), np.array(STAND)
    leapt[4] -= 1.0
    said = [leapt, STAND, STAND, STAND, leapt, STAND, leapt, leapt, leapt]
    answers = [guarded.admit_joints(0.004 * tick, RawJoints(NAMES, position)) for tick, position in enumerate(said)]
    refused = [answer.kind if isinstance(answer, Refusal) else "" for answer in answers]
    # The first one was wrong, two that agree say so; then one alone is wrong, and at last it has really got there.
    assert refused == ["", "implausible", "", "", "implausible", "", "implausible", "", ""]


def test_after_a_silence_joints_may_be_anywhere_within_their_limits() -> None:
    guarded = gate()
    guarded.admit_joints(0.0, JOINTS)
    assert isinstance(guarded.admit_joints(1.0, RawJoints(NAMES, STAND - 0.8, JOINTS.velocity)), JointMeasurement)


def test_a_differentiated_velocity_is_never_faster_than_a_joint() -> None:
    guarded = gate()
    guarded.admit_joints(0.0, RawJoints(NAMES, STAND))
    for tick in range(1, 20):
        sample = guarded.admit_joints(1e-9 * tick, RawJoints(NAMES, STAND + 0.29 * (tick % 2)))
        assert isinstance(sample, JointMeasurement)
        assert (np.abs(sample.velocity) <= 5.0 * MODEL.velocity_limit).all()


@pytest.mark.parametrize(("which", "words"), [(0, "angular velocity"), (1, "linear acceleration")])
def test_what_the_imu_says_that_it_does_not_measure_is_refused(which: int, words: str) -> None:
    covariances = [np.zeros(9), np.zeros(9)]
    covariances[which][0] = -1.0
    guarded = gate()
    answer = guarded.admit_imu(1.0, RawImu(IMU.angular_velocity, IMU.specific_force, *covariances))
    assert isinstance(answer, Refusal)
    assert answer.kind == "not_measured"
    assert words in answer.words
    assert guarded.refusals.counts == {"not_measured": 1}
    assert isinstance(guarded.admit_imu(1.0, RawImu(IMU.angular_velocity, IMU.specific_force, np.zeros(9), np.zeros(9))), ImuMeasurement)


def test_the_sample_does_not_change_with_the_senders_arrays() -> None:
    position = STAND.copy()
    sample = gate().admit_joints(1.0, RawJoints(NAMES, position))
    position[:] = 9.0
    assert isinstance(sample, JointMeasurement)
    assert np.array_equal(sample.position, STAND)


def held_imu(moves: float, every: int = 10_000) -> SensorGate:
    """A gate that has heard 100 samples at 250 Hz of joints that move (rad each) and of an IMU that says another thing every so many."""
    heard = gate()
    for tick in range(100):
        position = JOINTS.position - 0.5 + moves * tick
        heard.admit_joints(0.004 * tick, replace(JOINTS, position=position))
        says = float(tick // every)
        heard.admit_imu(0.004 * tick, RawImu([0.01, 0.02, 1e-4 * says], [0.0, 1e-3 * says, 9.81]))
    return heard


def test_an_imu_that_says_the_same_while_joints_move_is_not_believed() -> None:
    refusals = held_imu(moves=0.01).refusals
    assert 80 < refusals.counts["frozen"] < 95
    assert refusals.last["frozen"].startswith(
        "the IMU says the same angular velocity and specific force to the last digit for 0.396 s, while a joint moved by 0.99"
    )


def test_an_imu_without_noise_on_a_robot_at_rest_and_a_slow_one_whose_samples_are_held_are() -> None:
    assert not held_imu(moves=0.0).refusals.counts["frozen"]
    assert not held_imu(moves=0.01, every=7).refusals.counts["frozen"]


@pytest.mark.parametrize("hangs", ["angular velocity", "specific force"])
def test_one_vector_of_the_imu_that_hangs_alone_is_not_believed(hangs: str) -> None:
    heard = gate()
    for tick in range(100):
        heard.admit_joints(0.004 * tick, replace(JOINTS, position=JOINTS.position - 0.5 + 0.01 * tick))
        live, dead = 1e-4 * tick, 0.0
        rate, force = (dead, live) if hangs == "angular velocity" else (live, dead)
        heard.admit_imu(0.004 * tick, RawImu([0.0, 0.0, rate], [0.0, force, 9.81]))
    assert 80 < heard.refusals.counts["frozen"] < 95
    assert f"the same {hangs} to the last digit" in heard.refusals.last["frozen"]


def test_joints_that_are_heard_after_the_imu_have_not_moved() -> None:
    heard = gate()
    for tick in range(100):
        heard.admit_imu(0.004 * tick, IMU)
        heard.admit_joints(0.004 * tick, JOINTS)
    assert not heard.refusals.counts["frozen"]
