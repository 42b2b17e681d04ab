# SPDX-License-Identifier: Apache-2.0


import numpy as np
import pytest

from surefoot.estimation.contact import FORCE, MOTION, TORQUE, feel_force, foot_force_from_torque, miss, see_motion, trust
from surefoot.estimation.filter_state import FILTER_PARAMETERS, FILTER_STATE
from surefoot.robot.leg_kinematics import foot_jacobian_in_base
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree

UP = np.array([0.0, 0.0, 1.0])
STEP = 0.004
LOADED, FREE = 300.0, 0.0


def parameters() -> np.ndarray:
    record = np.zeros(1, FILTER_PARAMETERS)
    record["contact_begin"], record["contact_end"], record["contact_scale"] = 40.0, 20.0, 4.0
    record["contact_evidence"], record["contact_certainty"] = 2.5, 3.0
    record["stillness_evidence"], record["swing_variance"], record["trust_time"] = 0.5, 0.25, 0.5
    record["slip_variance"], record["touchdown_speed_variance"] = 0.003**2, 0.05**2
    return record


def unheard() -> np.ndarray:
    state = np.zeros(1, FILTER_STATE)
    state["contact_evidence"] = np.nan
    return state


def judged(state: np.ndarray, force: np.ndarray, normal: np.ndarray = UP) -> float:
    feel_force(state[0], parameters()[0], 0, FORCE, force, normal)
    return float(state["contact_probability"][0, 0])


def decisions(forces: list[float]) -> list[bool]:
    """What a foot that has felt nothing so far is taken for after each sample of its normal force, N."""
    state, taken = unheard(), []
    for force in forces:
        judged(state, force * UP)
        taken.append(bool(state["in_contact"][0, 0]))
    return taken


class Foot:
    """A foot that tells what its sensors and its motion say, step by step."""

    def __init__(self) -> None:
        self.state = unheard()

    def feel(self, force: float, torque: float, speed: float, count: int = 1) -> bool:
        """Force sensor, force by torque (N; NaN: silent) and speed (m/s) of some samples. Returns whether it is in contact."""
        record = parameters()[0]
        for _ in range(count):
            self.state["foot_speed_squared"][0, 0] = speed**2
            see_motion(self.state[0], record, 0, STEP)
            for source, value in ((FORCE, force), (TORQUE, torque)):
                feel_force(self.state[0], record, 0, source, value * UP, UP)
        return bool(self.state["in_contact"][0, 0])

    def walk(self, force_on: float, force_off: float, torque_on: float, torque_off: float, steps: int = 1) -> list[bool]:
        """Stances of 0.24 s and swings of 0.16 s, which begin and end slowly. Returns the decisions of the last step, sample by sample."""
        taken: list[bool] = []
        for _ in range(steps):
            taken = [self.feel(force_on, torque_on, 0.003) for _ in range(60)]
            taken += [self.feel(force_off, torque_off, 1.5 * float(np.sin(np.pi * (k + 1) / 41))) for k in range(40)]
        return taken


def test_probability_is_one_half_at_the_threshold_and_grows_with_force() -> None:
    assert judged(unheard(), 40.0 * UP) == 0.5
    values = [judged(unheard(), force * UP) for force in np.linspace(-100.0, 1000.0, 50)]
    assert np.all(np.diff(values) >= 0.0)
    assert values[0] == pytest.approx(1.0 / (1.0 + np.exp(2.5)))
    assert values[-1] == pytest.approx(1.0 / (1.0 + np.exp(-2.5)))


def test_samples_that_agree_make_a_foot_surer_up_to_a_bound() -> None:
    state = unheard()
    values = [judged(state, 500.0 * UP) for _ in range(10)]
    assert values[1] > values[0]
    assert values[-1] == values[1] == pytest.approx(1.0 / (1.0 + np.exp(-3.0)))


def test_a_foot_keeps_its_contact_between_the_two_thresholds() -> None:
    assert decisions([0.0, 30.0, 60.0, 60.0, 30.0, 25.0, 0.0, 0.0, 30.0]) == [False, False, False, True, True, True, True, False, False]


@pytest.mark.parametrize("wrong", [1e4, 60.0])
def test_one_spoilt_sample_never_changes_a_foot_that_was_sure(wrong: float) -> None:
    assert not any(decisions([0.0, 0.0, wrong, 0.0, wrong, 0.0]))
    assert all(decisions([300.0, 300.0, 40.0 - wrong, 300.0, 40.0 - wrong, 300.0]))


def test_two_samples_in_a_row_are_enough_to_touch_down_and_to_lift_off() -> None:
    assert decisions([0.0, 0.0, 300.0, 300.0, 300.0, 0.0, 0.0]) == [False, False, False, True, True, True, False]


def test_only_the_force_along_the_normal_counts() -> None:
    force = np.array([500.0, 0.0, 0.0])
    assert judged(unheard(), force) < 0.1
    assert judged(unheard(), force, np.array([1.0, 0.0, 0.0])) > 0.9


def test_joint_torques_tell_the_force_of_a_foot(hyq: RobotModel) -> None:
    tree, joints = leg_tree(hyq), hyq.stand_joint_position.reshape(4, 3)
    jacobian, force, found = foot_jacobian_in_base(tree, 2, joints[2]), np.array([20.0, -10.0, 300.0]), np.empty(3)
    foot_force_from_torque(-jacobian.T @ force, jacobian, 1e-6, found)
    np.testing.assert_allclose(found, force, rtol=1e-4, atol=0.1)


def test_a_foot_of_which_nothing_is_known_is_not_in_contact() -> None:
    foot = Foot()
    assert foot.feel(LOADED, LOADED, 0.0, 5)
    assert not foot.feel(np.nan, np.nan, 0.0)
    assert foot.state["contact_probability"][0, 0] == 0.0
    assert foot.state["load"][0, 0] == 0.0
    assert judged(unheard(), np.full(3, np.nan)) == 0.0


def test_a_straight_leg_gives_a_finite_force() -> None:
    force = np.empty(3)
    foot_force_from_torque(np.ones(3), np.zeros((3, 3)), 0.02, force)
    assert np.isfinite(force).all()


def test_two_sources_that_contradict_each_other_leave_a_foot_what_it_was() -> None:
    """The third decides: a foot that swings is in the air whatever its sensor says, and one that stands on the ground is on it."""
    for was in (LOADED, FREE):
        foot = Foot()
        foot.feel(was, was, 0.0 if was else 1.5, 10)
        before = bool(foot.state["in_contact"][0, 0])
        record = parameters()[0]
        for _ in range(20):
            for source, value in ((FORCE, LOADED - was), (TORQUE, was)):
                feel_force(foot.state[0], record, 0, source, value * UP, UP)
            assert bool(foot.state["in_contact"][0, 0]) == before == bool(was)


@pytest.mark.parametrize(("stuck", "says"), [("force", FREE), ("force", LOADED), ("torque", FREE), ("torque", LOADED)])
def test_a_source_that_is_stuck_is_outvoted_at_once_and_loses_its_voice(stuck: str, says: float) -> None:
    foot, source = Foot(), FORCE if stuck == "force" else TORQUE
    right = foot.walk(LOADED, FREE, LOADED, FREE, 5)
    assert trust(foot.state[0], 0, FORCE) == trust(foot.state[0], 0, TORQUE) == 1.0
    for steps in (1, 10):
        taken = foot.walk(says, says, LOADED, FREE, steps) if source == FORCE else foot.walk(LOADED, FREE, says, says, steps)
        # Where the foot is fully on the ground or in full swing, from the first step on.
        assert all(taken[10:60])
        assert not any(taken[72:90])
    assert trust(foot.state[0], 0, source) == 0.0
    assert trust(foot.state[0], 0, 1 - source) == 1.0
    assert sum(one != other for one, other in zip(taken, right, strict=True)) <= 8
    foot.walk(LOADED, FREE, LOADED, FREE, 10)
    assert trust(foot.state[0], 0, source) == 1.0


def test_with_one_source_nobody_judges_it() -> None:
    """Motion alone says too little: a foot that is held still in the air is not on the ground."""
    foot = Foot()
    assert not foot.feel(FREE, np.nan, 0.0, 2000)
    assert trust(foot.state[0], 0, FORCE) == 1.0
    assert foot.feel(LOADED, np.nan, 0.0, 2000)


def test_a_foot_that_slips_under_load_is_still_in_contact() -> None:
    foot = Foot()
    assert foot.feel(LOADED, LOADED, 0.0, 10)
    assert foot.feel(LOADED, LOADED, 0.6, 100)


def test_motion_is_worth_little_where_the_velocity_is_not_known() -> None:
    foot = Foot()
    foot.state["covariance"][0, 3:6, 3:6] = 100.0 * np.eye(3)
    foot.feel(FREE, np.nan, 1.5, 2)
    assert abs(foot.state["contact_evidence"][0, 0, MOTION]) < 0.05


def test_a_silent_source_is_left_out() -> None:
    foot = Foot()
    foot.feel(FREE, LOADED, 0.0, 3)
    miss(foot.state[0], parameters()[0], 0, FORCE)
    assert foot.feel(np.nan, LOADED, 0.0, 3)
