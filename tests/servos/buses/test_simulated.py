# SPDX-License-Identifier: Apache-2.0
"""A whole day on the stand, through the bridge, and what the motor models do to it."""

import numpy as np
import pytest

from surefoot.robot.model import RobotModel
from surefoot.servos.attitude import Attitude
from surefoot.servos.bridge import ServoBridge
from surefoot.servos.buses.simulated import SimulatedBus, SimulatedSettings
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import Mode, Request
from surefoot.servos.output import BridgeOutput
from surefoot.servos.settings import BridgeSettings


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def stand(model: RobotModel, settings: SimulatedSettings, seconds: float) -> tuple[SimulatedBus, list[BridgeOutput]]:
    """Arm and stand up."""
    clock = Clock()
    bus, bridge = SimulatedBus(model, settings, clock), ServoBridge(model.description, JointLimits.of(model), BridgeSettings())
    requests, outputs = {5: Request.ARM, 10: Request.STAND}, []
    for tick in range(round(seconds * 250)):
        clock.now = (tick + 1) * 0.004
        request = requests.get(tick, Request.NONE)
        output = bridge.tick(clock.now, sample=bus.read(), answered=clock.now, request=request, attitude=Attitude(0.0, 0.0))
        bus.write(output.command)
        outputs.append(output)
    return bus, outputs


def test_the_bridge_stands_the_robot_up_on_its_stand(hyq: RobotModel) -> None:
    bus, outputs = stand(hyq, SimulatedSettings(), 4.0)
    assert outputs[-1].mode == Mode.READY, outputs[-1].reason
    sample = bus.read()
    assert sample is None, "no time has passed"
    np.testing.assert_allclose(bus._position, hyq.stand_joint_position, atol=0.02)
    assert (bus.health().temperature >= 25.0).all()
    bus.close()
    assert bus.read() is None


def test_motors_that_are_too_weak_are_named(hyq: RobotModel) -> None:
    _, outputs = stand(hyq, SimulatedSettings(current_limit=0.01, friction=5.0), 8.0)
    assert outputs[-1].mode == Mode.FAULT
    assert outputs[-1].reason.startswith("posture: ")


def test_play_shows_in_what_is_measured(hyq: RobotModel) -> None:
    bus, outputs = stand(hyq, SimulatedSettings(backlash=0.02), 4.0)
    assert outputs[-1].mode == Mode.READY
    assert np.abs(bus._behind_play - bus._position).max() == pytest.approx(0.01, abs=1e-3)


def test_the_base_is_level_in_the_axes_of_its_sensor(hyq: RobotModel) -> None:
    clock = Clock()
    bus = SimulatedBus(hyq, SimulatedSettings(), clock)
    clock.now = 0.01
    sample = bus.read()
    assert sample is not None
    rotation = np.asarray(hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation)
    np.testing.assert_allclose(rotation @ sample.specific_force_imu, (0.0, 0.0, 9.81), atol=1e-12)
