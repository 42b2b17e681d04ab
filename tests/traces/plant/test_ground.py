# SPDX-License-Identifier: Apache-2.0
"""The ground under each particle: its friction, its bounce, its height and slope, and how contact with it is computed."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from surefoot.robot.model import RobotModel
from surefoot.simulation.mujoco_model import build_model
from surefoot.terrain.world import World
from surefoot.traces.cloud import Particles
from surefoot.traces.cloud.particles import CONTACT_MODELS
from surefoot.traces.plant.ground import SINKAGE, restitution
from surefoot.traces.plant.plant import Plant, ready_for_traces

ALL, NO_DELAY = np.arange(6), np.zeros(6)


def stiff(believed: Particles) -> Particles:
    """Servos as stiff as those that stand up."""
    return replace(believed, servo_stiffness=np.full((6, 12), 800.0 / 150.0), servo_damping=np.full((6, 12), 20.0 / 6.0))


def stand(plant: Plant, hyq: RobotModel, ticks: int = 250) -> None:
    for _ in range(ticks):
        plant.advance(plant.stiffness * hyq.stand_joint_position, ALL, NO_DELAY, 2)


def contact_of(plant: Plant, robot: int, foot: str) -> mujoco.MjModel:
    """The model of a robot, and the contact of one of its feet."""
    model = plant.batch.get_model(robot)
    data = plant.batch.get_data(robot)
    mujoco.mj_forward(model, data)
    feet = {model.geom(foot).id}
    return next(contact for contact in data.contact if {contact.geom1, contact.geom2} & feet)


def test_each_foot_has_the_friction_that_was_drawn(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    common, own = np.linspace(0.3, 0.8, 6), 1.0 + 0.02 * np.arange(24).reshape(6, 4)
    plant.place(replace(stiff(believed), friction=common, foot_friction=own), hyq.neutral(), 0.0)
    stand(plant, hyq, 20)
    for robot in (0, 3):
        for leg, foot in enumerate(hyq.description.foot_names):
            assert contact_of(plant, robot, foot).friction[:2] == pytest.approx(common[robot] * own[robot, leg])


def test_a_robot_on_less_friction_slides_further(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    state = replace(hyq.neutral(), base_linear_velocity=np.array((0.5, 0.0, 0.0)))
    plant.place(replace(stiff(believed), friction=np.linspace(0.1, 0.6, 6)), state, 0.0)
    stand(plant, hyq, 60)
    assert (np.diff(plant.qpos[:, 0]) < 0.0).all()


@pytest.mark.parametrize("number", range(4), ids=CONTACT_MODELS)
def test_each_contact_model_is_the_simulation_with_it(hyq: RobotModel, plant: Plant, believed: Particles, number: int) -> None:
    """Side by side in one batch, each goes exactly as a simulation does that was built so."""
    simulation = build_model(hyq, World(sinkage=SINKAGE if CONTACT_MODELS[number].endswith("soft") else 0.0), 2e-3)
    ready_for_traces(simulation)
    if CONTACT_MODELS[number].startswith("pyramidal"):
        simulation.opt.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    ground = simulation.geom("ground_0").id
    simulation.geom_friction[ground, 0] = believed.friction[0]
    servos = hyq.description.servos
    simulation.actuator_biasprm[:, 1], simulation.actuator_biasprm[:, 2] = -800.0, -20.0
    state = replace(hyq.neutral(), base_linear_velocity=np.array((0.4, 0.2, -0.1)))
    numbers = np.array([0, 1, 2, 3, 0, 1])
    particles = replace(
        believed, contact_model=numbers, servo_stiffness=np.full((6, 12), 800.0 / servos.stiffness),
        servo_damping=np.full((6, 12), 20.0 / servos.damping),
    )  # fmt: skip
    plant.place(particles, state, 0.0)
    data = mujoco.MjData(simulation)
    data.qpos[:3], data.qpos[3:7], data.qpos[7:] = state.base_position, (1.0, 0.0, 0.0, 0.0), state.joint_position
    data.qvel[:3] = state.base_linear_velocity
    target = data.ctrl[:] = 800.0 * hyq.stand_joint_position
    for _ in range(40):
        plant.advance(np.tile(target, (6, 1)), ALL, NO_DELAY, 2)
        mujoco.mj_step(simulation, data, nstep=2)
    assert plant.qpos[number] == pytest.approx(data.qpos, abs=1e-10)
    assert np.abs(plant.qpos[numbers != number] - data.qpos).max(axis=1).min() > 1e-5


@pytest.mark.parametrize("ratio", [1.0, 0.8, 0.6, 0.4, 0.2])
@pytest.mark.parametrize("longer", [1.0, 2.0])
def test_a_foot_bounces_as_much_as_it_should(ratio: float, longer: float) -> None:
    """A ball that falls on the ground of the plant, from heights that meet the steps of the physics at different moments."""
    measured = []
    for height in np.linspace(0.05, 0.06, 15):
        time = 0.004 * longer / ratio
        ball = mujoco.MjModel.from_xml_string(
            f"""<mujoco><option timestep="0.002" integrator="implicitfast" impratio="10" cone="elliptic"/><worldbody>
            <geom type="plane" size="0 0 .05" priority="1" friction="0.7 0 0" solref="{time} {ratio}" solimp="0.95 0.99 0.001 0.5 2"/>
            <body pos="0 0 {height + 0.02}"><freejoint/><geom type="sphere" size="0.02" mass="5"/></body></worldbody></mujoco>"""
        )
        data, speeds = mujoco.MjData(ball), []
        for _ in range(150):
            mujoco.mj_step(ball, data)
            speeds.append(data.qvel[2])
        measured.append(max(speeds) / -min(speeds))
    assert np.mean(measured) == pytest.approx(restitution(ratio), abs=0.04)


def test_restitution_and_compliance_reach_the_contacts_of_their_robot(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    bounce = np.array((0.0, 0.1, 0.2, 0.0, 0.1, 0.0))
    longer = np.array((0.0, 0.0, 0.0, 1.0, 1.0, 0.0))
    soft = np.array((0, 0, 0, 0, 0, 2))
    plant.place(replace(stiff(believed), restitution=bounce, compliance=longer, contact_model=soft), hyq.neutral(), 0.0)
    stand(plant, hyq, 20)
    reference = np.array([contact_of(plant, robot, hyq.description.foot_names[2]).solref for robot in range(6)])
    assert reference[0] == pytest.approx((0.004, 1.0))
    assert [restitution(ratio) - restitution(1.0) for ratio in reference[:3, 1]] == pytest.approx([0.0, 0.1, 0.2], abs=2e-3)
    # Equal stiffness, less damping; and longer at equal damping ratio.
    assert reference[:3].prod(axis=1) == pytest.approx(0.004)
    assert reference[3] == pytest.approx((0.008, 1.0))
    assert reference[4] == pytest.approx(reference[1] * (2.0, 1.0))
    assert (reference[5] < 0.0).all()


def test_soft_ground_becomes_softer_as_well(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    soft = replace(stiff(believed), contact_model=np.full(6, 2))
    plant.place(replace(soft, compliance=np.array((0.0, 1.0, 0.0, 0.0, 0.0, 0.0))), hyq.neutral(), 0.0)
    stand(plant, hyq)
    feet = np.array([[plant.batch.get_data(robot).qpos[2]] for robot in range(2)])
    assert plant.load[0].sum() == pytest.approx(hyq.total_mass * 9.81, rel=0.02)
    # Twice as long is four times as deep.
    assert feet[0, 0] - feet[1, 0] == pytest.approx(3.0 * SINKAGE, rel=0.3)


def test_robots_stand_on_their_ground_at_any_height_and_slope(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    height = np.array((0.0, 0.02, -0.02, 0.0, 0.0, 0.02))
    slope = np.array(((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.1, 0.0), (0.0, 0.1), (-0.05, 0.1)))
    state = replace(hyq.neutral(), base_position=np.array((2.0, -1.0, hyq.description.stand_height)))
    plant.place(replace(stiff(believed), ground_height=height, slope=slope), state, 0.0)
    # Nothing is pushed in or hangs in the air at the start: all feel as much ground as on the level.
    load = np.array([plant.batch.get_data(i) for i in range(6)], dtype=object)
    gaps = []
    for robot, data in enumerate(load):
        model = plant.batch.get_model(robot)
        mujoco.mj_forward(model, data)
        gaps.append(sorted(contact.dist for contact in data.contact))
    assert all(gap == pytest.approx(gaps[0], abs=1e-9) for gap in gaps)
    stand(plant, hyq)
    assert plant.load[:3].sum(axis=1) == pytest.approx(np.full(3, hyq.total_mass * 9.81), rel=0.02)
    assert plant.qpos[:3, 2] - plant.qpos[0, 2] == pytest.approx(height[:3], abs=1e-4)
    # The normal forces carry what is across the ground.
    tilted = np.cos(np.linalg.norm(slope[3:], axis=1)) * hyq.total_mass * 9.81
    assert plant.load[3:].sum(axis=1) == pytest.approx(tilted, rel=0.02)
    # Friction holds them where they stand, level with the ground.
    roll = 2.0 * np.arctan2(plant.qpos[3, 4], plant.qpos[3, 3])
    assert roll == pytest.approx(0.1, abs=0.02)
    assert np.abs(plant.qpos[:, :2] - (2.0, -1.0)).max() < 0.15
