# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from surefoot.errors import RobotDescriptionError
from surefoot.robot.command import JointCommand
from surefoot.robot.load import load_robot
from surefoot.robot.locate import robot_names
from surefoot.servos.limiter import CommandLimiter
from surefoot.servos.limits import JointLimits, posture_of
from surefoot.servos.settings import BridgeSettings

STAND = np.tile([0.0, 0.6, -1.2], 4)
NAMES = tuple(f"{leg}_{joint}" for leg in ("LF", "RF", "LH", "RH") for joint in ("HAA", "HFE", "KFE"))
LIMITS = JointLimits(NAMES, np.tile([-1.0, -0.5, -2.7], 4), np.tile([1.0, 2.0, -0.3], 4), np.full(12, 12.0), np.full(12, 150.0))


def limiter(position: np.ndarray = STAND, **options: object) -> CommandLimiter:
    made = CommandLimiter(LIMITS, BridgeSettings.model_validate(options))
    made.restart(0.0, position)
    return made


def command(
    position: np.ndarray = STAND, effort: float = 0.0, stiffness: float = 0.0, damping: float = 0.0, velocity: float = 0.0
) -> JointCommand:
    one = np.ones(12)
    return JointCommand(0.0, np.array(position, dtype=float), velocity * one, effort * one, stiffness * one, damping * one)


def torque(made: JointCommand, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    return made.effort + made.stiffness * (made.position - position) + made.damping * (made.velocity - velocity)


@pytest.mark.parametrize("key", ["position", "velocity", "effort", "stiffness", "damping"])
def test_nan_does_not_pass_the_limiter(key: str) -> None:  # case 112
    wanted = command()
    getattr(wanted, key)[4] = np.nan
    with pytest.raises(FloatingPointError, match=f"RF_HFE {key} is nan"):
        limiter().limit(0.004, wanted, STAND, np.zeros(12))
    with pytest.raises(FloatingPointError, match="LF_HAA joint_velocity is nan"):
        limiter().limit(0.004, command(), STAND, np.array([np.nan, *np.zeros(11)]))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_it_does_not_go_on_from_a_position_that_is_none(value: float) -> None:
    with pytest.raises(FloatingPointError, match=f"LH_HAA joint_position is {value}"):
        limiter(np.array([*STAND[:6], value, *STAND[7:]]))


def test_a_command_inside_the_limits_passes_untouched() -> None:
    wanted = command(effort=20.0, stiffness=100.0, damping=3.0)
    made = limiter().limit(0.004, wanted, STAND - 0.1, np.zeros(12))
    assert made.remarks == ()
    for key in ("position", "velocity", "effort", "stiffness", "damping"):
        np.testing.assert_array_equal(getattr(made, key), getattr(wanted, key))


def test_targets_move_no_faster_than_the_velocity_limit() -> None:
    goal = STAND.copy()
    goal[1] += 1.0
    made = limiter()
    first = made.limit(0.004, command(goal, stiffness=1.0), STAND, np.zeros(12))
    assert first.position[1] == pytest.approx(STAND[1] + 12.0 * 0.004)
    assert first.remarks == ("LF_HFE position 1.6 clamped to 0.648",)
    np.testing.assert_array_equal(np.delete(first.position, 1), np.delete(STAND, 1))  # case 34
    assert made.limit(0.012, command(goal, stiffness=1.0), STAND, np.zeros(12)).position[1] == pytest.approx(STAND[1] + 12.0 * 0.012)
    assert made.limit(0.012, command(goal, stiffness=1.0), STAND, np.zeros(12)).position[1] == pytest.approx(STAND[1] + 12.0 * 0.012)


def test_targets_stay_inside_the_position_limits() -> None:
    made = limiter().limit(9.0, command(STAND + 9.0, stiffness=1.0), STAND, np.zeros(12))
    np.testing.assert_array_equal(made.position, LIMITS.upper)


def test_torque_counts_feed_forward_and_feedback() -> None:
    made = limiter().limit(0.004, command(effort=100.0, stiffness=1000.0), STAND - 0.1, np.zeros(12))
    np.testing.assert_allclose(torque(made, STAND - 0.1, np.zeros(12)), 150.0)
    np.testing.assert_allclose(made.stiffness, 500.0)
    assert "LF_HAA torque 200 N m clamped to 150" in made.remarks


def test_no_torque_pushes_a_joint_further_out() -> None:
    position = STAND.copy()
    position[0] = 1.2
    speed = np.zeros(12)
    speed[3], speed[4] = -13.0, 13.0
    up, down = (limiter().limit(0.004, command(effort=sign * 80.0), position, speed).effort for sign in (1.0, -1.0))
    assert (up[0], down[0]) == (0.0, -80.0)
    assert (up[3], down[3]) == (80.0, 0.0)
    assert (up[4], down[4]) == (0.0, -80.0)
    assert (up[1], down[1]) == (80.0, -80.0)


@pytest.mark.parametrize(("speed", "bound"), [(0.0, 150.0), (6.0, 75.0), (-6.0, 75.0), (12.0, 0.0), (-12.0, 0.0)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_torque_speed_diamond_in_four_quadrants(speed: float, bound: float, sign: float) -> None:
    made = limiter(torque_speed_diamond=True).limit(0.004, command(effort=sign * 150.0), STAND, np.full(12, speed))
    np.testing.assert_allclose(made.effort, sign * bound, atol=1e-12)


def test_the_torque_rate() -> None:
    made = limiter(effort_rate_limit=1000.0)
    given = [
        made.limit(0.01 * tick, command(effort=100.0 if tick < 20 else -100.0), STAND, np.zeros(12)).effort[0] for tick in range(1, 50)
    ]
    assert max(np.abs(np.diff([0.0, *given]))) <= 10.0 + 1e-9
    assert (max(given), min(given)) == (100.0, -100.0)


everything = st.floats(-1e6, 1e6)


@settings(max_examples=150, deadline=None)
@given(
    arrays(float, (3, 4, 12), elements=everything),
    arrays(float, (3, 2, 12), elements=st.floats(0.0, 1e6)),
    arrays(float, (3, 12), elements=st.floats(-4.0, 4.0)),
    st.tuples(st.booleans(), st.sampled_from([None, 500.0])),
    st.lists(st.floats(0.0, 0.1), min_size=3, max_size=3),
)
def test_whatever_comes_in_what_goes_out_is_inside(
    numbers: np.ndarray, gains: np.ndarray, positions: np.ndarray, options: tuple[bool, float | None], steps: list[float]
) -> None:
    made = limiter(torque_speed_diamond=options[0], effort_rate_limit=options[1])
    time, previous = 0.0, STAND
    for (target, speed, effort, measured_speed), (stiffness, damping), position, step in zip(numbers, gains, positions, steps, strict=True):
        time += step
        joint_velocity = measured_speed / 1e5
        out = made.limit(time, JointCommand(time, target, speed, effort, stiffness, damping), position, joint_velocity)
        assert ((out.position >= LIMITS.lower) & (out.position <= LIMITS.upper)).all()
        assert (np.abs(out.position - previous) <= LIMITS.velocity * step + 1e-9).all()
        assert (np.abs(out.velocity) <= LIMITS.velocity).all()
        assert (np.abs(out.effort) <= LIMITS.effort).all()
        assert ((out.stiffness >= 0.0) & (out.stiffness <= np.minimum(stiffness, LIMITS.most_stiffness))).all()
        assert ((out.damping >= 0.0) & (out.damping <= np.minimum(damping, LIMITS.most_damping))).all()
        assert (np.abs(torque(out, position, joint_velocity)) <= LIMITS.effort * (1.0 + 1e-6)).all()
        previous = out.position


def test_gains_of_any_size_do_not_leave_it() -> None:
    """At the measured pose they ask for nothing; a milliradian later for more than the joint has."""
    made = limiter().limit(0.004, command(stiffness=1e6, damping=1e6), STAND, np.zeros(12))
    np.testing.assert_allclose(made.stiffness, 15000.0)
    np.testing.assert_allclose(made.damping, 125.0)
    assert (np.abs(torque(made, STAND - 1e-3, np.zeros(12))) < 0.2 * LIMITS.effort).all()
    assert made.remarks[0] == "LF_HAA stiffness 1e+06 clamped to 1.5e+04"
    assert made.remarks[12] == "LF_HAA damping 1e+06 clamped to 125"
    assert len(made.remarks) == 24
    made = limiter().limit(0.004, command(stiffness=1e6), STAND - 1e-3, np.zeros(12))
    assert made.remarks[12:] == (), "what the gain that is left asks for passes"


@pytest.mark.parametrize("name", robot_names())
def test_the_gains_of_every_robot_pass_with_room_to_spare(name: str) -> None:
    try:
        model = load_robot(name)
    except RobotDescriptionError:
        pytest.skip("the extra 'robots' is not installed")
    limits, servos = JointLimits.of(model), model.description.servos
    assert (2.0 * max(servos.stiffness, servos.posture_stiffness) <= limits.most_stiffness).all()
    assert (2.0 * max(servos.damping, servos.posture_damping, servos.safe_damping) <= limits.most_damping).all()
    np.testing.assert_array_equal(limits.damping_inside(servos.safe_damping, np.zeros(12)), servos.safe_damping)
    pose = posture_of(model.description, "stand")
    for stiffness, damping in ((servos.stiffness, servos.damping), (servos.posture_stiffness, servos.posture_damping)):
        made = CommandLimiter(limits, BridgeSettings())
        made.restart(0.0, pose)
        given_back = made.limit(0.004, command(pose, stiffness=stiffness, damping=damping), pose, np.zeros(12))
        assert given_back.remarks == ()
        assert (given_back.stiffness == stiffness).all()
        assert (given_back.damping == damping).all()
