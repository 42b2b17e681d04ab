# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.inverse_dynamics.desired import Attitude, leg_inverses
from surefoot.inverse_dynamics.joint_targets import joint_targets
from surefoot.inverse_dynamics.law import POSITION_STEP_LIMIT
from surefoot.robot.model import RobotModel

PERIOD = 0.004


def targets(hyq: RobotModel, terms_of, plan: np.ndarray, state: np.ndarray, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    terms = terms_of(state[0])
    attitude = Attitude.of(plan[0], state[0])
    return joint_targets(hyq, attitude, leg_inverses(terms), plan[0], state[0], terms, acceleration, PERIOD)


def test_feet_in_place_leave_the_joints_where_they_are(hyq: RobotModel, terms_of, stand) -> None:
    plan, state = stand(slope=0.2)
    position, velocity = targets(hyq, terms_of, plan, state, np.full(12, 2.0))
    np.testing.assert_allclose(position, hyq.stand_joint_position, atol=1e-12)
    np.testing.assert_allclose(velocity, 2.0 * PERIOD)


def test_targets_bring_the_foot_nearly_to_its_place_whatever_the_base_does(hyq: RobotModel, terms_of, stand) -> None:
    plan, state = stand()
    # Base and feet are planned elsewhere together: to the joints that is the same.
    for field in ("base_position", "foot_position"):
        plan[field] += (1.0, -2.0, 0.1)
    plan["foot_position"][0, 1] += (0.02, 0.01, 0.03)
    position, _ = targets(hyq, terms_of, plan, state, np.zeros(12))
    moved = hyq.feet_in_base(position) - hyq.feet_in_base(hyq.stand_joint_position)
    np.testing.assert_allclose(moved[1], (0.02, 0.01, 0.03), atol=3e-3)
    np.testing.assert_allclose(moved[[0, 2, 3]], 0.0, atol=1e-12)


def test_targets_stay_near_the_joint_and_inside_its_limits(hyq: RobotModel, terms_of, stand) -> None:
    plan, state = stand()
    plan["foot_position"] += 5.0
    position, velocity = targets(hyq, terms_of, plan, state, np.full(12, 1e6))
    assert (np.abs(position - hyq.stand_joint_position) <= POSITION_STEP_LIMIT + 1e-12).all()
    assert (position >= hyq.position_lower).all()
    assert (position <= hyq.position_upper).all()
    np.testing.assert_array_equal(velocity, hyq.velocity_limit)
