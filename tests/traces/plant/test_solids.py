# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.robot.load import load_robot
from surefoot.robot.locate import robot_names
from surefoot.simulation.mujoco_model import build_model
from surefoot.terrain.world import World
from surefoot.traces.plant.solids import applied, foot_solids, principal_inertia, second_moments, shifted, stretches


def test_stretches_act_along_and_across() -> None:
    direction = np.array((0.6, 0.0, 0.8))
    stretch = stretches(direction, np.array(1.5), np.array(0.5))
    assert applied(stretch, direction) == pytest.approx(1.5 * direction)
    assert applied(stretch, np.array((0.8, 0.0, -0.6))) == pytest.approx(0.5 * np.array((0.8, 0.0, -0.6)))
    assert stretches(np.zeros(3), np.array(1.5), np.array(0.5)) == pytest.approx(0.5 * np.eye(3))


def test_a_stretched_cylinder_has_the_inertia_of_the_textbook() -> None:
    """Axial m r^2 / 2, transversal m (3 r^2 + l^2) / 12."""

    def cylinder(mass: float, radius: float, length: float) -> np.ndarray:
        across, along = mass * (3.0 * radius**2 + length**2) / 12.0, mass * radius**2 / 2.0
        return np.array((across, across, along))

    turn = Rotation.from_euler("xyz", (0.3, -0.4, 0.5)).as_matrix()
    believed = turn @ np.diag(cylinder(2.0, 0.05, 0.4)) @ turn.T
    moments = 0.5 * np.trace(believed) * np.eye(3) - believed
    stretch, growth = stretches(turn[:, 2], np.array(1.2), np.array(0.9)), 1.1 * 1.2 * 0.9**2
    inertia, quaternion = principal_inertia((growth * stretch @ moments @ stretch)[None])
    axes = Rotation.from_quat(quaternion[0, [1, 2, 3, 0]]).as_matrix()
    expected = turn @ np.diag(cylinder(2.0 * growth, 0.05 * 0.9, 0.4 * 1.2)) @ turn.T
    assert axes @ np.diag(inertia[0]) @ axes.T == pytest.approx(expected, rel=1e-9)


def test_numbers_that_are_none_do_not_spread_to_others() -> None:
    moments = np.tile(np.diag((1.0, 2.0, 3.0)), (3, 1, 1))
    moments[1, 0, 0] = np.nan
    inertia, quaternion = principal_inertia(moments)
    assert np.isfinite(quaternion).all()
    assert np.isnan(inertia).all(axis=1).tolist() == [False, True, False]
    assert np.sort(inertia[0]) == pytest.approx([3.0, 4.0, 5.0])


def test_shifted_moments_are_those_of_a_point() -> None:
    moments = shifted(np.array(2.0), np.array((0.0, 0.0, 3.0)))
    assert moments == pytest.approx(np.diag((0.0, 0.0, 18.0)))


@pytest.mark.parametrize("name", robot_names())
def test_feet_are_solid_parts_of_the_shins_that_carry_them(name: str) -> None:
    model = load_robot(name)
    simulation = build_model(model, World(), 2e-3)
    mass, centre, moments = foot_solids(model)
    shins = np.array([simulation.body(body.name).id for body in model.bodies()[3::3]])
    assert ((mass >= 0.0) & (mass < simulation.body_mass[shins])).all()
    rest = second_moments(simulation, shins) + shifted(simulation.body_mass[shins], simulation.body_ipos[shins])
    rest -= moments + shifted(mass, centre)
    assert np.linalg.eigvalsh(rest).min() > 0.0


def test_robots_with_and_without_a_mass_of_their_feet() -> None:
    assert foot_solids(load_robot("go2"))[0] == pytest.approx(np.full(4, 0.04))
    assert not foot_solids(load_robot("hyq"))[0].any()
