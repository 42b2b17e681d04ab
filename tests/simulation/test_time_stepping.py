# SPDX-License-Identifier: Apache-2.0
"""The time stepper obeys Newton, Coulomb and rigid ground, and agrees with MuJoCo where both have to."""

from unittest.mock import patch

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.contact.complementarity import PIVOT_LIMIT, ComplementarityResult
from surefoot.contact.multibody import MultibodyContactProblem
from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.coulomb_lcp import coulomb_lcp
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.robot.command import JointCommand
from surefoot.robot.load import load_robot
from surefoot.robot.model import RigidBodyTerms, RobotModel
from surefoot.simulation import contact_impulses
from surefoot.simulation.physics import Physics
from surefoot.simulation.robot import SimulatedRobot
from surefoot.simulation.time_stepping import RigidContactRobot
from surefoot.terrain.relief import Relief
from surefoot.terrain.world import GroundStrip, World


@pytest.fixture(scope="module", params=["hyq", "links"])
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_robot(request.param)


def holding(model: RobotModel, gain: float = 1.0) -> JointCommand:
    servos = model.description.servos
    stiffness, damping = np.full(12, gain * servos.posture_stiffness), np.full(12, gain * servos.posture_damping)
    return JointCommand(0.0, model.stand_joint_position, np.zeros(12), np.zeros(12), stiffness, damping)


def placed(model: RobotModel, world: World, height: float = 0.0, **options: float) -> RigidContactRobot:
    """A robot with its feet some height above the ground."""
    robot = RigidContactRobot(model, world, **options)
    robot.reset(model.stand_joint_position)
    robot.base_position[2] += height
    return robot


def run(robot: Physics, command: JointCommand | None, seconds: float) -> None:
    for _ in range(round(seconds / robot.period)):
        robot.step(command)


def terms_of(robot: RigidContactRobot) -> RigidBodyTerms:
    velocity = robot.velocity
    return robot.model.rigid_body_terms(
        robot.base_position, robot.base_quaternion, robot.joint_position, velocity[:3], velocity[3:6], velocity[6:]
    )


def gaps(robot: RigidContactRobot) -> np.ndarray:
    return terms_of(robot).foot_positions[:, 2] - robot.model.description.foot_radius


def energy(robot: RigidContactRobot) -> float:
    centre = robot.model.centre_of_mass(robot.base_position, robot.base_quaternion, robot.joint_position)
    kinetic = 0.5 * robot.velocity @ terms_of(robot).mass_matrix @ robot.velocity
    return float(kinetic + robot.model.total_mass * 9.81 * centre[2])


def momentum(robot: RigidContactRobot) -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum, and angular momentum about the centre of mass."""
    whole = (terms_of(robot).mass_matrix @ robot.velocity)[:6]
    centre = robot.model.centre_of_mass(robot.base_position, robot.base_quaternion, robot.joint_position)
    return whole[:3], whole[3:] + np.cross(robot.base_position - centre, whole[:3])


def test_a_falling_robot_lands_without_rebound_and_rests(model: RobotModel) -> None:
    robot = placed(model, World(), height=0.03)
    highest, landed, deepest = 0.0, False, 0.0
    for _ in range(round(2.0 / robot.period)):
        robot.step(holding(model, 3.0))
        landed = landed or bool((gaps(robot) < 1e-4).all())
        highest = max(highest, float(gaps(robot).max()) if landed else 0.0)
        deepest = max(deepest, float(-gaps(robot).min()))
    truth = robot.truth()
    assert landed
    assert highest < 1e-4
    assert deepest < 2e-5
    assert np.abs(gaps(robot)).max() < 1e-9
    assert np.abs(robot.velocity).max() < 1e-5
    assert truth.foot_load.sum() == pytest.approx(9.81 * model.total_mass, rel=1e-6)
    assert robot.foot_forces()[:, 2] == pytest.approx(truth.foot_load, rel=1e-6)
    assert robot.foot_forces().sum(axis=0)[:2] == pytest.approx([0.0, 0.0], abs=5e-5 * model.total_mass)
    assert robot.impulses.relaxed == 0
    assert robot.impulses.warm > 0.9 * robot.impulses.solves


def test_a_standing_robot_stands_as_in_mujoco(model: RobotModel) -> None:
    # Dry friction would leave the joints of MuJoCo's robot where they happen to come to rest.
    servos = model.description.servos.model_copy(update={"friction": 0.0})
    model = RobotModel(model.description.model_copy(update={"servos": servos}), model.urdf, ())
    rigid, other = placed(model, World()), SimulatedRobot(model, World(), seed=0, perfect_sensors=True)
    other.reset(model.stand_joint_position)
    for robot in (rigid, other):
        run(robot, holding(model), 1.0)
    ours, theirs, weight = rigid.truth(), other.truth(), 9.81 * model.total_mass
    assert ours.foot_load == pytest.approx(theirs.foot_load, abs=2e-3 * weight)
    # MuJoCo's feet creep, by about a tenth of a millimetre, which lets them push apart less.
    assert rigid.foot_forces() == pytest.approx(other.foot_forces(), abs=1e-2 * weight)
    assert ours.base_position == pytest.approx(theirs.base_position, abs=2e-4)
    assert ours.joint_position == pytest.approx(theirs.joint_position, abs=2e-3)
    assert ours.time == pytest.approx(theirs.time)
    assert ours.joint_effort == pytest.approx(theirs.joint_effort, abs=0.05 * np.abs(ours.joint_effort).max())


@pytest.mark.parametrize(("heading", "edges", "in_a_strip"), [(0.0, 4, False), (90.0, 4, True), (225.0, 8, False)])
def test_a_sliding_robot_is_braked_by_friction_times_weight(hyq: RobotModel, heading: float, edges: int, in_a_strip: bool) -> None:
    # With four edges a slide between the axes would be braked by less: the pyramid is inscribed.
    strip = GroundStrip(start=-5.0, end=5.0, friction=0.1)
    robot = placed(hyq, World(friction=0.9, strips=(strip,)) if in_a_strip else World(friction=0.1), edges=edges, time_step=2e-3)
    stiff = JointCommand(0.0, hyq.stand_joint_position, np.zeros(12), np.zeros(12), np.full(12, 3000.0), np.full(12, 60.0))
    run(robot, stiff, 0.6)
    direction = np.array((np.cos(np.radians(heading)), np.sin(np.radians(heading))))
    robot.velocity[:2] += 0.8 * direction
    speeds, ratios = [], []
    for tick in range(150):
        robot.step(stiff)
        if tick >= 50:
            force = robot.foot_forces().sum(axis=0)
            speeds.append(robot.velocity[:2] @ direction)
            ratios.append(-force[:2] @ direction / force[2])
    assert min(speeds) > 0.05
    assert ratios == pytest.approx(np.full(100, 0.1), rel=1e-6)
    assert -np.polyfit(robot.period * np.arange(100), speeds, 1)[0] == pytest.approx(0.1 * 9.81, rel=0.01)


@pytest.mark.parametrize("friction", [1.0, 100.0, 1e4])
def test_on_grip_feet_stay_where_they_are(model: RobotModel, friction: float) -> None:
    robot = placed(model, World(friction=friction))
    run(robot, holding(model), 0.2)
    before = terms_of(robot).foot_positions
    robot.velocity[:2] += (0.05, 0.03)
    run(robot, holding(model), 0.3)
    assert np.abs(gaps(robot)).max() < 1e-6
    assert terms_of(robot).foot_positions == pytest.approx(before, abs=2e-4)
    assert robot.truth().foot_load.min() > 0.0


@pytest.mark.parametrize("friction", [0.1, 0.7, 1e3])
def test_without_actuation_energy_only_falls(model: RobotModel, friction: float) -> None:
    robot = placed(model, World(friction=friction), height=0.03, time_step=1.0 / model.description.control.rate)
    robot.velocity[:6] = (0.4, 0.1, 0.0, 0.3, -0.2, 0.5)
    energies = [energy(robot)]
    for _ in range(round(0.25 / robot.period)):
        robot.step(None)
        energies.append(energy(robot))
    assert np.diff(energies).max() <= 1e-9 * energies[0]
    assert not robot.truth().joint_effort.any()


def test_in_flight_momentum_is_kept(model: RobotModel) -> None:
    robot = RigidContactRobot(model, World())
    robot.reset(model.stand_joint_position, height=5.0)
    robot.velocity[:] = np.random.default_rng(0).normal(size=18)
    linear, angular = momentum(robot)
    run(robot, None, 0.3)
    later_linear, later_angular = momentum(robot)
    assert later_linear == pytest.approx(linear - (0.0, 0.0, 0.3 * 9.81 * model.total_mass), abs=2e-4 * np.abs(linear).max())
    assert later_angular == pytest.approx(angular, abs=5e-3 * np.abs(angular).max())
    assert not robot.foot_forces().any()
    assert robot.impulses.solves == 0


def test_halving_the_step_halves_the_error(links: RobotModel) -> None:
    ends = []
    for step in (2e-3, 1e-3, 5e-4, 1.25e-4):
        robot = placed(links, World(), height=0.01, time_step=step)
        run(robot, holding(links), 0.1)
        ends.append(np.concatenate((robot.base_position, robot.joint_position)))
    errors = [np.linalg.norm(end - ends[-1]) for end in ends[:-1]]
    assert errors[0] > 1.5 * errors[1] > 2.25 * errors[2]


@pytest.mark.parametrize("seed", range(4))
def test_forces_of_a_tumbling_robot_obey_the_model(model: RobotModel, seed: int) -> None:
    random, step, friction = np.random.default_rng(seed), 1.0 / model.description.control.rate, 0.4
    robot = placed(model, World(friction=friction), height=0.02, time_step=step, edges=8)
    robot.velocity[:6] = 0.5 * random.normal(size=6)
    weight, touched = 9.81 * model.total_mass, 0
    command = holding(model)
    for tick in range(60):
        if tick % 10 == 0:
            effort = 0.2 * model.effort_limit * random.normal(size=12)
            command = JointCommand(0.0, model.stand_joint_position, np.zeros(12), effort, command.stiffness, command.damping)
        terms, velocity, gap = terms_of(robot), robot.velocity, gaps(robot)
        robot.step(command)
        force, effort, after = robot.foot_forces(), robot.truth().joint_effort, robot.velocity
        torque = np.concatenate((np.zeros(6), effort - model.description.servos.viscous_friction * after[6:]))
        gained = terms.mass_matrix @ (after - velocity) / step
        residual = gained + terms.bias - torque - np.einsum("fij,fi->j", terms.foot_jacobians, force)
        assert np.abs(residual).max() < 1e-7 * (1.0 + np.abs(gained).max())
        assert (np.abs(effort) <= model.effort_limit * (1.0 + 1e-9)).all()
        foot_velocity = terms.foot_jacobians @ after
        above = foot_velocity[:, 2] + gap / step
        assert force[:, 2].min() >= 0.0
        assert above.min() > -1e-6
        assert (np.minimum(force[:, 2] / weight, np.abs(above)) < 1e-6).all()
        assert (np.linalg.norm(force[:, :2], axis=1) <= friction * force[:, 2] + 1e-6 * weight).all()
        # Friction never drives.
        assert (np.einsum("fi,fi->f", force[:, :2], foot_velocity[:, :2]) <= 1e-6 * weight).all()
        touched += int((force[:, 2] > 0.0).sum())
    assert touched > 20
    assert robot.impulses.relaxed == 0


@pytest.mark.parametrize("friction", [0.1, 0.7])
@pytest.mark.parametrize("seed", range(5))
def test_inverse_dynamics_with_the_same_contacts_predicts_its_forces(links: RobotModel, friction: float, seed: int) -> None:
    servos = links.description.servos.model_copy(update={"viscous_friction": 0.0})
    robot = placed(RobotModel(links.description.model_copy(update={"servos": servos}), links.urdf), World(friction=friction))
    random = np.random.default_rng(seed)
    # One foot is a little above the ground, and may land within the step.
    robot.joint_position[2] += 1e-4 * random.random()
    terms = terms_of(robot)
    problem = MultibodyContactProblem(
        mass_matrix=terms.mass_matrix, bias=terms.bias, velocity=robot.velocity, actuated=np.arange(6, 18),
        acceleration=20.0 * random.normal(size=12), effort_limit=links.effort_limit, jacobian=terms.foot_jacobians.reshape(12, 18),
        jacobian_rate=np.zeros(12), normals=np.tile((0.0, 0.0, 1.0), (4, 1)), friction=np.full(4, friction), gaps=gaps(robot), step=2e-3,
    )  # fmt: skip
    predicted = coulomb_lcp(problem)
    assert predicted.status == SOLVED
    none = np.zeros(12)
    stepper = placed(robot.model, World(friction=friction), time_step=2e-3)
    stepper.joint_position[:] = robot.joint_position
    stepper.step(JointCommand(0.0, none, none, predicted.torque, none, none))
    assert stepper.foot_forces().ravel() == pytest.approx(predicted.force, abs=1e-5 * 9.81 * links.total_mass)
    assert stepper.velocity / 2e-3 == pytest.approx(predicted.acceleration, abs=1e-3)


@pytest.mark.parametrize(("stiffness", "damping", "step"), [(3e3, 60.0, 4e-3), (3e3, 60.0, 1e-3), (1e5, 1e4, 4e-3), (1e6, 1e3, 4e-3)])
def test_the_servo_law_is_clamped_and_stable(hyq: RobotModel, stiffness: float, damping: float, step: float) -> None:
    """The last two are far stiffer than the step would bear if the servos were taken explicitly."""
    robot = RigidContactRobot(hyq, World(), time_step=step)
    robot.reset(hyq.stand_joint_position, height=20.0)
    wanted, none, limit = hyq.stand_joint_position + 0.5, np.zeros(12), hyq.effort_limit
    command = JointCommand(0.0, wanted, none, np.full(12, 3.0), np.full(12, stiffness), np.full(12, damping))
    largest = np.zeros(12)
    for _ in range(round(1.5 / robot.period)):
        robot.step(command)
        law = 3.0 + stiffness * (wanted - robot.joint_position) - damping * robot.velocity[6:]
        effort = robot.truth().joint_effort
        assert effort == pytest.approx(np.clip(law, -limit, limit), abs=1e-6)
        largest = np.maximum(largest, np.abs(effort))
    assert robot.unsettled == 0
    assert (largest == limit).sum() >= (4 if damping < 1e4 else 0)
    assert robot.joint_position == pytest.approx(wanted + 3.0 / stiffness, abs=1e-3)
    robot.step(JointCommand(0.0, wanted, none, np.full(12, 7.0), none, none))
    assert robot.truth().joint_effort == pytest.approx(np.full(12, 7.0))


def test_a_command_takes_effect_after_its_delay(links: RobotModel) -> None:
    command = JointCommand(0.0, links.stand_joint_position, np.zeros(12), np.full(12, 0.5), np.zeros(12), np.zeros(12))
    efforts = []
    for delay in (0.0, 0.001, 0.002):
        robot = RigidContactRobot(links, World(), command_delay=delay)
        robot.reset(links.stand_joint_position, height=1.0)
        robot.step(command)
        moved = robot.velocity[6:].copy()
        robot.step(command)
        efforts.append((float(np.abs(moved).max()), float(robot.truth().joint_effort[0])))
    moved = [speed for speed, _ in efforts]
    assert moved[0] > 1.5 * moved[1] > 0.1
    assert moved[2] < 1e-12
    assert [effort for _, effort in efforts] == pytest.approx([0.5, 0.5, 0.5])


def test_the_base_turns_by_the_exponential(links: RobotModel) -> None:
    robot = RigidContactRobot(links, World(), time_step=2e-3)
    robot.reset(links.stand_joint_position, height=1.0)
    turn = Rotation.from_euler("xyz", (0.4, -1.0, 2.0))
    robot.base_quaternion = turn.as_quat()
    robot.velocity[3:6] = (1.0, -2.0, 3.0)
    robot.step(None)
    expected = Rotation.from_rotvec(2e-3 * robot.velocity[3:6]) * turn
    assert (Rotation.from_quat(robot.base_quaternion) * expected.inv()).magnitude() < 1e-12
    assert np.linalg.norm(robot.base_quaternion) == pytest.approx(1.0, abs=1e-15)


def test_one_course_is_one_course(links: RobotModel) -> None:
    def course() -> bytes:
        robot = placed(links, World(friction=0.2), height=0.01)
        run(robot, holding(links), 0.1)
        return np.concatenate((robot.base_position, robot.base_quaternion, robot.joint_position, robot.velocity)).tobytes()

    assert course() == course()


def test_where_pivoting_fails_a_relaxation_stands_in_and_is_counted(links: RobotModel) -> None:
    robot = placed(links, World())
    run(robot, holding(links), 0.2)
    exact = robot.foot_forces()

    def fails(matrix: np.ndarray, offset: np.ndarray) -> ComplementarityResult:
        return ComplementarityResult.unsolved(len(offset), PIVOT_LIMIT)

    with patch.object(contact_impulses, "solve_lemke", fails), patch.object(contact_impulses, "_of_modes", lambda *_: None):
        run(robot, holding(links), 0.01)
    assert robot.impulses.relaxed == 10
    assert robot.foot_forces() == pytest.approx(exact, abs=1e-3 * 9.81 * links.total_mass)
    assert np.abs(gaps(robot)).max() < 1e-6


@pytest.mark.parametrize(
    ("world", "options", "words"),
    [
        (World(sinkage=0.001), {}, "the world has compliant ground; use SimulatedRobot"),
        (World(relief=Relief()), {}, "the world has relief; use SimulatedRobot"),
        (World(), {"time_step": 0.0015}, "0.002 s is not a whole number of time steps of 0.0015 s"),
        (World(), {"time_step": 0.01}, "not a whole number of time steps"),
        (World(), {"edges": 5}, "cannot have 5 edges"),
    ],
)
def test_what_it_cannot_simulate_is_refused(links: RobotModel, world: World, options: dict[str, float], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        RigidContactRobot(links, world, **options)


def test_a_command_that_is_not_finite_is_refused(links: RobotModel) -> None:
    robot = placed(links, World())
    with pytest.raises(ValueError, match="not finite"):
        robot.step(JointCommand(0.0, np.full(12, np.nan), np.zeros(12), np.zeros(12), np.ones(12), np.ones(12)))
