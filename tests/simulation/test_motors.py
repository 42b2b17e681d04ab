# SPDX-License-Identifier: Apache-2.0
"""The simulated robot is driven by the motor models of the servos."""

import numpy as np
import pytest

from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.motors.settings import MotorSettings
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
