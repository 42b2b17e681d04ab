# SPDX-License-Identifier: Apache-2.0
"""Another engine for the same robots: where physics leaves no choice the two agree."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from surefoot.robot.model import RobotModel
from surefoot.traces.cloud import Particles, draw_particles
from surefoot.traces.cloud.uncertainty import Uncertainty
from surefoot.traces.plant.dart_plant import DartPlant
from surefoot.traces.plant.disturbed import DisturbedPlant

pytest.importorskip("dartpy", reason="surefoot install dart")

SIZE, STEPS = 6, 2
ALL, NO_DELAY = np.arange(SIZE), np.zeros(SIZE)


@pytest.fixture
def pair(hyq: RobotModel, simulation: mujoco.MjModel) -> tuple[DisturbedPlant, DartPlant]:
    return DisturbedPlant(hyq, simulation, SIZE), DartPlant(hyq, simulation, SIZE)


def test_in_the_air_perturbed_robots_move_alike(hyq: RobotModel, pair, uncertainty: Uncertainty, walk) -> None:
    """Other masses, lengths, axes and a push: nothing but rigid bodies and servos, so both engines must say the same."""
    high = replace(
        walk.snapshot.state,
        base_position=np.array((0.2, -0.1, 3.0)),
        base_linear_velocity=np.array((0.3, 0.1, 0.5)),
        base_angular_velocity=np.array((0.4, -0.2, 0.3)),
    )
    particles = draw_particles(hyq, uncertainty, replace(walk.snapshot, state=high), 5, ALL)
    particles = replace(particles, push_time=np.full(SIZE, 0.02), push_velocity=np.tile((0.2, -0.3), (SIZE, 1)))
    for plant in pair:
        plant.place(particles, high, 0.0)
        for _ in range(50):
            plant.advance(plant.stiffness * (hyq.stand_joint_position + 0.1), ALL, np.full(SIZE, 0.5), STEPS)
    expected, found = pair
    assert found.load == pytest.approx(np.zeros((SIZE, 4)))
    assert np.ptp(expected.qpos[:, 7:], axis=0).max() > 5e-3
    assert found.qpos == pytest.approx(expected.qpos, abs=4e-3)
    assert found.qvel == pytest.approx(expected.qvel, abs=0.1)


def test_feet_bear_the_weight_where_the_ground_is(hyq: RobotModel, pair, believed: Particles) -> None:
    factors = np.linspace(0.8, 1.2, SIZE)
    stiff, damped = np.full((SIZE, 12), 800.0 / 150.0), np.full((SIZE, 12), 20.0 / 6.0)
    particles = replace(believed, base_mass=factors, servo_stiffness=stiff, servo_damping=damped)
    height = 0.3
    _, plant = pair
    state = replace(hyq.neutral(), base_position=hyq.neutral().base_position + np.array((0.0, 0.0, height)))
    plant.place(particles, state, height)
    loads = []
    for _ in range(250):
        plant.advance(plant.stiffness * hyq.stand_joint_position, ALL, NO_DELAY, STEPS)
        loads.append(plant.load.sum(axis=1))
    base = plant.simulation.body(hyq.description.base).mass[0]
    assert np.mean(loads[-80:], axis=0) == pytest.approx((hyq.total_mass + (factors - 1.0) * base) * 9.81, rel=0.02)


def test_what_is_not_a_number_does_not_advance(hyq: RobotModel, pair, believed: Particles) -> None:
    position = believed.base_position.copy()
    position[1, 2] = np.nan
    particles = replace(believed, base_position=position)
    _, plant = pair
    plant.place(particles, hyq.neutral(), 0.0)
    plant.advance(plant.stiffness * hyq.stand_joint_position, ALL, NO_DELAY, STEPS)
    assert plant.advancing.tolist() == [True, False, True, True, True, True]

