# SPDX-License-Identifier: Apache-2.0
"""Pushes, jitter and play: what happens to a particle on its way."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.servos.motors.drive import Motors
from surefoot.servos.motors.settings import GearSettings, MotorSettings
from surefoot.traces.cloud import Particles, draw_particles
from surefoot.traces.cloud.jitter import BLOCK, CommandJitter
from surefoot.traces.cloud.ranges import Spread
from surefoot.traces.cloud.uncertainty import NO_UNCERTAINTY, read_uncertainty
from surefoot.traces.plant.disturbed import PUSH_DURATION, DisturbedPlant
from surefoot.traces.plant.plant import Plant

ALL, NO_DELAY = np.arange(6), np.zeros(6)
STEPS, PERIOD = 2, 0.004


@pytest.fixture
def disturbed(hyq: RobotModel, simulation: mujoco.MjModel) -> DisturbedPlant:
    return DisturbedPlant(hyq, simulation, 6)


def in_the_air(hyq: RobotModel):
    return replace(hyq.neutral(), base_position=np.array((0.0, 0.0, 5.0)))


def limp(believed: Particles) -> Particles:
    return replace(believed, servo_stiffness=np.zeros((6, 12)), servo_damping=np.zeros((6, 12)))


def test_where_nothing_happens_it_is_the_plant(hyq: RobotModel, plant: Plant, disturbed: DisturbedPlant, believed: Particles) -> None:
    for robots in (plant, disturbed):
        robots.place(believed, hyq.neutral(), 0.0)
        for _ in range(20):
            robots.advance(robots.stiffness * hyq.stand_joint_position, ALL, NO_DELAY, STEPS)
    assert np.array_equal(plant.qpos, disturbed.qpos)


def test_a_push_gives_the_robot_its_velocity_at_its_time(hyq: RobotModel, disturbed: DisturbedPlant, believed: Particles) -> None:
    velocity = np.array(((0.0, 0.0), (0.3, 0.0), (0.0, -0.2), (0.3, 0.1), (0.3, 0.1), (0.3, 0.1)))
    times = np.array((0.0, 0.0, 0.0, 0.1, 0.2, 9.0))
    particles = replace(limp(believed), push_velocity=velocity, push_time=times)
    momentum = []
    for _ in range(2):
        # What was left of the last push is gone when robots are placed anew.
        disturbed.place(particles, in_the_air(hyq), 0.0)
        momentum.clear()
        for _ in range(round(0.35 / PERIOD)):
            disturbed.advance(np.zeros((6, 12)), ALL, NO_DELAY, STEPS)
            own = [(disturbed.batch.get_model(i), disturbed.batch.get_data(i)) for i in range(6)]
            for model, data in own:
                mujoco.mj_forward(model, data)
                mujoco.mj_subtreeVel(model, data)
            momentum.append([data.subtree_linvel[1, :2] for _, data in own])
    speeds = np.array(momentum)
    assert speeds[-1, :5] == pytest.approx(velocity[:5], abs=2e-3)
    assert np.abs(speeds[:, 5]).max() < 1e-6
    begins = np.abs(speeds[:, :5]).sum(axis=2).argmax(axis=0)
    for robot in (3, 4):
        moving = np.flatnonzero(np.abs(speeds[:, robot]).sum(axis=1) > 1e-6)
        assert moving[0] * PERIOD == pytest.approx(times[robot], abs=PERIOD)
        assert begins[robot] * PERIOD >= times[robot] + PUSH_DURATION - 2.0 * PERIOD


def test_jitter_moves_commands(hyq: RobotModel, disturbed: DisturbedPlant, believed: Particles, monkeypatch) -> None:
    given = []
    monkeypatch.setattr(Plant, "advance", lambda self, targets, moving, delay, steps: given.append(delay.copy()))
    wide = CommandJitter(7, Spread(distribution="uniform", half_width=0.002, origin="test"), 3.0)
    disturbed.place(replace(believed, command_jitter=wide, command_delay=np.full(6, 0.002)), hyq.neutral(), 0.0)
    for _ in range(BLOCK + 50):
        disturbed.advance(np.zeros((6, 12)), ALL, NO_DELAY, STEPS)
    delays = np.array(given)
    # What the servos held before the start is not known: the first command takes effect at once.
    assert (delays[0] == 0).all()
    late = np.concatenate([wide.block(ALL, number) for number in range(2)], axis=1)[:, 1 : BLOCK + 50].T
    assert np.array_equal(delays[1:], np.clip((0.002 + late) / 0.002, 0.0, STEPS))
    assert delays[1:].min() < 0.1 < 1.9 < delays.max()


def test_servos_with_play_pass_on_less(hyq: RobotModel, disturbed: DisturbedPlant, believed: Particles, monkeypatch) -> None:
    given = []
    monkeypatch.setattr(Plant, "advance", lambda self, targets, moving, delay, steps: given.append(targets.copy()))
    play = np.zeros((6, 12))
    play[1:] = 0.02
    disturbed.place(replace(believed, backlash=play), in_the_air(hyq), 0.0)
    held, most = disturbed.stiffness * disturbed.qpos[:, 7:], 0.01 * hyq.description.servos.stiffness
    wanted = np.linspace(-3.0 * most, 3.0 * most, 12)
    disturbed.advance(held + wanted, ALL, NO_DELAY, STEPS)
    assert given[0][0] == pytest.approx((held + wanted)[0])
    torque = (given[0] - held)[1:]
    assert torque == pytest.approx(np.tile(np.sign(wanted) * np.maximum(np.abs(wanted) - most, 0.0), (5, 1)), abs=1e-9)


def test_a_robot_goes_its_own_way_whoever_is_placed_with_it(hyq: RobotModel, simulation: mujoco.MjModel, walk) -> None:
    """In the widest cloud, with every contact model, pushes, play and jitter: to the bit."""
    cloud = read_uncertainty(shared_directory() / "config" / "uncertainty" / "wide.yaml")
    mix = np.random.default_rng(1).normal(size=(6, 6))
    state = replace(walk.snapshot.state, pose_covariance=1e-5 * mix @ mix.T, twist_covariance=1e-4 * mix.T @ mix)
    snapshot = replace(walk.snapshot, state=state)

    def end(indices: np.ndarray) -> np.ndarray:
        plant, count = DisturbedPlant(hyq, simulation, len(indices)), len(indices)
        plant.place(draw_particles(hyq, cloud, snapshot, 7, indices), state, 0.0)
        for _ in range(60):
            plant.advance(plant.stiffness * hyq.stand_joint_position, np.arange(count), np.zeros(count), STEPS)
        return np.concatenate((plant.qpos, plant.qvel), axis=1)

    together = end(np.arange(12))
    assert np.isfinite(together).all()
    assert len(np.unique(together, axis=0)) == 12
    for indices in (np.array([3]), np.array([11, 0, 7]), np.array([5, 6])):
        assert np.array_equal(end(indices), together[indices])


def test_without_spread_all_robots_are_one(hyq: RobotModel, disturbed: DisturbedPlant, walk) -> None:
    cloud = read_uncertainty(shared_directory() / "config" / "uncertainty" / "wide.yaml").scaled(0.0)
    disturbed.place(draw_particles(hyq, cloud, walk.snapshot, 7, ALL), walk.snapshot.state, 0.0)
    for _ in range(40):
        disturbed.advance(disturbed.stiffness * hyq.stand_joint_position, ALL, NO_DELAY, STEPS)
    assert (disturbed.qpos == disturbed.qpos[0]).all()
    assert (disturbed.qvel == disturbed.qvel[0]).all()


def test_torque_is_lost_with_the_speed(hyq: RobotModel, disturbed: DisturbedPlant, believed: Particles) -> None:
    loss, speed = np.zeros((6, 12)), np.linspace(-1.5, 1.5, 12) * hyq.velocity_limit
    loss[1], loss[2:] = 0.5, 1.0
    particles = replace(limp(believed), torque_speed=loss, effort_limit=np.full((6, 12), 0.9))
    disturbed.place(particles, replace(in_the_air(hyq), joint_velocity=speed), 0.0)
    disturbed.advance(np.full((6, 12), 1e6), ALL, NO_DELAY, STEPS)
    limits = np.array([disturbed.batch.get_model(robot).actuator_forcerange for robot in range(3)])
    share = np.array([np.maximum(0.0, 1.0 - part * np.abs(speed) / hyq.velocity_limit) for part in (0.0, 0.5, 1.0)])
    assert limits[:, :, 1] == pytest.approx(0.9 * hyq.effort_limit * share)
    assert (limits[:, :, 0] == -limits[:, :, 1]).all()
    disturbed.place(believed, in_the_air(hyq), 0.0)
    assert disturbed.batch.get_model(1).actuator_forcerange[:, 1] == pytest.approx(hyq.effort_limit)


def test_motors_are_those_of_the_simulated_robot_to_the_bit(hyq: RobotModel, disturbed: DisturbedPlant, walk, monkeypatch) -> None:
    """The same settings, at the same state: the same limits of torque, and the same torque behind the play."""
    given = []
    monkeypatch.setattr(Plant, "advance", lambda self, targets, moving, delay, steps: given.append(targets.copy()))
    gear = GearSettings(ratio=5.0, efficiency=0.8, efficiency_backward=0.6, rotor_inertia=0.001)
    settings = MotorSettings(torque_speed_loss=0.7, backlash=0.013, current_limit=40.0, torque_per_ampere=0.5, gear=gear)
    motors = Motors(settings, hyq.effort_limit, hyq.velocity_limit)
    assert (motors.stall_torque < hyq.effort_limit).any()
    generator = np.random.default_rng(0)
    state = replace(in_the_air(hyq), joint_velocity=generator.uniform(-1.2, 1.2, 12) * hyq.velocity_limit)
    targets = generator.uniform(-300.0, 300.0, (6, 12))
    disturbed.place(draw_particles(hyq, NO_UNCERTAINTY.model_copy(update={"motors": settings}), walk.snapshot, 7, ALL), state, 0.0)
    disturbed.advance(targets, ALL, NO_DELAY, STEPS)
    for robot in ALL:
        position, velocity = disturbed.qpos[robot, 7:], disturbed.qvel[robot, 6:]
        held = disturbed.stiffness[robot] * position + disturbed.damping[robot] * velocity
        assert np.array_equal(given[0][robot], motors.passed(targets[robot], held, disturbed.stiffness[robot]))
        limits = disturbed.batch.get_model(int(robot)).actuator_forcerange
        assert limits[:, 1] == pytest.approx(motors.most(velocity), rel=1e-14)
        assert (limits[:, 1] < hyq.effort_limit).all()
        torque = np.clip(given[0][robot] - held, limits[:, 0], limits[:, 1])
        friction = hyq.description.servos.friction + motors.friction(torque, velocity)
        assert np.array_equal(disturbed.batch.get_model(int(robot)).dof_frictionloss[6:], friction)
        assert np.array_equal(disturbed.batch.get_model(int(robot)).dof_armature[6:], np.full(12, gear.reflected_inertia))
        assert (disturbed.batch.get_model(int(robot)).dof_solref[6:, 0] == 2.0 * disturbed.simulation.opt.timestep).all()
    disturbed.place(draw_particles(hyq, NO_UNCERTAINTY, walk.snapshot, 7, ALL), state, 0.0)
    disturbed.advance(targets, ALL, NO_DELAY, STEPS)
    for name in ("dof_frictionloss", "dof_armature", "dof_solref"):
        left, ideal = getattr(disturbed.batch.get_model(1), name), getattr(disturbed.simulation, name)
        assert np.array_equal(left, ideal), "nothing is left of the gear before"


def test_a_gear_takes_from_what_drives_and_gives_to_what_brakes(hyq: RobotModel, disturbed: DisturbedPlant, believed: Particles) -> None:
    """The robot moves as one of ideal motors that give so much less, or more."""

    def moved(gear: GearSettings, torque: float, direction: float) -> np.ndarray:
        state = replace(in_the_air(hyq), joint_velocity=direction * np.full(12, 2.0), joint_position=hyq.stand_joint_position)
        disturbed.place(replace(limp(believed), gear=gear), state, 0.0)
        disturbed.advance(np.full((6, 12), torque), ALL, NO_DELAY, STEPS)
        return disturbed.qvel.copy()

    gear = GearSettings(efficiency=0.8, efficiency_backward=0.6)
    for direction, share in ((1.0, 0.8), (-1.0, 1.0 / 0.6)):
        alike, other = moved(GearSettings(), 5.0 * share, direction), moved(GearSettings(), 5.0, direction)
        np.testing.assert_allclose(moved(gear, 5.0, direction), alike, atol=1e-4)
        assert np.abs(other - alike).max() > 0.01
