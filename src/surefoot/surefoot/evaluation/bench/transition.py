# SPDX-License-Identifier: Apache-2.0
"""One gait change of a walking robot, rehearsed first or taken at once: the graph in lockstep without its transport."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from surefoot.evaluation.closed_loop import ClosedLoop, planner_settings
from surefoot.gait.library import STAND
from surefoot.locomotion.policy import ScheduledChange
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.settings import read_settings
from surefoot.terrain.belief import read_grounds
from surefoot.traces.cloud.uncertainty import read_uncertainty
from surefoot.traces.coordinator import GaitCoordinator
from surefoot.traces.decision.decision import decide
from surefoot.traces.decision.race import JOB
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import LocalExecutor
from surefoot.traces.request import Answer, Enquiry, RequestState, Wish
from surefoot.traces.tracer import Rehearsal, Tracer

Array = NDArray[np.float64]

STANDING, WALKING = 1.0, 2.0
"""s before the first gait is taken, while the filter starts, and in it, before the request comes."""
AFTERWARDS = 3.0
"""s that the robot has to stay up after the change or the veto."""
PATIENCE = 10.0
"""s after which a request without an answer is one that was vetoed."""


@dataclass(frozen=True)
class Transition:
    """What became of one request.

    Attributes:
        gait_from, gait_to: names.
        traces: whether it was rehearsed.
        fell: whether the base came down to half of its height, ever.
        vetoed: whether the robot kept its gait.
        commit_s: from the request to the change, s; NaN if there was none.
        reason: of the verdict.
    """

    gait_from: str
    gait_to: str
    seed: int
    traces: bool
    fell: bool
    vetoed: bool
    commit_s: float
    reason: str = ""


class Rehearsing:
    """A coordinator in the place of the planner of a closed loop; what it asks is answered in this process when the answer is due.

    Args:
        coordinator: takes the requests.
        tracer: of the same robot.
        decision: how to decide.
        seed: of the clouds.
    """

    def __init__(self, coordinator: GaitCoordinator, tracer: Tracer, decision: DecisionSettings, seed: int) -> None:
        self.coordinator = coordinator
        self.plan_record = coordinator.planning.plan_record
        self.request_id, self.gait, self.walking = 0, STAND, False
        self._executor, self._decision, self._seed = LocalExecutor(tracer), decision, seed
        self._uncertainty = read_uncertainty(shared_directory() / "config" / "uncertainty" / "default.yaml")
        self._answer: Answer | None = None

    def start(self, state: RobotState) -> None:
        """The coordinator begins by itself."""

    def request(self, gait: str) -> None:
        """Ask for a gait from the next tick on."""
        self.request_id, self.gait, self.walking = self.request_id + 1, gait, True

    def tick(self, state: RobotState, command: Array, friction: float) -> None:
        """One tick, as in the planner node; the friction is that of the believed ground."""
        if self.coordinator.must_wait(state.time) and self._answer is not None:
            self.coordinator.answer(state, self._answer)
        enquiry = self.coordinator.tick(state, Wish(command, self.request_id, self.gait, ""), self.walking)
        if enquiry is not None:
            self._answer = self._rehearse(enquiry)

    def _rehearse(self, enquiry: Enquiry) -> Answer:
        rehearsal = Rehearsal(enquiry.snapshot, self._decision.horizon, self._seed, self._uncertainty)
        decision = decide(self._executor, rehearsal, enquiry.candidates, self._decision)
        position, deviation = decision.base_after(self._decision.latency)
        chosen = None if decision.chosen is None else enquiry.candidates[decision.chosen]
        return Answer(decision.accepted, chosen, decision.reason, position, deviation, decision.offer)


def run_transition(
    robot: str, gait_from: str, gait_to: str, speed: float, seed: int, traces: bool, particles: int | None = None
) -> Transition:
    """Walk on flat ground with noise, delay and the estimator, ask for another gait at a moment that the seed chooses, and see.

    Without traces the change is made at the tick of the request, and the phase of the cycle goes on. Who asks to stand lets go of the
    stick.

    Args:
        robot: name or path.
        gait_from: taken unasked from a stand.
        gait_to: asked for.
        speed: commanded forward, m/s.
        seed: of the sensors, the moment and the cloud.
        traces: whether the change is rehearsed.
        particles: of each candidate at the first look; as config/decision.yaml says if None.
    """
    model = load_robot(robot)
    loop = ClosedLoop(model, seed)
    period = loop.gaits[gait_from].period if loop.gaits[gait_from].moves else 1.0
    asked_after = WALKING + period * float(np.random.default_rng(seed).random())
    command = (speed, 0.0, 0.0)
    rehearsing = _rehearsing(model, robot, loop, seed, particles) if traces else None
    planning = loop.planning if rehearsing is None else rehearsing.coordinator.planning
    if rehearsing is not None:
        loop.planning = rehearsing  # type: ignore[assignment]  # a closed loop asks no more of its planner than this
    loop.run(STANDING)
    planning.schedule(ScheduledChange(loop.gaits[gait_from], loop.robot.truth().time, 0.0))
    loop.run(asked_after, command)
    if loop.fallen:
        return Transition(gait_from, gait_to, seed, traces, True, False, float("nan"), f"fell in {gait_from}, before the request")
    command = (0.0, 0.0, 0.0) if gait_to == STAND else command
    if rehearsing is None:
        now = loop.robot.truth().time
        planning.schedule(ScheduledChange(loop.gaits[gait_to], now, planning.phase if planning.gait.moves else 0.0))
        loop.run(AFTERWARDS, command)
        return Transition(gait_from, gait_to, seed, traces, loop.fallen, False, 0.0)
    rehearsing.request(gait_to)
    waited = 0.0
    while not loop.fallen and waited < PATIENCE and (waited == 0.0 or _open(rehearsing.coordinator)):
        loop.run(loop.robot.period, command)
        waited += loop.robot.period
    status = rehearsing.coordinator.status
    if not loop.fallen:
        loop.run(AFTERWARDS, command)
    committed = status.state == RequestState.COMMITTED
    # The tick of the change was the last of the wait.
    commit_s = waited - loop.robot.period if committed else float("nan")
    return Transition(gait_from, gait_to, seed, traces, loop.fallen, not committed, commit_s, status.reason)


def _open(coordinator: GaitCoordinator) -> bool:
    return coordinator.status.state in (RequestState.REHEARSING, RequestState.SCHEDULED)


def _rehearsing(model: RobotModel, robot: str, loop: ClosedLoop, seed: int, particles: int | None) -> Rehearsing:
    config = shared_directory() / "config"
    decision = read_settings(DecisionSettings, config / "decision.yaml")
    if particles is not None:
        decision = decision.model_copy(update={"particles": particles})
    coordinator = GaitCoordinator(model, loop.gaits, read_grounds(config / "terrain" / "grounds.yaml"), planner_settings(), decision)
    return Rehearsing(coordinator, _tracer(robot, JOB), decision, seed)


@cache
def _tracer(robot: str, size: int) -> Tracer:
    """One for all trials of a process."""
    return Tracer(load_robot(robot), planner_settings(), size)
