# SPDX-License-Identifier: Apache-2.0
"""The bridge alone gets a simulated robot up and down again."""

import numpy as np
import pytest

from surefoot.robot.load import load_robot
from surefoot.servos.attitude import attitude_of
from surefoot.servos.bridge import ServoBridge
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import Mode, Request
from surefoot.servos.settings import BridgeSettings
from surefoot.simulation.robot import SimulatedRobot
from surefoot.terrain.world import World


@pytest.mark.parametrize("name", ["hyq", "links"])
def test_up_and_down(name: str) -> None:
    model = load_robot(name)
    limits = JointLimits.of(model)
    bridge, robot = ServoBridge(model.description, limits, BridgeSettings()), SimulatedRobot(model, World(), seed=1)
    requests, modes, heights = {5: Request.ARM, 100: Request.STAND}, [Mode.OFF], {}
    for tick in range(round(8.0 / robot.period)):
        sample, truth = robot.sense()[0], robot.truth()
        request = requests.get(tick, Request.NONE)
        output = bridge.tick(tick * robot.period, sample=sample, request=request, attitude=attitude_of(truth.base_quaternion))
        command = output.command
        if command.stiffness.any():
            torque = command.stiffness * (command.position - sample.joint_position) + command.damping * (
                command.velocity - sample.joint_velocity
            )
            assert (np.abs(torque) <= limits.effort * (1.0 + 1e-9)).all()
        if output.mode != modes[-1]:
            modes.append(output.mode)
            heights[output.mode] = truth.base_position[2]
            if output.mode == Mode.READY:
                requests[tick + 50] = Request.SIT
        if output.mode in (Mode.SITTING, Mode.FAULT):
            break
        robot.step(command)
    assert modes == [Mode.OFF, Mode.DAMPING, Mode.STANDING_UP, Mode.READY, Mode.SITTING_DOWN, Mode.SITTING], output.reason
    assert heights[Mode.READY] == pytest.approx(model.description.stand_height, rel=0.15)
    assert heights[Mode.SITTING] < 0.5 * heights[Mode.READY]
