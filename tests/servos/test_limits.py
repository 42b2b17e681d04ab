# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable

import numpy as np
import pytest

from surefoot.errors import RobotDescriptionError, UnknownNameError
from surefoot.robot.description import RobotDescription
from surefoot.servos.limits import JointLimits, not_finite


def arrays(count: int = 12) -> dict[str, np.ndarray]:
    return {"lower": np.full(count, -3.0), "upper": np.full(count, 3.0), "velocity": np.full(count, 10.0), "effort": np.full(count, 50.0)}


def test_limits_follow_names_not_places(description: RobotDescription) -> None:
    names = list(description.joint_names)
    shuffled = [names[i] for i in np.random.default_rng(3).permutation(12)]
    values = arrays()
    values["effort"] = np.array([100.0 + names.index(name) for name in shuffled])
    limits = JointLimits.from_arrays(description, shuffled, **values)
    assert limits.names == description.joint_names
    expected = 100.0 + np.arange(12.0)
    expected[2] = 120.0
    np.testing.assert_array_equal(limits.effort, expected)


def test_joints_beyond_the_twelve_do_not_matter(description: RobotDescription) -> None:
    limits = JointLimits.from_arrays(description, [*description.joint_names, "arm"], **arrays(13))
    assert len(limits.lower) == 12


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda values: values["lower"].__setitem__(4, 3.0), "RF_HFE"),
        (lambda values: values["upper"].__setitem__(4, np.nan), "RF_HFE"),
        (lambda values: values["velocity"].__setitem__(5, 0.0), "RF_KFE"),
        (lambda values: values["effort"].__setitem__(6, np.inf), "LH_HAA"),
        (lambda values: values["upper"].__setitem__(1, 1.0), "lie pose"),
    ],
)
def test_limits_that_are_none_are_refused_by_name(
    description: RobotDescription, change: Callable[[dict[str, np.ndarray]], None], words: str
) -> None:
    values = arrays()
    change(values)
    with pytest.raises(RobotDescriptionError, match=words):
        JointLimits.from_arrays(description, description.joint_names, **values)


def test_missing_and_doubled_joints_are_refused(description: RobotDescription) -> None:  # case 46
    names = list(description.joint_names)
    with pytest.raises(RobotDescriptionError, match="'RH_KFE' has 0 sets"):
        JointLimits.from_arrays(description, names[:-1], **arrays(11))
    with pytest.raises(RobotDescriptionError, match="'LF_HAA' has 2 sets"):
        JointLimits.from_arrays(description, [*names, "LF_HAA"], **arrays(13))


def test_an_override_for_no_joint_is_refused(description: RobotDescription) -> None:
    wrong = description.model_copy(update={"velocity_limits": {"LF_KNEE": 3.0}})
    with pytest.raises(UnknownNameError, match="LF_KNEE"):
        JointLimits.from_arrays(wrong, wrong.joint_names, **arrays())


def test_the_first_position_outside_is_named_and_the_others_are_counted(limits: JointLimits) -> None:
    position = np.tile([0.0, 0.6, -1.2], 4)
    assert limits.position_problem(position, 0.0) == ""
    position[4], position[5] = 2.2, np.nan
    assert limits.position_problem(position, 0.05) == "RF_HFE at 2.200 rad, limits -0.500 to 2.000; and 1 more"
    position[4] = 0.6
    assert "RF_KFE at nan" in limits.position_problem(position, 0.05)


def test_not_finite_names_joint_and_quantity_and_counts_the_others() -> None:
    assert not_finite("ab", effort=np.array([0.0, np.nan]), position=np.array([np.inf, 0.0])) == "b effort is nan; and 1 more"
    assert not_finite("ab", effort=np.zeros(2), position=np.array([np.inf, 0.0])) == "a position is inf"


def test_damping_brakes_with_no_more_than_the_effort_limit_and_never_drives(limits: JointLimits) -> None:
    speed = np.array([0.0, 1.0, -18.75, 18.75, 40.0, -1000.0, np.nan, *[0.5] * 5])
    damping = limits.damping_inside(8.0, speed)
    assert (damping > 0.0).all()
    assert (damping <= 8.0).all()
    np.testing.assert_array_equal(damping[[0, 1, 3, 6]], 8.0)
    torque = -damping * np.where(np.isnan(speed), 0.0, speed)
    assert (torque * np.where(np.isnan(speed), 0.0, speed) <= 0.0).all()
    assert (np.abs(torque) <= limits.effort + 1e-9).all()
    np.testing.assert_allclose(np.abs(torque[[4, 5]]), limits.effort[[4, 5]])
    assert not limits.damping_inside(0.0, speed).any()


def test_damping_is_bounded_at_rest_as_well(limits: JointLimits) -> None:
    np.testing.assert_array_equal(limits.damping_inside(1e6, np.zeros(12)), limits.most_damping)
