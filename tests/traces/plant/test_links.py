# SPDX-License-Identifier: Apache-2.0
"""Each parameter of the links changes the fields that it should, and no others."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from surefoot.robot.load import load_robot
from surefoot.robot.locate import robot_names
from surefoot.robot.model import RobotModel
from surefoot.simulation.mujoco_model import build_model
from surefoot.terrain.belief import TerrainBelief
from surefoot.terrain.world import World
from surefoot.traces.cloud import Particles, draw_particles
from surefoot.traces.cloud.uncertainty import NO_UNCERTAINTY
from surefoot.traces.plant.links import Links
from surefoot.traces.plant.plant import Plant
from surefoot.traces.plant.solids import second_moments
from surefoot.traces.snapshot import Snapshot

INERTIA = {"body_mass", "body_inertia", "body_ipos", "body_iquat"}
SHAPE = {"geom_size", "geom_rbound", "geom_pos"}


def differing(plant: Plant, simulation: mujoco.MjModel, robot: int = 1) -> set[str]:
    """Fields of a robot that are not those of the believed one, apart from what follows from them, and from friction and servos."""
    own = plant.batch.get_model(robot)
    names = [name for name in dir(simulation) if name.split("_")[0] in ("body", "jnt", "dof", "geom", "site", "actuator", "opt")]
    followed = {
        "body_subtreemass", "body_invweight0", "dof_invweight0", "dof_M0", "actuator_acc0", "dof_length", "actuator_biasprm",
        "geom_friction", "geom_priority", "geom_solref", "geom_solimp", "geom_sameframe", "geom_condim", "geom_solmix", "geom_aabb",
    }  # fmt: skip
    arrays = {name: getattr(own, name) for name in names if isinstance(getattr(own, name), np.ndarray)}
    return {name for name, value in arrays.items() if not np.array_equal(value, getattr(simulation, name))} - followed


def changed(believed: Particles, **factors: float) -> Particles:
    return replace(believed, **{name: getattr(believed, name) + value for name, value in factors.items()})


@pytest.mark.parametrize(
    ("parameter", "fields"),
    [
        ("base_mass", {"body_mass", "body_inertia"}), ("link_mass", {"body_mass", "body_inertia"}), ("base_centre_of_mass", {"body_ipos"}),
        ("link_length", INERTIA | SHAPE | {"body_pos", "site_pos"}), ("link_radius", INERTIA | {"geom_size", "geom_rbound"}),
        ("foot_radius", {"geom_size", "geom_rbound"}), ("joint_axis", {"jnt_axis"}), ("payload_mass", INERTIA),
        ("payload_place", set()), ("joint_damping", {"dof_damping"}),
        ("effort_limit", {"actuator_forcerange"}), ("servo_stiffness", set()), ("effort", set()),
        ("backlash", set()), ("torque_speed", set()),
    ],
)  # fmt: skip
def test_a_parameter_changes_its_own_fields(
    hyq: RobotModel, plant: Plant, simulation: mujoco.MjModel, believed: Particles, parameter: str, fields: set[str]
) -> None:
    plant.place(believed, hyq.neutral(), 0.0)
    assert differing(plant, simulation) == set()
    plant.place(changed(believed, **{parameter: 0.01}), hyq.neutral(), 0.0)
    # Where a link is another, its inertia is found anew, even if it comes to the same but for rounding.
    found = differing(plant, simulation)
    assert fields <= found <= (fields | INERTIA if fields & SHAPE else fields)
    plant.place(believed, hyq.neutral(), 0.0)
    assert differing(plant, simulation) == set()


@pytest.mark.parametrize("name", robot_names())
@pytest.mark.parametrize(
    ("factors", "mass", "length"),
    [
        # To the smallest number that makes everything be computed anew.
        ({"link_length": 1.0 + 1e-13}, 1.0, 1.0),
        ({"link_mass": 1.1, "foot_mass": 1.1, "foot_radius": 1.0 + 1e-13}, 1.1, 1.0),
        ({"link_length": 1.1, "link_radius": 1.1, "foot_radius": 1.1}, 1.1**3, 1.1),
    ],
    ids=["same", "denser", "larger"],
)
def test_links_scale_as_solids_do(name: str, factors: dict[str, float], mass: float, length: float) -> None:
    """Inertia goes with the mass and the square of the length."""
    model = load_robot(name)
    simulation = build_model(model, World(), 2e-3)
    ground = TerrainBelief(name="any", friction_mean=0.6, friction_standard_deviation=0.1)
    snapshot = Snapshot(model.neutral(), None, None, None, np.zeros(3), ground, ground)
    particles = draw_particles(model, NO_UNCERTAINTY, snapshot, 0, np.arange(2))
    plant = Plant(model, simulation, 2)
    scaled = {key: np.full_like(getattr(particles, key), value) for key, value in factors.items()}
    plant.place(replace(particles, **scaled), model.neutral(), 0.0)
    own, links = plant.batch.get_model(1), Links(model, simulation).links
    assert own.body_mass[links] == pytest.approx(mass * simulation.body_mass[links], rel=1e-9)
    assert own.body_ipos[links] == pytest.approx(length * simulation.body_ipos[links], abs=1e-9)
    expected = mass * length**2 * second_moments(simulation, links)
    assert second_moments(own, links) == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


def test_longer_links_move_all_that_hangs_on_them(hyq: RobotModel, plant: Plant, simulation: mujoco.MjModel, believed: Particles) -> None:
    length = believed.link_length.copy()
    length[:, 5] = 1.1
    plant.place(replace(believed, link_length=length), hyq.neutral(), 0.0)
    own, foot = plant.batch.get_model(1), hyq.description.foot_names[1]
    assert own.geom(foot).pos == pytest.approx(1.1 * simulation.geom(foot).pos)
    assert own.site(foot).pos == pytest.approx(1.1 * simulation.site(foot).pos)
    assert own.body("rf_lowerleg").mass == pytest.approx(1.1 * simulation.body("rf_lowerleg").mass)
    assert own.geom("lf_foot").pos.tolist() == simulation.geom("lf_foot").pos.tolist()
    shank = next(i for i in range(own.ngeom) if own.geom_bodyid[i] == own.body("rf_lowerleg").id and not own.geom(i).name)
    assert own.geom_size[shank, :2] == pytest.approx(simulation.geom_size[shank, :2] * (1.0, 1.1))
    assert own.geom_rbound[shank] == pytest.approx(np.linalg.norm(own.geom_size[shank, :2]))


def test_larger_soles_stand_higher(hyq: RobotModel, plant: Plant, believed: Particles) -> None:
    sole = 1.0 + 0.1 * np.arange(6)[:, None] * np.ones((6, 4))
    stiff = {"servo_stiffness": np.full((6, 12), 800.0 / 150.0), "servo_damping": np.full((6, 12), 20.0 / 6.0)}
    plant.place(replace(believed, foot_radius=sole, **stiff), hyq.neutral(), 0.0)
    for _ in range(300):
        plant.advance(plant.stiffness * hyq.stand_joint_position, np.arange(6), np.zeros(6), 2)
    assert np.diff(plant.qpos[:, 2]) == pytest.approx(np.full(5, 0.1 * hyq.description.foot_radius), rel=0.1)


def test_a_tilted_axis_stays_a_unit_vector(hyq: RobotModel, plant: Plant, simulation: mujoco.MjModel, believed: Particles) -> None:
    tilt = believed.joint_axis.copy()
    tilt[:, 4] = (0.03, -0.04)
    plant.place(replace(believed, joint_axis=tilt), hyq.neutral(), 0.0)
    own = plant.batch.get_model(2).jnt_axis
    assert np.linalg.norm(own, axis=1) == pytest.approx(1.0)
    angles = np.arccos(np.clip((own * simulation.jnt_axis).sum(axis=1), -1.0, 1.0))
    assert angles[5] == pytest.approx(np.arctan(0.05))
    assert np.array_equal(np.delete(own, 5, axis=0), np.delete(simulation.jnt_axis, 5, axis=0))


def test_a_payload_is_a_point_mass(hyq: RobotModel, plant: Plant, simulation: mujoco.MjModel, believed: Particles) -> None:
    place = np.array((0.3, -0.1, 0.2))
    plant.place(replace(believed, payload_mass=np.full(6, 5.0), payload_place=np.tile(place, (6, 1))), hyq.neutral(), 0.0)
    own, base = plant.batch.get_model(3), simulation.body(hyq.description.base).id
    mass, centre = simulation.body_mass[base], simulation.body_ipos[base]
    assert own.body_mass[base] == pytest.approx(mass + 5.0)
    assert own.body_ipos[base] == pytest.approx((mass * centre + 5.0 * place) / (mass + 5.0))
    about_origin = second_moments(simulation, np.array([base]))[0] + mass * np.outer(centre, centre) + 5.0 * np.outer(place, place)
    own_centre = own.body_ipos[base]
    assert second_moments(own, np.array([base]))[0] == pytest.approx(about_origin - (mass + 5.0) * np.outer(own_centre, own_centre))


def test_poisoned_numbers_stay_with_their_robot(hyq: RobotModel, plant: Plant, simulation: mujoco.MjModel, believed: Particles) -> None:
    mass = believed.link_mass.copy()
    mass[2] = np.nan
    particles = changed(replace(believed, link_mass=mass), link_length=0.01)
    plant.place(particles, hyq.neutral(), 0.0)
    assert np.isfinite(plant.batch.get_model(1).body_inertia).all()
    assert np.isnan(plant.batch.get_model(2).body_mass).any()
