# SPDX-License-Identifier: Apache-2.0
"""Servos on a bus: read, never written to."""

import numpy as np
import pytest

from surefoot.evaluation.preflight.bus import bus
from surefoot.evaluation.preflight.checklist import Outcome
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.bus import BusHealth


class Servos:
    """A bus that says what it is told to."""

    def __init__(self, position: np.ndarray | None, health: BusHealth) -> None:
        self._position, self._health = position, health

    def read(self) -> SensorSample | None:
        nothing = np.full(3, np.nan)
        if self._position is None:
            return None
        return SensorSample(0.0, self._position, np.zeros(12), np.zeros(12), nothing, nothing, np.full((4, 3), np.nan))

    def write(self, command: JointCommand) -> None:
        pytest.fail("nothing may move")

    def health(self) -> BusHealth:
        return self._health

    def close(self) -> None:
        pass


class Clock:
    """Goes on by what is slept."""

    time = 0.0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds


def outcomes(servos: Servos, model: RobotModel) -> dict[str, Outcome]:
    clock = Clock()
    return {one.name: one.outcome for one in bus(servos, model, 1.0, clock.now, clock.sleep)}


def test_sound_servos(hyq: RobotModel) -> None:
    health = BusHealth(temperature=np.full(12, 30.0), voltage=np.full(12, 24.0))
    assert set(outcomes(Servos(hyq.lie_joint_position, health), hyq).values()) == {Outcome.GOOD}


def test_silence_a_fault_heat_and_a_joint_out_of_its_limits(hyq: RobotModel) -> None:
    assert outcomes(Servos(None, BusHealth(problem="lf_haa_joint does not answer")), hyq) == {"bus": Outcome.BAD}
    health = BusHealth(faults=("lf_haa_joint: overload",), temperature=np.full(12, 75.0))
    found = outcomes(Servos(np.full(12, 9.0), health), hyq)
    assert found["servo"] == found["limits"] == Outcome.BAD
    assert found["temperature"] == Outcome.WARNING
