# SPDX-License-Identifier: Apache-2.0
"""The simulated robot is driven by the motor models of the servos."""

import mujoco
import numpy as np
import pytest

from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.motors.settings import GearSettings, MotorSettings
from surefoot.simulation.robot import SimulatedRobot
from surefoot.terrain.world import World


def swung(model: RobotModel, motors: MotorSettings | None, stiffness: float = 800.0) -> tuple[SimulatedRobot, np.ndarray, np.ndarray]:
    """Speeds at the begin of each step of the physics and torques in it, (steps, 12), of legs that swing to standing in the air."""
    robot = SimulatedRobot(model, World(), 0, time_step=1.0 / model.description.control.rate, perfect_sensors=True, motors=motors)
    robot.reset(model.lie_joint_position, height=3.0)
    one, speeds, torques = np.ones(12), [], []
    command = JointCommand(0.0, model.stand_joint_position, 0.0 * one, 0.0 * one, stiffness * one, 5.0 * one)
    robot.step(command)
    for _ in range(100):
        speeds.append(robot.truth().joint_velocity)
        robot.step(command)
        torques.append(robot.truth().joint_effort)
    return robot, np.array(speeds), np.array(torques)


@pytest.mark.parametrize("loss", [1.0, 0.5])
def test_no_torque_beyond_what_is_left_at_the_speed(hyq: RobotModel, loss: float) -> None:
    robot, speeds, torques = swung(hyq, MotorSettings(torque_speed_loss=loss))
    left = hyq.effort_limit * np.maximum(0.0, 1.0 - loss * np.abs(speeds) / hyq.velocity_limit)
    assert (np.abs(torques) <= left + 1e-9).all()
    assert (np.abs(torques) > left - 1e-9).any(), "it was asked for more"
    _, speeds, torques = swung(hyq, None)
    assert (np.abs(torques) > hyq.effort_limit * np.maximum(0.0, 1.0 - loss * np.abs(speeds) / hyq.velocity_limit) + 1.0).any()
    assert robot.motors is not None
    assert robot.motors.temperature.max() > 25.0


def test_ideal_motors_change_nothing(hyq: RobotModel) -> None:
    _, speeds, torques = swung(hyq, MotorSettings())
    _, same_speeds, same_torques = swung(hyq, None)
    np.testing.assert_array_equal(speeds, same_speeds)
    np.testing.assert_array_equal(torques, same_torques)


def test_inside_of_the_play_nothing_arrives(hyq: RobotModel) -> None:
    wide = 2.0 * float(np.abs(hyq.stand_joint_position - hyq.lie_joint_position).max())
    _, _, torques = swung(hyq, MotorSettings(backlash=2.0 * wide), stiffness=40.0)
    assert np.abs(torques).max() < 20.0
    _, _, torques = swung(hyq, None, stiffness=40.0)
    assert np.abs(torques).max() > 30.0


def test_a_current_limit_is_one_of_torque(hyq: RobotModel) -> None:
    _, _, torques = swung(hyq, MotorSettings(torque_per_ampere=2.0, current_limit=10.0))
    assert np.abs(torques).max() == pytest.approx(20.0)


def test_a_gear_takes_its_share_of_the_torque_driving_and_gives_it_braking(hyq: RobotModel) -> None:
    gear = GearSettings(efficiency=0.8, efficiency_backward=0.6)
    robot = SimulatedRobot(hyq, World(), 0, perfect_sensors=True, motors=MotorSettings(gear=gear))
    robot.reset(hyq.stand_joint_position, height=3.0)
    one = np.ones(12)
    drives: list[float] = []
    brakes: list[float] = []
    for tick in range(150):
        target = hyq.stand_joint_position + 0.25 * np.sin(0.1 * tick)
        before = robot.truth().joint_velocity
        robot.step(JointCommand(0.0, target, 0.0 * one, 0.0 * one, 300.0 * one, 5.0 * one))
        speed, torque = robot.data.qvel[robot._velocities], robot.truth().joint_effort
        arrives = torque + robot.data.qfrc_constraint[robot._velocities]
        clear = (np.abs(speed) > 0.3) & (speed * before > 0.0) & (np.abs(torque) > 1.0)
        for kind, shares in ((torque * speed > 0.0, drives), (torque * speed < 0.0, brakes)):
            shares.extend(arrives[clear & kind] / torque[clear & kind])
    assert min(len(drives), len(brakes)) > 50
    np.testing.assert_allclose(drives, 0.8, atol=1e-6)
    np.testing.assert_allclose(brakes, 1.0 / 0.6, atol=1e-6)


def test_a_rotor_takes_the_place_of_what_the_robot_says_of_it(hyq: RobotModel) -> None:
    gear = GearSettings(ratio=80.0, rotor_inertia=1e-4)
    robot = SimulatedRobot(hyq, World(), 0, perfect_sensors=True, motors=MotorSettings(gear=gear, torque_per_ampere=0.1))
    ideal = SimulatedRobot(hyq, World(), 0, perfect_sensors=True)

    def inertia(one: SimulatedRobot) -> np.ndarray:
        full = np.zeros((18, 18))
        mujoco.mj_fullM(one.mujoco_model, one.data, full)
        return np.diag(full)[6:]

    np.testing.assert_allclose(inertia(robot) - inertia(ideal), 80.0**2 * 1e-4 - hyq.description.servos.armature)
