# SPDX-License-Identifier: Apache-2.0
"""Compliant ground yields as far as its world says, does not throw the robot up, and rubs like hard ground."""

import numpy as np
import pytest

from surefoot.robot.command import JointCommand
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.simulation.mujoco_model import build_model
from surefoot.simulation.robot import SimulatedRobot
from surefoot.terrain.world import GroundStrip, World

STRIP = GroundStrip(start=-5.0, end=5.0, friction=0.5)


@pytest.fixture(scope="module", params=["hyq", "links"])
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_robot(request.param)


def holding(model: RobotModel) -> JointCommand:
    servos = model.description.servos
    stiffness, damping = np.full(12, servos.posture_stiffness), np.full(12, servos.posture_damping)
    return JointCommand(0.0, model.stand_joint_position, np.zeros(12), np.zeros(12), stiffness, damping)


def standing(model: RobotModel, world: World, height: float = 0.0) -> SimulatedRobot:
    """A robot let fall from a height and left to come to rest."""
    robot = SimulatedRobot(model, world, seed=0, perfect_sensors=True)
    robot.reset(model.stand_joint_position)
    robot.data.qpos[2] += height
    for _ in range(round(1.0 / robot.period)):
        robot.step(holding(model))
    return robot


def depths(robot: SimulatedRobot) -> np.ndarray:
    heights = [robot.data.geom(name).xpos[2] for name in robot.model.description.foot_names]
    return robot.model.description.foot_radius - np.array(heights)


@pytest.mark.parametrize("strips", [(), (STRIP,)], ids=["plane", "strip"])
@pytest.mark.parametrize("sinkage", [0.0005, 0.001, 0.005])
def test_standing_feet_sink_in_as_far_as_the_world_says(model: RobotModel, sinkage: float, strips: tuple[GroundStrip, ...]) -> None:
    robot = standing(model, World(sinkage=sinkage, strips=strips))
    truth = robot.truth()
    weight = 9.81 * model.total_mass
    assert truth.foot_load.sum() == pytest.approx(weight, rel=2e-3)
    assert depths(robot).mean() == pytest.approx(sinkage, rel=0.02)
    # A foot that bears more sinks in more.
    assert depths(robot) == pytest.approx(sinkage * truth.foot_load / (0.25 * weight), rel=0.02)
    assert np.abs(truth.joint_velocity).max() < 0.01


def test_standing_feet_creep_no_faster_than_on_hard_ground(model: RobotModel) -> None:
    def creep(robot: SimulatedRobot) -> float:
        before = np.array([robot.data.geom(name).xpos[:2] for name in model.description.foot_names])
        for _ in range(round(0.1 / robot.period)):
            robot.step(holding(model))
        after = np.array([robot.data.geom(name).xpos[:2] for name in model.description.foot_names])
        return float(np.abs(after - before).max())

    assert creep(standing(model, World(sinkage=0.001))) < 1.2 * creep(standing(model, World()))


def test_a_falling_robot_lands_and_stays(model: RobotModel) -> None:
    robot = standing(model, World(sinkage=0.001), height=0.03)
    assert robot.truth().foot_load.sum() == pytest.approx(9.81 * model.total_mass, rel=0.02)
    assert depths(robot).mean() == pytest.approx(0.001, rel=0.05)


def test_a_sliding_robot_is_braked_by_friction_times_weight(hyq: RobotModel) -> None:
    robot = standing(hyq, World(friction=0.1, sinkage=0.001))
    stiff = JointCommand(0.0, hyq.stand_joint_position, np.zeros(12), np.zeros(12), np.full(12, 3000.0), np.full(12, 60.0))
    robot.data.qvel[0] += 0.8
    speeds = []
    for _ in range(150):
        robot.step(stiff)
        speeds.append(robot.truth().base_linear_velocity[0])
    assert min(speeds) > 0.05
    assert -np.polyfit(robot.period * np.arange(100), speeds[50:], 1)[0] == pytest.approx(0.1 * 9.81, rel=0.03)


def test_hard_ground_is_that_of_a_world_without_sinkage(model: RobotModel) -> None:
    hard = build_model(model, World(), 1e-3)
    ground = hard.geom("ground_0")
    assert ground.solref.tolist() == [0.004, 1.0]
    assert ground.solimp.tolist() == [0.95, 0.99, 0.001, 0.5, 2.0]
    assert hard.opt.impratio == 10.0
