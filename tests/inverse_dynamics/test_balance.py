# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.inverse_dynamics.balance import balanced_base_acceleration
from surefoot.inverse_dynamics.contact_problem import contact_problem
from surefoot.inverse_dynamics.desired import leg_accelerations, leg_inverses
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.robot.model import GRAVITY, RobotModel


def balanced(hyq: RobotModel, terms_of, records: tuple[np.ndarray, np.ndarray], wanted: np.ndarray, limit: float = 1200.0) -> np.ndarray:
    plan, state = records
    terms = terms_of(state[0])
    constant, by_base = leg_accelerations(hyq.description.control, plan[0], terms, leg_inverses(terms))
    acceleration, status = balanced_base_acceleration(terms, contact_problem(terms, plan[0], limit), wanted, constant, by_base)
    assert status == SOLVED
    return acceleration


def test_what_four_feet_can_produce_is_produced(hyq: RobotModel, terms_of, stand) -> None:
    wanted = np.array([0.5, -0.3, 1.0, 0.4, -0.4, 0.3])
    np.testing.assert_allclose(balanced(hyq, terms_of, stand(), wanted), wanted, atol=1e-4)


def test_feet_do_not_pull(hyq: RobotModel, terms_of, stand) -> None:
    down = balanced(hyq, terms_of, stand(), np.array([0.0, 0.0, -30.0, 0.0, 0.0, 0.0]))
    assert -GRAVITY * 1.5 < down[2] < -GRAVITY * 0.5


def test_friction_bounds_the_horizontal_acceleration(hyq: RobotModel, terms_of, stand) -> None:
    rough = balanced(hyq, terms_of, stand(friction=0.6), np.array([4.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    ice = balanced(hyq, terms_of, stand(friction=0.05), np.array([4.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    assert rough[0] > 2.0
    assert 0.0 < ice[0] < 1.0


def test_load_bounds_bound_the_lift(hyq: RobotModel, terms_of, stand) -> None:
    weight = hyq.total_mass * GRAVITY
    up = np.array([0.0, 0.0, 20.0, 0.0, 0.0, 0.0])
    assert balanced(hyq, terms_of, stand(), up, limit=10.0 * weight)[2] > 15.0
    assert balanced(hyq, terms_of, stand(), up, limit=weight / 8.0)[2] < 0.0


def test_without_feet_nothing_holds_the_robot(hyq: RobotModel, terms_of, stand) -> None:
    plan, state = stand(loads=(0.0,) * 4)
    assert balanced(hyq, terms_of, (plan, state), np.zeros(6))[2] < -0.5 * GRAVITY
