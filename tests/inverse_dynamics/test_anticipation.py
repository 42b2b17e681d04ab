# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.inverse_dynamics.anticipation import LOAD, anticipate_contacts
from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.locomotion.control import CompiledController
from surefoot.robot.model import RobotModel

DT = 0.004
FOOT = 1
UP = np.array((0.0, 0.0, 1.0))
LAWS = (
    "compiled", "two_stage_qp", "two_stage_qp_no_slip", "coulomb_lcp", "no_slip_lcp", "orthogonal_decomposition", "inverse_contact",
    "whole_body_qp",
)  # fmt: skip
EXACT = 1e-4
"""Of the speed of the foot: the softest of these laws leaves a ten-thousandth of what a force does."""


@pytest.fixture
def landing(stand):
    """A robot on three feet and the fourth on its way down at 0.2 m/s."""
    plan, state = stand(loads=(1.0, 0.0, 1.0, 1.0))
    state["joint_velocity"][0, FOOT] = (0.0, -0.35, 0.6)
    plan["foot_velocity"][0, FOOT] = (0.0, 0.0, -0.2)
    return plan, state


def answer(hyq: RobotModel, name: str, plan: np.ndarray, state: np.ndarray) -> ControlResult:
    controller = CompiledController(hyq) if name == "compiled" else name
    return ReferenceController(hyq, controller=controller).tick(plan[0], state[0], DT)


def speed_after(terms, result: ControlResult) -> float:
    """Of the foot upwards at the end of the tick, m/s."""
    acceleration = terms.foot_jacobians[FOOT] @ np.concatenate((result.base_acceleration, result.joint_acceleration))
    return float(UP @ (terms.foot_velocities[FOOT] + DT * (acceleration + terms.foot_bias_accelerations[FOOT])))


@pytest.mark.parametrize("name", LAWS)
def test_a_foot_goes_no_deeper_than_its_gap(hyq: RobotModel, terms_of, landing, name: str) -> None:
    plan, state = landing
    terms = terms_of(state[0])
    down = float(UP @ terms.foot_velocities[FOOT])
    assert down < -0.05
    gap = -0.3 * DT * down
    ignorant = answer(hyq, name, plan, state)
    assert speed_after(terms, ignorant) < -1.2 * gap / DT
    anticipate_contacts(plan[0], terms, np.where(np.arange(4) == FOOT, gap, 0.0), hyq.description.control.contact_velocity_gain, DT)
    assert plan["load"][0].tolist() == [1.0, LOAD, 1.0, 1.0]
    result = answer(hyq, name, plan, state)
    assert result.usable
    assert speed_after(terms, result) == pytest.approx(-gap / DT, abs=EXACT * abs(down))
    assert UP @ result.force[FOOT] >= -1e-6 or name == "orthogonal_decomposition"


@pytest.mark.parametrize("planned", [0.0, 1.0])
def test_a_foot_that_is_apart_and_does_not_land_bears_no_load(hyq: RobotModel, terms_of, landing, planned: float) -> None:
    plan, state = landing
    plan["load"][0, FOOT] = planned
    terms = terms_of(state[0])
    anticipate_contacts(plan[0], terms, np.where(np.arange(4) == FOOT, 0.05, 0.0), 20.0, DT)
    assert plan["load"][0].tolist() == [1.0, 0.0, 1.0, 1.0]
    assert not answer(hyq, "compiled", plan, state).force[FOOT].any()


def test_a_foot_at_rest_a_hair_above_the_ground_bears_the_robot(hyq: RobotModel, terms_of, stand) -> None:
    plan, state = stand()
    anticipate_contacts(plan[0], terms_of(state[0]), np.full(4, 1e-7), 20.0, DT)
    assert (plan["load"] == 1.0).all()
    assert answer(hyq, "compiled", plan, state).force[:, 2].sum() == pytest.approx(hyq.total_mass * 9.81, rel=0.05)


def test_feet_that_touch_are_left_alone(terms_of, stand) -> None:
    plan, state = stand()
    before = plan.copy()
    anticipate_contacts(plan[0], terms_of(state[0]), np.full(4, -1e-5), 20.0, DT)
    assert plan.tobytes() == before.tobytes()
