# SPDX-License-Identifier: Apache-2.0
"""A robot that floats along, its operator, and whoever rehearses for it."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.gait.of_robot import gaits_of
from surefoot.gait.parameters import Gait
from surefoot.gait.settings import PlannerSettings
from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import Grounds
from surefoot.traces.coordinator import GaitCoordinator
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.request import Answer, Enquiry, RequestState, Wish

SETTINGS = DecisionSettings(latency=0.1, blend_cycles=(0.0,))


class Rig:
    """A robot that floats along with its command, its operator, and whoever rehearses for it."""

    def __init__(self, model: RobotModel, grounds: Grounds, settings: DecisionSettings = SETTINGS) -> None:
        self.model = model
        self.coordinator = GaitCoordinator(model, gaits_of(model), grounds, PlannerSettings(), settings)
        self.latency = SETTINGS.latency
        self.period = 1.0 / model.description.control.rate
        self.state = model.neutral()
        self.wish = Wish(np.zeros(3), 0, "", "")
        self.walking = False
        self.enquiries: list[Enquiry] = []

    @property
    def status(self) -> tuple[RequestState, int, str]:
        status = self.coordinator.status
        return status.state, status.request_id, status.gait

    @property
    def reason(self) -> str:
        return self.coordinator.status.reason

    @property
    def gait(self) -> str:
        return self.coordinator.planning.gait.name

    def ask(self, gait: str, own_gait: Gait | None = None) -> None:
        self.wish = replace(self.wish, request_id=self.wish.request_id + 1, gait=gait, own_gait=own_gait)

    def command(self, *command: float) -> None:
        self.wish = replace(self.wish, command=np.array(command))

    def carry(self, *posture: float) -> None:
        self.wish = replace(self.wish, posture=np.array(posture))

    def say(self, ground: str) -> None:
        self.wish = replace(self.wish, ground=ground)

    def tick(self, ticks: int = 1) -> None:
        for _ in range(ticks):
            enquiry = self.coordinator.tick(self.state, self.wish, self.walking)
            if enquiry is not None:
                self.enquiries.append(enquiry)
            self.state = replace(self.state, time=self.state.time + self.period)

    def wait_until_due(self) -> None:
        """Tick until the answer is due; the tick at which it is waits, as it does in lockstep."""
        while not self.coordinator.must_wait(self.state.time):
            self.tick()

    def answer(self, number: int | None = 0, off: tuple[float, float, float] = (0.0, 0.0, 0.0), deviation: float = 0.005) -> Answer:
        """Answer the newest enquiry: with a candidate, or with a veto."""
        answer = self.answer_of(number, off, deviation)
        self.coordinator.answer(self.state, answer)
        return answer

    def answer_of(self, number: int | None, off: tuple[float, float, float] = (0.0, 0.0, 0.0), deviation: float = 0.005) -> Answer:
        return Answer(
            accepted=number is not None,
            candidate=None if number is None else self.enquiries[-1].candidates[number],
            reason="16 of 16" if number is not None else "0 of 16",
            predicted_position=self.state.base_position + off,
            predicted_deviation=np.full(3, deviation),
        )

    def walk(self) -> None:
        """Start to walk, and have it allowed."""
        self.command(0.2, 0.0, 0.0)
        self.walking = True
        self.tick()
        self.wait_until_due()
        self.answer()
        self.tick(2)
        assert self.gait == "walk"


@pytest.fixture
def fresh(hyq: RobotModel, grounds: Grounds) -> Rig:
    """Before its first tick."""
    return Rig(hyq, grounds)


@pytest.fixture
def rig(fresh: Rig) -> Rig:
    """It stands."""
    fresh.tick(3)
    return fresh


@pytest.fixture
def walking(rig: Rig) -> Rig:
    """It walks."""
    rig.walk()
    return rig


@pytest.fixture
def blending(hyq: RobotModel, grounds: Grounds) -> Rig:
    """It walks, and each change may be made at once or over a cycle of the new gait."""
    rig = Rig(hyq, grounds, SETTINGS.model_copy(update={"blend_cycles": (0.0, 1.0)}))
    rig.tick(3)
    rig.walk()
    return rig
