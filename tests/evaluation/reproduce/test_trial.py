# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from surefoot.evaluation.reproduce.contenders import CONTENDERS, NO_SLIP_PEER, Contender
from surefoot.evaluation.reproduce.grounds import GROUNDS, INFINITE, LOW, ROUGH, Ground
from surefoot.evaluation.reproduce.tasks import FigureEight, Trot
from surefoot.evaluation.reproduce.trial import compared, run_trial
from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.robot.model import RobotModel
from surefoot.simulation.time_stepping import RigidContactRobot
from surefoot.terrain.world import World

FIRM = Ground("firm", "mujoco", 0.7)


def contender(name: str) -> Contender:
    return next(found for found in (*CONTENDERS, NO_SLIP_PEER) if found.name == name)


def test_a_standing_robot_follows_its_plan_and_its_weight_is_predicted(hyq: RobotModel) -> None:
    measured = run_trial(hyq, contender("two_stage_qp"), FIRM, FigureEight(), 0.4, 0)
    assert not measured.fell
    assert measured.seconds == pytest.approx(0.4)
    assert measured.position_error < 0.01
    assert measured.relative_force_error < 0.02
    assert measured.without_answer == 0
    assert len(measured.centre_of_mass_path) == len(measured.joint_error) == 10


@pytest.mark.parametrize("name", [entry.name for entry in (*CONTENDERS, NO_SLIP_PEER)])
def test_every_contender_can_be_asked(links: RobotModel, name: str) -> None:
    measured = run_trial(links, contender(name), FIRM, Trot("waypoint_trot", 0.1), 0.1, 0)
    assert measured.contender == name
    assert measured.fell or math.isfinite(measured.position_error)
    assert measured.fell or math.isnan(measured.force_error) == (not contender(name).predicts)


@pytest.mark.parametrize("ground", [*GROUNDS, ROUGH], ids=lambda ground: ground.name)
def test_every_ground_bears_the_robot(links: RobotModel, ground: Ground) -> None:
    measured = run_trial(links, contender("two_stage_qp"), ground, Trot("waypoint_trot", 0.1), 0.1, 0)
    assert not measured.fell
    assert measured.position_error < 0.1


@pytest.mark.parametrize("friction", [LOW, INFINITE])
def test_forces_are_predicted_where_the_simulator_is_the_model(links: RobotModel, friction: float) -> None:
    ground = Ground("matched", "matched", friction)
    measured = run_trial(links, contender("coulomb_lcp"), ground, Trot("waypoint_trot", 0.1), 0.5, 0)
    assert not measured.fell
    # It is 0.005 and 0.0002. Torque limits make a mean of 0.017, contact directions that turn within the step a median of 0.002.
    assert measured.relative_force_error < 0.01
    assert measured.median_relative_force_error < 0.001


@pytest.mark.parametrize("name", ["two_stage_qp", "no_slip_lcp"])
def test_who_may_grip_without_end_walks_where_the_simulator_is_the_model(links: RobotModel, name: str) -> None:
    measured = run_trial(links, contender(name), Ground("matched", "matched", INFINITE), Trot("waypoint_trot", 0.1), 1.4, 0)
    # Feet that land pushed by hundreds of newtons along the ground, and both were thrown over within 0.2 and 1.3 s.
    assert not measured.fell
    assert measured.relative_force_error < 0.02


@pytest.mark.parametrize(("delay", "missed"), [(0.0, [9.0, 8.0]), (0.002, [1.0, 2.0])])
def test_a_prediction_is_compared_with_the_force_under_its_own_command(links: RobotModel, delay: float, missed: list[float]) -> None:
    physics = RigidContactRobot(links, World(), command_delay=delay)
    predicted, load = np.array((11.0, np.nan, 32.0, 43.0)), np.array((20.0, 10.0, 40.0, 30.0))
    if not delay:
        load, predicted = load[:2], np.array((11.0, 18.0))
    errors, real = compared(predicted, load, physics)
    np.testing.assert_allclose(errors, missed)
    assert len(real) == 2


def test_a_controller_that_lets_the_robot_down_is_seen_to_fall(hyq: RobotModel) -> None:
    class Limp:
        def control(self, *_: object) -> ControlResult:
            nothing = np.zeros(12)
            return ControlResult(hyq.lie_joint_position, nothing, nothing, np.zeros((4, 3)), np.zeros(6), nothing, 0)

    limp = Contender("limp", "", False, lambda model: Limp())
    measured = run_trial(hyq, limp, FIRM, FigureEight(), 3.0, 0)
    assert measured.fell
    assert measured.seconds < 3.0
