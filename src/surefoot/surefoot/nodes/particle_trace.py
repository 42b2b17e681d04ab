# SPDX-License-Identifier: Apache-2.0
"""Node: rehearses gait changes in worker processes and answers with a verdict."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from pydantic import ValidationError
from rclpy.action import ActionServer
from rclpy.action.server import ServerGoalHandle
from surefoot_msgs.action import ScoreTransitions
from surefoot_msgs.msg import Traces, Verdict

from surefoot.errors import SurefootError, UnknownNameError
from surefoot.gait.parameters import Gait
from surefoot.gait.settings import PlannerSettings
from surefoot.gait.validator import check_gait
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.common import point_of, vector_of
from surefoot.nodes.conversions.rehearsal import candidate_of, message_of_decision, message_of_score, refusal, snapshot_of
from surefoot.nodes.conversions.state import StateReader
from surefoot.nodes.conversions.traces import message_of_traces
from surefoot.nodes.deadline import verdict_deadline
from surefoot.nodes.overheard import Overheard
from surefoot.nodes.parameters import ParticleTraceParameters
from surefoot.robot.locate import find_configuration, shared_directory
from surefoot.servos.motors.settings import MotorSettings
from surefoot.settings import read_settings
from surefoot.traces.cloud.uncertainty import read_uncertainty
from surefoot.traces.decision.decision import Decision, decide
from surefoot.traces.decision.offer import is_of_offer
from surefoot.traces.decision.pace import Hurried, Pace, Unhurried
from surefoot.traces.decision.race import JOB
from surefoot.traces.decision.record import write_record
from surefoot.traces.decision.scoring import Score
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.decision.soundness import require_sound
from surefoot.traces.jobs import Job
from surefoot.traces.outcome import Outcomes
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import Rehearsal
from surefoot.traces.workers import NICENESS, WorkerPool

HAND_OVER = 0.2
"""s of the time until a verdict is due that its transport, its record and a round in flight may take."""

STILL_STARTING = "the processes that rehearse are still starting, ask again when they are there"
"""How the reason of a veto begins that came before any of them was ready."""

BROKE_DOWN = "the rehearsal broke down"
"""How the reason of a veto begins after an exception that nobody expected."""


class ParticleTraceNode(SurefootNode):
    """Action /score_transitions. Topic /traces out: what comes out of a rehearsal while it goes on, if anybody listens."""

    def __init__(self) -> None:
        super().__init__("particle_trace")
        config = shared_directory() / "config"
        self._decision = read_settings(DecisionSettings, config / "decision.yaml")
        given = self.declared(ParticleTraceParameters)
        self._record_directory, name = given.record_directory, given.uncertainty
        known = {path.stem: path for path in (config / "uncertainty").glob("*.yaml")}
        if name not in known:
            raise UnknownNameError("uncertainty", name, known)
        self._uncertainty = read_uncertainty(known[name])
        if given.motors:
            believed = read_settings(MotorSettings, find_configuration("motors", "motors", given.motors))
            self._uncertainty = self._uncertainty.model_copy(update={"motors": believed})
        self._reader = StateReader(self.model.description)
        self._robot = given.robot
        self._planner_settings = settings = read_settings(PlannerSettings, config / "gait_planner.yaml")
        deadline = verdict_deadline(self._decision, self.lockstep)
        # In lockstep the robot waits for a verdict that is due: beside busy programs, workers that step back would keep it for minutes.
        niceness = 0 if self.lockstep else NICENESS
        self._pool = WorkerPool(self._robot, settings, given.workers, JOB, deadline, niceness)
        # One rehearsal after the other, all in the same thread, so that the node goes on reporting.
        self._newest = 0
        self._rehearsals = ThreadPoolExecutor(max_workers=1)
        self._answers: SimpleQueue[tuple[ServerGoalHandle, Verdict]] = SimpleQueue()
        # A coroutine that waits for another thread is not woken by the executor of the wheels; a timer is.
        self.create_timer(0.01, self._hand_over)
        self._traces = self.create_publisher(Traces, "/traces", quality.EVENT)
        self._server = ActionServer(
            self, ScoreTransitions, "/score_transitions", lambda _: ScoreTransitions.Result(), handle_accepted_callback=self._accept
        )

    def at_end(self) -> None:
        """Take the workers along."""
        self._pool.close()

    def _accept(self, handle: ServerGoalHandle) -> None:
        self._newest += 1
        self._rehearsals.submit(self._rehearse, handle, self._newest, time.monotonic())

    def _rehearse(self, handle: ServerGoalHandle, number: int, asked: float) -> None:
        try:
            verdict = self._verdict(handle, number, asked)
        except (SurefootError, ValidationError) as error:
            verdict = refusal(handle.request, f"the enquiry cannot be rehearsed: {error}")
        except Exception as error:
            self.counters["broken_rehearsals"] += 1
            verdict = refusal(handle.request, f"{BROKE_DOWN}: {type(error).__name__}: {error}")
        self._answers.put((handle, verdict))

    def _hand_over(self) -> None:
        """Answer the goals whose rehearsal is over."""
        while not self._answers.empty():
            handle, verdict = self._answers.get()
            if not verdict.accepted and not verdict.scores:
                self.fault("refused_goal", verdict.reason)
            handle.execute(lambda goal, verdict=verdict: self._result(goal, verdict))

    @staticmethod
    def _result(handle: ServerGoalHandle, verdict: Verdict) -> ScoreTransitions.Result:
        handle.succeed()
        return ScoreTransitions.Result(verdict=verdict)

    def _verdict(self, handle: ServerGoalHandle, number: int, asked: float) -> Verdict:
        """Rehearse a goal.

        Args:
            handle: of the goal.
            number: of it, 1, 2, …
            asked: when it came, s, monotonic clock.
        """
        goal = handle.request
        description = self.model.description
        snapshot = snapshot_of(goal, self._reader.read(goal.robot_state), description)
        settings = DecisionSettings.model_validate(
            self._decision.model_dump()
            | {
                "particles": goal.particles,
                "most_particles": goal.most_particles or self._decision.most_particles,
                "horizon": goal.horizon,
                "shortest_horizon": min(goal.horizon, self._decision.shortest_horizon),
                "accept_at": goal.accept_at,
                "confidence": goal.confidence,
                "latency": goal.latency,
            }
        )
        # Here, where nobody waits for the next tick: whether a leg reaches is asked of its inverse kinematics.
        candidates = tuple(candidate_of(candidate) for candidate in goal.candidates)
        on_the_way = {candidate.intermediate for candidate in candidates}
        for gait in (snapshot.gait_to, *(gait for gait in snapshot.intermediates if gait.name in on_the_way)):
            check_gait(gait, self.model, planner=self._planner_settings)
        possible = tuple(gait for gait in snapshot.intermediates if gait.name in on_the_way or self._can_walk(gait))
        snapshot = replace(snapshot, intermediates=possible)
        rehearsal = Rehearsal(snapshot, settings.horizon, int(goal.seed), self._uncertainty)
        require_sound(snapshot, candidates, settings)

        def progress(score: Score) -> None:
            handle.publish_feedback(ScoreTransitions.Feedback(score=message_of_score(score)))

        def overhear(rehearsal: Rehearsal, job: Job, outcomes: Outcomes) -> None:
            if self._traces.get_subscription_count() == 0:
                return
            try:
                self._traces.publish(message_of_traces(goal.request_id, rehearsal, job, outcomes, is_of_offer(job, settings)))
            except Exception as error:
                # Who looks has no say in what is decided.
                self.fault("traces_not_shown", f"{type(error).__name__}: {error}")

        begin = time.monotonic()
        decision = decide(Overheard(self._pool, overhear), rehearsal, candidates, settings, progress, self._pace(settings, number, asked))
        if decision.admission.refusal:
            self._pool.forget_rate()
        seconds = time.monotonic() - begin
        record = self._write(goal, rehearsal, candidates, settings, decision)
        verdict = message_of_decision(decision, goal, settings, seconds, record)
        if decision.chosen is None and not self._pool.any_ready:
            verdict.reason = f"{STILL_STARTING}; {verdict.reason}"
        position, deviation = decision.base_after(settings.latency)
        verdict.predicted_base_position, verdict.predicted_base_deviation = point_of(position), vector_of(deviation)
        self.counters["verdicts"] += 1
        return verdict

    def _can_walk(self, gait: Gait) -> bool:
        """Whether a gait may be offered to this robot."""
        try:
            check_gait(gait, self.model, planner=self._planner_settings)
        except SurefootError:
            return False
        return True

    def _pace(self, settings: DecisionSettings, number: int, asked: float) -> Pace:
        """In lockstep the robot waits; else what is not there when the verdict is due comes too late, and a newer goal makes it void."""
        if self.lockstep:
            return Unhurried()
        seconds = self.slow_motion * settings.latency - HAND_OVER - (time.monotonic() - asked)
        return Hurried(seconds, self._pool.rate or settings.expected_rate, lambda: number == self._newest)

    def _write(
        self, goal: Any, rehearsal: Rehearsal, candidates: tuple[Candidate, ...], settings: DecisionSettings, decision: Decision
    ) -> str:
        """Write the decision record; without a place for it, or on a full disk, the verdict stands all the same."""
        if not self._record_directory:
            return ""
        stamp = rehearsal.snapshot.state.time
        # People name gaits as they like.
        name = re.sub(r"[^\w-]", "_", goal.gait_to.name)
        path = Path(self._record_directory) / f"decision_{stamp:09.3f}_{name}.json"
        try:
            write_record(path, self._robot, rehearsal, candidates, settings, decision)
        except OSError as error:
            self.fault("record_not_written", f"{path}: {error}")
            return ""
        return str(path)


def main() -> None:
    """Entry point."""
    run(ParticleTraceNode, watches=True)


if __name__ == "__main__":
    main()
