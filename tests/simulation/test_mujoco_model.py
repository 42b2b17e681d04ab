# SPDX-License-Identifier: Apache-2.0
"""The simulated robot is the believed robot, and its ground obeys Coulomb."""

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.robot.command import JointCommand
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.simulation.mujoco_model import ROOT_JOINT, build_model, quaternion_wxyz
from surefoot.simulation.robot import SimulatedRobot
from surefoot.terrain.world import GroundStrip, World


@pytest.fixture(scope="module", params=["hyq", "links"])
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_robot(request.param)


@pytest.fixture(scope="module")
def simulation(model: RobotModel) -> mujoco.MjModel:
    return build_model(model, World(), 1e-3)


def placed(model: RobotModel, simulation: mujoco.MjModel, seed: int) -> tuple[mujoco.MjData, Rotation, np.ndarray, np.ndarray, np.ndarray]:
    """A random configuration and velocity: data, odom_from_base, joint angles, velocity in the axes of odom, joint velocities."""
    random = np.random.default_rng(seed)
    attitude = Rotation.from_euler("xyz", random.normal(size=3) * 0.5)
    joints = model.stand_joint_position + 0.3 * random.normal(size=12)
    base, rates = random.normal(size=6), random.normal(size=12)
    data = mujoco.MjData(simulation)
    data.qpos[:3] = (0.3, -0.2, 5.0)
    data.qpos[3:7] = attitude.as_quat()[[3, 0, 1, 2]]
    data.qpos[7:] = joints
    data.qvel[:] = np.concatenate((base[:3], attitude.inv().apply(base[3:]), rates))
    mujoco.mj_forward(simulation, data)
    return data, attitude, joints, base, rates


def test_joints_and_actuators_are_in_the_order_of_the_description(model: RobotModel, simulation: mujoco.MjModel) -> None:
    names = [simulation.joint(i).name for i in range(simulation.njnt)]
    assert names == [ROOT_JOINT, *model.joint_names]
    assert [simulation.actuator(i).name for i in range(simulation.nu)] == list(model.joint_names)
    assert simulation.jnt_range[1:] == pytest.approx(np.column_stack((model.position_lower, model.position_upper)))
    assert simulation.actuator_forcerange == pytest.approx(np.column_stack((-model.effort_limit, model.effort_limit)))


def test_mass_is_kept(model: RobotModel, simulation: mujoco.MjModel) -> None:
    assert simulation.body_mass.sum() == pytest.approx(model.total_mass, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_mass_matrix_and_bias_are_those_of_the_model(model: RobotModel, simulation: mujoco.MjModel, seed: int) -> None:
    data, attitude, joints, base, rates = placed(model, simulation, seed)
    terms = model.rigid_body_terms(data.qpos[:3], attitude.as_quat(), joints, base[:3], base[3:], rates)
    mass = np.zeros((18, 18))
    mujoco.mj_fullM(simulation, data, mass)
    # The simulation turns about the axes of the base, the model about those of odom.
    turn = np.eye(18)
    turn[3:6, 3:6] = attitude.as_matrix().T
    assert turn.T @ mass @ turn == pytest.approx(terms.mass_matrix, abs=1e-8 * np.abs(terms.mass_matrix).max())
    assert turn.T @ data.qfrc_bias == pytest.approx(terms.bias, abs=1e-8 * np.abs(terms.bias).max())


@pytest.mark.parametrize("seed", range(3))
def test_feet_are_where_the_model_has_them(model: RobotModel, simulation: mujoco.MjModel, seed: int) -> None:
    data, attitude, joints, _, _ = placed(model, simulation, seed)
    feet = data.qpos[:3] + attitude.apply(model.feet_in_base(joints))
    for foot, name in zip(feet, model.description.foot_names, strict=True):
        assert data.site(name).xpos == pytest.approx(foot, abs=1e-9)
        assert data.geom(name).xpos == pytest.approx(foot, abs=1e-9)
        assert simulation.geom(name).size[0] == pytest.approx(model.description.foot_radius)


def test_only_the_ground_is_touched(simulation: mujoco.MjModel) -> None:
    grounds = [simulation.geom(i).name.startswith("ground_") for i in range(simulation.ngeom)]
    assert sum(grounds) == 1
    for i, ground in enumerate(grounds):
        assert (simulation.geom_contype[i], simulation.geom_conaffinity[i]) == ((0, 1) if ground else (1, 0))


def test_strips_have_the_friction_of_the_world(hyq: RobotModel) -> None:
    world = World(friction=0.7, strips=(GroundStrip(start=2.0, end=3.0, friction=0.1), GroundStrip(start=4.0, end=400.0, friction=0.3)))
    simulation = build_model(hyq, world, 1e-3)
    seen = [simulation.geom(f"ground_{i}") for i in range(4)]
    assert [geom.friction[0] for geom in seen] == pytest.approx([0.7, 0.1, 0.7, 0.3])
    edges = [(geom.pos[0] - geom.size[0], geom.pos[0] + geom.size[0]) for geom in seen]
    assert np.ravel(edges) == pytest.approx([-100.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 100.0])
    assert all(geom.pos[2] + geom.size[2] == pytest.approx(0.0) for geom in seen)


@pytest.mark.parametrize(("height", "rise"), [(0.0, 0.6), (0.6, -0.6)])
def test_the_ground_is_as_high_as_the_world_says(hyq: RobotModel, height: float, rise: float) -> None:
    before = GroundStrip(start=0.0, end=2.0, friction=0.6, height=height)
    ramp = GroundStrip(start=2.0, end=4.0, friction=0.6, height=height, rise=rise)
    world = World(strips=(before, ramp, GroundStrip(start=4.0, end=6.0, friction=0.6, height=height + rise)))
    simulation = build_model(hyq, world, 1e-3)
    data = mujoco.MjData(simulation)
    data.qpos[:2] = -50.0
    mujoco.mj_forward(simulation, data)
    for x in (-0.01, 0.01, 1.99, 2.01, 2.7, 3.99, 4.01, 5.0, 6.01):
        far = mujoco.mj_ray(simulation, data, np.array([x, 0.3, 3.0]), np.array([0.0, 0.0, -1.0]), None, 1, -1, np.zeros(1, np.int32))
        assert 3.0 - far == pytest.approx(world.height_at(x), abs=1e-6)


def test_quaternions_put_w_first() -> None:
    turn = Rotation.from_euler("xyz", (0.3, -0.5, 2.0))
    assert quaternion_wxyz(turn.as_matrix()) == pytest.approx(turn.as_quat(canonical=True)[[3, 0, 1, 2]])


@pytest.mark.parametrize("heading", [0.0, 45.0, 200.0])
@pytest.mark.parametrize("friction", [0.06, 0.12])
@pytest.mark.parametrize("in_a_strip", [False, True])
def test_a_sliding_robot_is_braked_by_friction_times_weight(hyq: RobotModel, friction: float, heading: float, in_a_strip: bool) -> None:
    strip = GroundStrip(start=-5.0, end=5.0, friction=friction)
    world = World(friction=0.9, strips=(strip,)) if in_a_strip else World(friction=friction)
    robot = SimulatedRobot(hyq, world, seed=0, perfect_sensors=True)
    robot.reset(hyq.stand_joint_position)
    stiff = JointCommand(0.0, hyq.stand_joint_position, np.zeros(12), np.zeros(12), np.full(12, 3000.0), np.full(12, 60.0))
    for _ in range(60):
        robot.step(stiff)
    direction = np.array((np.cos(np.radians(heading)), np.sin(np.radians(heading))))
    robot.data.qvel[:2] += 0.8 * direction
    speeds, ratios = [], []
    for tick in range(150):
        robot.step(stiff)
        force = Rotation.from_quat(robot.truth().base_quaternion).apply(robot.sense()[0].foot_force)
        if tick >= 50:
            speeds.append(robot.truth().base_linear_velocity[:2] @ direction)
            ratios.append(np.linalg.norm(force[:, :2].sum(axis=0)) / force[:, 2].sum())
    braking = -np.polyfit(robot.period * np.arange(len(speeds)), speeds, 1)[0]
    assert min(speeds) > 0.05
    assert braking == pytest.approx(friction * 9.81, rel=0.03)
    assert np.mean(ratios) == pytest.approx(friction, rel=0.01)
