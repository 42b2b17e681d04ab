# SPDX-License-Identifier: Apache-2.0
"""The perturbed robots: each is what its particle says, and none minds the others."""

import copy
from dataclasses import fields, replace

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.gait.records import STATE
from surefoot.locomotion.policy import state_record
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.traces.cloud import TRANSIENT_CHANNELS, Particles, draw_particles
from surefoot.traces.cloud.uncertainty import NO_UNCERTAINTY
from surefoot.traces.observe import observe
from surefoot.traces.plant.plant import Plant, ready_for_traces

SIZE = 6
ALL = np.arange(SIZE)


def ramp(believed: Particles, **spread: float) -> Particles:
    """Particles whose named parameters grow evenly from one particle to the next."""
    changes = {}
    for name, span in spread.items():
        value = getattr(believed, name).copy()
        value += (np.linspace(-span, span, SIZE)).reshape(-1, *[1] * (value.ndim - 1))
        changes[name] = value
    return replace(believed, **changes)


def stiff(believed: Particles) -> Particles:
    """Servos as stiff as those that stand up."""
    return replace(believed, servo_stiffness=np.full((SIZE, 12), 800.0 / 150.0), servo_damping=np.full((SIZE, 12), 20.0 / 6.0))


def hold(plant: Plant, hyq: RobotModel, count: int, ticks: int = 250) -> np.ndarray:
    """Stand by the posture servos; mean load of each robot over the last third, N."""
    target = plant.stiffness * hyq.stand_joint_position
    loads = []
    for _ in range(ticks):
        plant.advance(target[:count], np.arange(count), np.zeros(count), 2)
        loads.append(plant.load[:count].sum(axis=1))
    return np.mean(loads[-ticks // 3 :], axis=0)


@pytest.mark.parametrize(
    ("spread", "lifted"), [({"base_mass": 0.2}, 1.0), ({"link_mass": 0.2}, None), ({"base_centre_of_mass": 0.01}, 0.0)], ids=str
)
def test_feet_bear_the_mass_of_the_particle(
    hyq: RobotModel, plant: Plant, believed: Particles, simulation: mujoco.MjModel, spread: dict[str, float], lifted: float | None
) -> None:
    plant.place(ramp(stiff(believed), **spread), hyq.neutral(), 0.0)
    loads = hold(plant, hyq, SIZE)
    base = simulation.body(hyq.description.base).mass[0]
    links = hyq.total_mass - base
    growth = np.linspace(-0.2, 0.2, SIZE) * (links if lifted is None else lifted * base)
    assert loads == pytest.approx((hyq.total_mass + growth) * 9.81, rel=0.01)


def test_longer_legs_stand_higher(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    plant.place(ramp(stiff(believed), link_length=0.05), hyq.neutral(), 0.0)
    hold(plant, hyq, SIZE)
    # The upper part of a leg, from the base to its thigh, keeps its length.
    growth = np.diff(plant.qpos[:, 2]) / (0.02 * hyq.description.stand_height)
    assert ((growth > 0.6) & (growth < 1.0)).all()


@pytest.mark.parametrize(("by_sweeps", "metres", "speeds"), [(True, 1e-12, 1e-10), (False, 5e-5, 5e-3)])
def test_the_believed_robot_is_the_simulated_one(
    hyq: RobotModel, plant: Plant, believed: Particles, simulation: mujoco.MjModel, by_sweeps: bool, metres: float, speeds: float
) -> None:
    """Against the plain simulation of the same model, step by step: the same, but for what its contact solver makes of it."""
    state = replace(hyq.neutral(), base_linear_velocity=np.array((0.3, 0.1, 0.0)), base_angular_velocity=np.array((0.1, 0.0, 0.3)))
    plant.place(believed, state, 0.0)
    peer = copy.copy(simulation)
    if by_sweeps:
        ready_for_traces(peer)
    data = mujoco.MjData(peer)
    data.qpos[:3], data.qpos[3:7], data.qpos[7:] = state.base_position, (1.0, 0.0, 0.0, 0.0), state.joint_position
    data.qvel[:3], data.qvel[3:6] = state.base_linear_velocity, state.base_angular_velocity
    servos = hyq.description.servos
    peer.actuator_biasprm[:, 1], peer.actuator_biasprm[:, 2] = -servos.stiffness, -servos.damping
    target = servos.stiffness * hyq.stand_joint_position
    data.ctrl[:] = target
    for _ in range(40):
        plant.advance(np.tile(target, (SIZE, 1)), ALL, np.zeros(SIZE), 2)
        mujoco.mj_step(peer, data, nstep=2)
    assert plant.qpos == pytest.approx(np.tile(data.qpos, (SIZE, 1)), abs=metres)
    assert plant.qvel == pytest.approx(np.tile(data.qvel, (SIZE, 1)), abs=speeds)


def test_a_delayed_command_takes_effect_at_its_step(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    limp = replace(believed, servo_stiffness=np.zeros((SIZE, 12)), servo_damping=np.zeros((SIZE, 12)))
    plant.place(limp, replace(hyq.neutral(), base_position=np.array((0.0, 0.0, 3.0))), 0.0)
    rest, pushed = np.zeros((SIZE, 12)), np.tile(0.5 * np.eye(12)[2], (SIZE, 1))
    delay = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 4.0])
    plant.advance(pushed, ALL, delay, 4)
    moved = plant.qvel[:, 8] - plant.qvel[5, 8]
    assert (np.diff(moved[:5]) < 0.0).all()
    assert moved[:4] / moved[3] == pytest.approx([4.0, 3.0, 2.0, 1.0], rel=0.1)
    # What came too late for this period is there from the beginning of the next.
    before = plant.qvel[4, 8]
    plant.advance(rest, np.array([4]), np.full(SIZE, 4.0), 1)
    assert plant.qvel[4, 8] - before == pytest.approx(moved[3], rel=0.1)


def test_a_delay_that_ends_within_a_step_counts_in_full(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    """However long the steps are: the law of that step is the mean over it."""
    limp = replace(believed, servo_stiffness=np.zeros((SIZE, 12)), servo_damping=np.zeros((SIZE, 12)))
    plant.place(limp, replace(hyq.neutral(), base_position=np.array((0.0, 0.0, 3.0))), 0.0)
    pushed = np.tile(0.5 * np.eye(12)[2], (SIZE, 1))
    delay = np.array([0.0, 0.25, 0.5, 1.75, 2.0, 2.0])
    plant.advance(pushed, ALL, delay, 2)
    moved = plant.qvel[:, 8] - plant.qvel[5, 8]
    assert moved / moved[0] == pytest.approx((2.0 - delay) / 2.0, abs=0.03)
    before = plant.qvel[:, 8].copy()
    plant.advance(pushed, ALL, np.zeros(SIZE), 1)
    assert plant.qvel[:, 8] - before == pytest.approx(np.full(SIZE, moved[0] / 2.0), rel=0.1)


def test_gains_change_with_their_command(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    plant.place(believed, replace(hyq.neutral(), base_position=np.array((0.0, 0.0, 3.0))), 0.0)
    old = plant.stiffness.copy()
    plant.stiffness[:] = 3.0 * old
    seen = []
    plant._step_physics = lambda moving, steps: seen.append((-plant._bias[:, 0, 1].copy(), steps))
    plant.advance(np.zeros((SIZE, 12)), ALL, np.array([0.0, 0.5, 1.0, 1.25, 2.0, 0.0]), 2)
    factors = [gain / old[:, 0] for gain, _ in seen]
    assert [steps for _, steps in seen] == [1, 1]
    assert factors[0] == pytest.approx([3.0, 2.0, 1.0, 1.0, 1.0, 3.0])
    assert factors[1] == pytest.approx([3.0, 3.0, 3.0, 2.5, 1.0, 3.0])
    assert -plant._bias[:, 0, 1] == pytest.approx(3.0 * old[:, 0])


def test_those_that_do_not_move_keep_still(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    plant.place(believed, hyq.neutral(), 0.0)
    before = plant.qpos.copy()
    plant.advance(plant.stiffness * hyq.stand_joint_position, np.array([1, 4]), np.zeros(SIZE), 2)
    moved = (plant.qpos != before).any(axis=1)
    assert moved.tolist() == [False, True, False, False, True, False]


def test_what_is_not_a_number_does_not_advance(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    position = believed.base_position.copy()
    position[2, 1] = np.nan
    plant.place(replace(believed, base_position=position), hyq.neutral(), 0.0)
    assert plant.advancing.tolist() == [True, True, False, True, True, True]
    plant.place(believed, hyq.neutral(), 0.0)
    assert plant.advancing.all()


def test_every_particle_starts_off_the_estimate_by_its_own_error_and_observes_the_estimate(
    hyq: RobotModel, plant: Plant, uncertainty, walk
) -> None:
    state: RobotState = walk.snapshot.state
    # On ground that is where it is believed to be.
    level = dict.fromkeys(("ground_height", "slope"), NO_UNCERTAINTY.persistent.slope)
    cloud = uncertainty.model_copy(update={"persistent": uncertainty.persistent.model_copy(update=level)})
    particles = draw_particles(hyq, cloud, walk.snapshot, 3, ALL)
    plant.place(particles, state, 0.2)
    assert plant.qpos[:, :3] == pytest.approx(state.base_position + particles.base_position - (0.0, 0.0, 0.2))
    turned = Rotation.from_quat(plant.qpos[:, [4, 5, 6, 3]]) * Rotation.from_quat(state.base_quaternion).inv()
    assert turned.as_rotvec() == pytest.approx(particles.base_orientation, abs=1e-12)
    names = ("base_position", "base_orientation", "base_velocity", "base_rate", "joint_position", "joint_velocity")
    assert set(names) < {item.name for item in fields(Particles)}
    errors = np.concatenate([getattr(particles, name) for name in names], axis=1)
    seen = np.zeros(SIZE, STATE)
    quiet, alive = np.zeros((SIZE, TRANSIENT_CHANNELS)), np.ones(SIZE, np.bool_)
    start, height = np.full(SIZE, state.time), np.full(SIZE, 0.2)
    observe(start, 0.0, plant.qpos, plant.qvel, plant.load, 40.0, height, errors, quiet, seen, alive)
    expected = state_record(state)[0]
    for name, tolerance in (("base_position", 1e-12), ("joint_position", 1e-12), ("base_velocity", 1e-12), ("joint_velocity", 1e-12)):
        assert seen[name] == pytest.approx(np.repeat(expected[name][None], SIZE, axis=0), abs=tolerance), name
    attitude = Rotation.from_quat(seen["base_quaternion"]) * Rotation.from_quat(state.base_quaternion).inv()
    assert attitude.magnitude().max() < 1e-4
    assert seen["base_rate"] == pytest.approx(np.repeat(expected["base_rate"][None], SIZE, axis=0), abs=1e-2)
