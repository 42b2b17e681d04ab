# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.simulation.robot import ASKED, GAINS, SimulatedRobot
from surefoot.terrain.world import World

HIGH = 3.0


def command(model: RobotModel, **changes: np.ndarray | float) -> JointCommand:
    values = {"position": model.stand_joint_position, "velocity": 0.0, "effort": 0.0, "stiffness": 0.0, "damping": 0.0} | changes
    return JointCommand(0.0, **{key: np.broadcast_to(value, 12) for key, value in values.items()})


def holding(model: RobotModel) -> JointCommand:
    servos = model.description.servos
    return command(model, stiffness=servos.posture_stiffness, damping=servos.posture_damping)


def rotation_of(robot: SimulatedRobot) -> Rotation:
    return Rotation.from_quat(robot.truth().base_quaternion)


@pytest.fixture(scope="module")
def standing(hyq: RobotModel) -> SimulatedRobot:
    robot = SimulatedRobot(hyq, World(), seed=0, perfect_sensors=True)
    robot.reset(hyq.stand_joint_position)
    for _ in range(500):
        robot.step(holding(hyq))
    return robot


def test_it_is_put_on_its_feet(hyq: RobotModel) -> None:
    robot = SimulatedRobot(hyq, World(), seed=0)
    robot.reset(hyq.stand_joint_position)
    truth = robot.truth()
    assert truth.base_position == pytest.approx([0.0, 0.0, hyq.description.stand_height], abs=2e-3)
    assert truth.base_quaternion.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert truth.joint_position == pytest.approx(hyq.stand_joint_position)
    assert not truth.body_contact
    assert truth.time == 0.0


def test_standing_feet_bear_the_weight(hyq: RobotModel, standing: SimulatedRobot) -> None:
    weight, truth = hyq.total_mass * 9.81, standing.truth()
    assert np.abs(truth.joint_velocity).max() < 1e-3
    assert truth.foot_load.sum() == pytest.approx(weight, rel=1e-3)
    force = rotation_of(standing).apply(standing.sense()[0].foot_force)
    assert force.sum(axis=0) == pytest.approx([0.0, 0.0, weight], abs=1e-3 * weight)
    assert force[:, 2] == pytest.approx(truth.foot_load, rel=1e-3)
    assert not truth.body_contact


def test_an_accelerometer_at_rest_reads_gravity_upwards(standing: SimulatedRobot) -> None:
    sample, _ = standing.sense()
    base_from_imu = standing.model.attached_frame(standing.model.description.sensors.imu_link).body_from_frame_rotation
    assert rotation_of(standing).apply(base_from_imu @ sample.specific_force_imu) == pytest.approx([0.0, 0.0, 9.81], abs=0.01)
    assert sample.angular_velocity_imu == pytest.approx(np.zeros(3), abs=1e-3)


def test_without_a_command_it_lies(hyq: RobotModel) -> None:
    robot = SimulatedRobot(hyq, World(), seed=0)
    for _ in range(300):
        robot.step(None)
    truth = robot.truth()
    assert truth.base_position[2] < 0.5 * hyq.description.stand_height
    assert np.abs(truth.joint_velocity).max() < 0.01
    assert not truth.joint_effort.any()


def test_on_its_back_it_touches_the_ground_with_its_body(hyq: RobotModel) -> None:
    robot = SimulatedRobot(hyq, World(), seed=0)
    robot.reset(hyq.stand_joint_position, 0.4)
    robot.data.qpos[3:7] = (0.0, 1.0, 0.0, 0.0)
    for _ in range(150):
        robot.step(None)
    assert robot.truth().body_contact


@pytest.mark.parametrize(
    ("changes", "law"),
    [
        ({"effort": 7.0}, lambda q, v: 7.0),
        ({"position": 0.2, "stiffness": 30.0}, lambda q, v: 30.0 * (0.2 - q)),
        ({"velocity": 1.5, "damping": 4.0}, lambda q, v: 4.0 * (1.5 - v)),
        ({"effort": -3.0, "position": 0.1, "stiffness": 20.0, "velocity": -0.5, "damping": 2.0},
         lambda q, v: -3.0 + 20.0 * (0.1 - q) + 2.0 * (-0.5 - v)),
        ({"effort": 1e4}, lambda q, v: 1e4),
        ({"position": -3.0, "stiffness": 1e4}, lambda q, v: 1e4 * (-3.0 - q)),
    ],
)  # fmt: skip
def test_the_servo_law_is_clamped_to_what_the_servo_can_give(hyq: RobotModel, changes: dict[str, float], law) -> None:
    robot = SimulatedRobot(hyq, World(), seed=0, time_step=1.0 / hyq.description.control.rate)
    robot.reset(hyq.stand_joint_position, HIGH)
    robot.data.qvel[6:] = np.linspace(-0.5, 0.5, 12)
    before = robot.truth()
    robot.step(command(hyq, **changes))
    wanted = np.broadcast_to(law(before.joint_position, before.joint_velocity), 12)
    assert robot.truth().joint_effort == pytest.approx(np.clip(wanted, -hyq.effort_limit, hyq.effort_limit), rel=1e-9)


@pytest.mark.parametrize(("delay", "steps"), [(0.0, 4), (0.001, 3), (0.002, 2), (0.004, 0), (0.1, 0)])
def test_a_command_takes_effect_after_its_delay(hyq: RobotModel, delay: float, steps: int) -> None:
    control = hyq.description.control.model_copy(update={"command_delay": delay})
    model = RobotModel(hyq.description.model_copy(update={"control": control}), hyq.urdf)
    robot = SimulatedRobot(model, World(), seed=0)
    robot.reset(hyq.stand_joint_position, HIGH)
    impulse = command(hyq, effort=np.eye(12)[2] * 10.0)
    robot.step(impulse)
    moved = robot.truth().joint_velocity[2]
    direct = SimulatedRobot(hyq, World(), seed=0)
    direct.reset(hyq.stand_joint_position, HIGH)
    direct.data.ctrl[2] = 10.0
    mujoco.mj_step(direct.mujoco_model, direct.data, nstep=steps)
    assert moved == pytest.approx(direct.truth().joint_velocity[2], rel=1e-9, abs=1e-9)
    # The command before holds on until then.
    robot.step(None)
    assert (robot.truth().joint_velocity[2] > moved) == (steps < 4)


def test_one_seed_is_one_run(hyq: RobotModel) -> None:
    def run(seed: int) -> list[bytes]:
        robot = SimulatedRobot(hyq, World(), seed)
        robot.reset(hyq.stand_joint_position)
        record = []
        for _ in range(50):
            sample, _ = robot.sense()
            record += [value.tobytes() for value in vars(sample).values() if isinstance(value, np.ndarray)]
            robot.step(replace(holding(hyq), effort=0.1 * sample.joint_velocity))
        return record

    first, second, other = run(3), run(3), run(4)
    assert first == second
    assert first != other


def test_samples_are_as_old_as_the_sensors_say(hyq: RobotModel) -> None:
    robot = SimulatedRobot(hyq, World(), seed=0)
    robot.reset(hyq.stand_joint_position)
    for _ in range(5):
        robot.step(holding(hyq))
    sensors, now = hyq.description.sensors, robot.truth().time
    sample, stamps = robot.sense()
    assert now - sample.time == pytest.approx(sensors.joint_position.delay, abs=1e-9)
    assert now - stamps.imu == pytest.approx(sensors.gyroscope.delay, abs=1e-9)
    assert sensors.foot_force is not None
    assert now - stamps.foot_forces == pytest.approx(sensors.foot_force.delay, abs=1e-9)


@pytest.mark.parametrize("name", ["hyq", "links"])
def test_once_every_sensor_has_spoken_no_stamp_comes_twice(name: str, request: pytest.FixtureRequest) -> None:
    # Those who work in lockstep tell ticks apart by them.
    robot = SimulatedRobot(request.getfixturevalue(name), World(), seed=0)
    assert not robot.senses
    while not robot.senses:
        robot.step(None)
    seen = [robot.sense()[1]]
    for _ in range(5):
        robot.step(None)
        seen.append(robot.sense()[1])
    assert (np.diff(seen, axis=0) > 0.0).all()


def test_perfect_sensors_read_the_truth(hyq: RobotModel, standing: SimulatedRobot) -> None:
    sample, stamps = standing.sense()
    truth = standing.truth()
    assert {sample.time, *stamps} == {truth.time}
    for name in ("joint_position", "joint_velocity", "joint_effort"):
        assert np.array_equal(getattr(sample, name), getattr(truth, name)), name


def test_a_time_step_that_does_not_divide_the_period_is_refused(hyq: RobotModel) -> None:
    with pytest.raises(ValueError, match=r"period 0.004 s is not a whole number of time steps of 0.003 s"):
        SimulatedRobot(hyq, World(), seed=0, time_step=0.003)


@pytest.mark.parametrize(
    ("wrong", "changes"),
    [
        ("", {}), ("", {"stiffness": 9e9, "position": 1.0, "damping": 9e9}),
        *((name, {name: value}) for name in ASKED for value in (np.nan, np.inf, -np.inf, 1e10)),
        ("torque", {"stiffness": 1e9, "position": 1e9}), ("torque", {"damping": 1e9, "velocity": -1e9}),
        ("stiffness", {"stiffness": -1e-9}), ("damping", {"damping": -1e6}),
    ],
)  # fmt: skip
def test_a_command_that_physics_make_nothing_of_is_named(hyq: RobotModel, wrong: str, changes: dict[str, float]) -> None:
    words = SimulatedRobot.problem(replace(holding(hyq), **{key: np.append(np.zeros(11), value) for key, value in changes.items()}))
    assert words.split(" ")[0] == wrong


def test_servos_with_the_largest_gains_leave_the_robot_a_robot(hyq: RobotModel) -> None:
    robot = SimulatedRobot(hyq, World(), seed=0)
    robot.reset(hyq.stand_joint_position)
    generator = np.random.default_rng(0)
    for tick in range(250):
        gains = {name: 10.0 ** generator.uniform(-320.0, 9.9, 12) for name in GAINS}
        with np.errstate(over="ignore"):
            wanted = {"position": generator.normal(size=12) / gains["stiffness"], "velocity": generator.normal(size=12) / gains["damping"]}
        asked = command(hyq, **gains, **{name: np.clip(value, -1e4, 1e4) for name, value in wanted.items()})
        assert not robot.problem(asked)
        robot.step(asked)
        truth = robot.truth()
        assert np.isfinite(truth.joint_velocity).all()
        assert truth.time == pytest.approx((tick + 1) * robot.period), "physics did not have to begin anew"
