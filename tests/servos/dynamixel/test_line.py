# SPDX-License-Identifier: Apache-2.0
"""A line on which packets are lost and spoilt."""

from typing import Any

import numpy as np
import pytest

from surefoot.robot.model import RobotModel
from surefoot.servos.buses.dynamixel import DynamixelBus
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.emulation.line import EmulatedLine


@pytest.mark.parametrize("kind", ["lost", "corrupted", "halved", "deaf"])
def test_mischief_on_the_line_is_counted_and_never_believed(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine, kind: str
) -> None:
    bus = hand.opened(links, links_settings, emulated)
    bus._line._port._reply_time = 0.005
    setattr(emulated.mischief, kind, 0.03)
    for _ in range(30):
        sample = bus.read()
        bus.write(hand.command(np.zeros(12)))
        if sample is not None:
            # A step of the encoder; anything else would be a packet that only looked sound.
            assert np.abs(sample.joint_position).max() < 0.01
            assert np.abs(sample.joint_velocity).max() < 1.0
    counters = bus.health().counters
    assert sum(counters[name] for name in counters if name.startswith("replies")) > 0
    assert counters.get("line_exceptions", 0) <= 2
    setattr(emulated.mischief, kind, 0.0)
    bus._line._port._reply_time = 3.0
    hand.read(bus)
    bus.close()


def test_garbage_between_replies_costs_nothing(bus: DynamixelBus, emulated: EmulatedLine) -> None:
    emulated.mischief.noise = 1.0
    emulated.servo(9)._follower.position[:] = 0.4
    sample = bus.read()
    assert sample is not None
    assert sample.joint_position[8] == pytest.approx(0.4, abs=0.003)
    assert np.abs(np.delete(sample.joint_position, 8)).max() == 0.0
