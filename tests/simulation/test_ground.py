# SPDX-License-Identifier: Apache-2.0
"""The rough ground of the simulation is the height map of its world, and robots stand on it."""

import mujoco
import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from surefoot.robot.command import JointCommand
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.simulation.ground import add_ground
from surefoot.simulation.robot import SimulatedRobot
from surefoot.terrain.relief import Relief, height_map
from surefoot.terrain.world import World

WORLD = World(relief=Relief(extent=2.0, seed=4), friction=0.8)


@pytest.fixture(scope="module", params=["hyq", "links"])
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_robot(request.param)


def test_a_ray_from_above_meets_the_height_map() -> None:
    spec = mujoco.MjSpec()
    add_ground(spec, WORLD, 1e-3)
    simulation = spec.compile()
    data = mujoco.MjData(simulation)
    mujoco.mj_forward(simulation, data)
    ground = height_map(WORLD.relief)
    expected = RegularGridInterpolator((ground.coordinates, ground.coordinates), ground.heights)
    frictions, hit = set(), np.zeros(1, np.int32)
    for x, y in np.random.default_rng(0).uniform(-2.5, 2.5, (500, 2)):
        distance = mujoco.mj_ray(simulation, data, [x, y, 1.0], [0.0, 0.0, -1.0], None, 1, -1, hit)
        inside = max(abs(x), abs(y)) < 2.0
        # MuJoCo cuts the squares of the grid into triangles.
        assert 1.0 - distance == pytest.approx(expected((y, x)).item() if inside else 0.0, abs=2e-4)
        friction = simulation.geom_friction[hit[0], 0]
        column, row = (int((value + 2.0) / ground.side) for value in (x, y))
        assert friction == pytest.approx(ground.friction[row, column] if inside else 0.8)
        frictions.add(round(friction, 6))
    assert len(frictions) == ground.friction.size + 1


@pytest.mark.parametrize("place", [(0.0, 0.0), (1.2, -1.1)], ids=["start", "bumps"])
def test_a_robot_stands_on_it(model: RobotModel, place: tuple[float, float]) -> None:
    robot = SimulatedRobot(model, WORLD, seed=0, perfect_sensors=True)
    robot.reset(model.stand_joint_position)
    level = robot.data.qpos[2]
    if any(place):
        robot.data.qpos[:2], robot.data.qpos[2] = place, level + 0.03
    servos = model.description.servos
    stiffness, damping = np.full(12, servos.posture_stiffness), np.full(12, servos.posture_damping)
    hold = JointCommand(0.0, model.stand_joint_position, np.zeros(12), np.zeros(12), stiffness, damping)
    for _ in range(round(1.0 / robot.period)):
        robot.step(hold)
    truth = robot.truth()
    assert truth.foot_load.min() > 0.0
    assert robot.foot_forces().sum(axis=0) == pytest.approx([0.0, 0.0, 9.81 * model.total_mass], abs=0.3 * model.total_mass)
    assert not truth.body_contact
    assert np.linalg.norm(truth.base_position[:2] - place) < 0.05
    ground = height_map(WORLD.relief)
    height = RegularGridInterpolator((ground.coordinates, ground.coordinates), ground.heights)
    for name in model.description.foot_names:
        x, y, z = robot.data.geom(name).xpos
        # On a slope the centre of a foot is farther above the ground than its radius.
        assert -1e-3 < z - model.description.foot_radius - height((y, x)).item() < 0.12 * model.description.foot_radius
