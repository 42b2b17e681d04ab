# SPDX-License-Identifier: Apache-2.0
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from surefoot.nodes.bridge_source import ENDED, mode_of, source_in
from surefoot.nodes.servo_bridge import ServoBridgeNode
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.modes import Mode


@pytest.mark.parametrize("mode", list(Mode))
def test_what_the_bridge_writes_can_be_read(mode: Mode, hyq: RobotModel) -> None:
    said: list[Any] = []
    node = MagicMock(lockstep=False, model=hyq, _servo=SimpleNamespace(publish=said.append))
    command = JointCommand.damped(1.0, np.zeros(12), 1.0)
    ServoBridgeNode._publish(node, MagicMock(command=command, mode=mode, reason="", since=0.0, refused="", counters={}))
    assert said[0].source == source_in(mode)
    assert mode_of(said[0].source) == mode


@pytest.mark.parametrize("source", ["", "READY", "inverse_dynamics", "servo_bridge: ready", "servo_bridge: READY ", "servo_bridge: 3"])
def test_other_words_are_no_mode(source: str) -> None:
    assert mode_of(source) is None


def test_the_last_word_is_damped() -> None:
    assert mode_of(ENDED) == Mode.STOPPED
