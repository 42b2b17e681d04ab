# SPDX-License-Identifier: Apache-2.0
"""Makes a story of what a graph says, while it runs or out of a bag."""

import math
from collections.abc import Callable

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from surefoot_msgs.msg import CandidateScore, GaitStatus, RobotMode, Verdict

from surefoot.errors import SensorError
from surefoot.evaluation.story import (
    CandidateResult,
    CommandChanged,
    DiagnosticsReported,
    Event,
    GaitRequested,
    GaitStatusChanged,
    ModeChanged,
    Said,
    VerdictGiven,
)
from surefoot.limited_names import LimitedNames
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.conversions.story import story_time
from surefoot.servos.modes import mode_name
from surefoot.teleop.script import Story
from surefoot.teleop.story_clock import StoryClock
from surefoot.traces.request import RequestState
from surefoot.viewer.page.state import MOST_NODES

COMMAND_STEADY = 0.2
"""Time for which the velocity in force has to stay the same to be worth a word, s."""


class Teller:
    """Hears messages in the order in which they are said. Of one that nothing can be told of, nothing is kept.

    Args:
        story: of the scripted gamepad, whose words are told as well; None: there is none.
        keep: called with each event of the story.
        say: called with each line for a person.

    Attributes:
        health: the last report of each node, by its name.
    """

    def __init__(self, story: Story | None, keep: Callable[[Event], None], say: Callable[[str], None]) -> None:
        self._script = story.steps if story else ()
        self._clock = StoryClock(story) if story else None
        self._keep, self._say = keep, say
        self._said = 0
        self._time = 0.0
        self._mode: tuple[int, str] | None = None
        self._refused = ""
        self._status: tuple[object, ...] = ()
        self._command = self._told_command = (0.0, 0.0, 0.0)
        self._command_since = 0.0
        self.health: LimitedNames[DiagnosticsReported] = LimitedNames("node", MOST_NODES)

    def _tell(self, event: Event, words: str) -> None:
        self._keep(event)
        if words:
            self._say(f"{event.time:7.2f} s  {words}")

    def _tick(self, mode: RobotMode) -> None:
        self._time = seconds_of(mode.header.stamp)
        now = story_time(self._clock, mode) if self._clock else self._time
        while self._said < len(self._script) and self._script[self._said].at <= now:
            step = self._script[self._said]
            self._said += 1
            if step.says:
                self._tell(Said(time=self._time, text=step.says), f"the operator {step.says}")
        if self._command != self._told_command and self._time - self._command_since >= COMMAND_STEADY:
            self._told_command = self._command
            forward, left, turn = self._command
            self._tell(
                CommandChanged(time=self._command_since, forward=forward, left=left, turn=turn),
                f"velocity in force: forward {forward:+.2f} m/s, left {left:+.2f} m/s, turn {turn:+.2f} rad/s",
            )

    def hear_mode(self, mode: RobotMode) -> None:
        """A mode; one comes at each tick, so it is the clock as well."""
        self._tick(mode)
        if (mode.mode, mode.reason) != self._mode:
            self._mode = (mode.mode, mode.reason)
            name = mode_name(mode.mode)
            self._tell(ModeChanged(time=seconds_of(mode.header.stamp), mode=name, reason=mode.reason), f"mode {name}: {mode.reason}")
        if mode.refused and mode.refused != self._refused:
            self._say(f"{self._time:7.2f} s  refused: {mode.refused}")
        self._refused = mode.refused

    def hear_status(self, status: GaitStatus) -> None:
        """What became of the last request, and the velocity in force. Raises SensorError: there is no such state, or no such velocity."""
        time = seconds_of(status.header.stamp)
        command = (status.command.linear.x, status.command.linear.y, status.command.angular.z)
        if not np.isfinite(command).all():
            raise SensorError(f"the velocity in force is {command}")
        if status.request_state not in set(RequestState):
            raise SensorError(f"state {status.request_state} of a request is none")
        if command != self._command:
            self._command, self._command_since = command, time
        news = (status.gait, status.request_state, status.request_id, status.requested_gait, status.reason)
        if news == self._status:
            return
        self._status = news
        state = RequestState(status.request_state).name
        if status.request_state == GaitStatus.REHEARSING:
            self._tell(
                GaitRequested.model_validate(
                    {
                        "time": time,
                        "request_id": status.request_id,
                        "gait": status.requested_gait,
                        "from": status.gait,
                        "ground": status.ground,
                    }
                ),
                f"asked for {status.requested_gait} while in {status.gait}",
            )
        self._tell(
            GaitStatusChanged.model_validate(
                {
                    "time": time,
                    "gait": status.gait,
                    "state": state,
                    "request_id": status.request_id,
                    "reason": status.reason,
                    "switch_time": status.switch_time,
                }
            ),
            f"{status.gait}, request {state.lower()}" + (f": {status.reason}" if status.reason else ""),
        )

    def hear_verdict(self, verdict: Verdict) -> None:
        """An answer, with what each candidate showed. Raises SensorError: a number of it is not finite."""
        results = tuple(_result(score, verdict.request_id) for score in verdict.scores)
        if not math.isfinite(verdict.particle_seconds):
            raise SensorError(f"the verdict on request {verdict.request_id} took {verdict.particle_seconds} particle-seconds")
        for result in results:
            ends = ", ".join(f"{name} {count}x" for name, count in result.violated.items())
            self._say(
                f"{self._time:7.2f} s      at {result.transition_point:4.0%}{result.manner}: "
                f"{result.survived:3d} of {result.particles} traces survive (at least {result.lower_bound:.2f})"
                + (f"; others end by {ends}" if ends else "")
            )
        for sentence in verdict.explanation:
            self._say(f"{self._time:7.2f} s      {sentence}")
        word = "ACCEPTED" if verdict.accepted else "VETOED"
        self._tell(
            VerdictGiven(
                time=self._time,
                request_id=verdict.request_id,
                gait_from=verdict.gait_from,
                gait_to=verdict.gait_to,
                accepted=verdict.accepted,
                chosen=verdict.chosen,
                reason=verdict.reason,
                scores=results,
                particles_used=verdict.particles_used,
                particle_seconds=verdict.particle_seconds,
                wall_seconds=verdict.wall_seconds,
                record=verdict.record,
            ),
            f"{word}: {verdict.reason}"
            + (f"; offered instead: {verdict.offer}" if verdict.offer else "")
            + f" [{verdict.particles_used} particles, {verdict.particle_seconds:.0f} particle-seconds in {verdict.wall_seconds:.1f} s]",
        )

    def hear_diagnostics(self, message: DiagnosticArray) -> None:
        """What nodes say of themselves; the last word of each is kept. Raises SensorError: they are too many."""
        for status in message.status:
            values = {pair.key: pair.value for pair in status.values}
            self.health[status.name] = DiagnosticsReported(time=self._time, node=status.name, values=values)


def _result(score: CandidateScore, request_id: int) -> CandidateResult:
    numbers = (score.candidate.transition_point, score.candidate.blend_time, score.candidate.intermediate_time)
    if not np.isfinite((*numbers, score.score, score.lower_bound)).all():
        raise SensorError(f"a number of a candidate in the verdict on request {request_id} is not finite")
    return CandidateResult(
        request_id=request_id,
        transition_point=score.candidate.transition_point,
        blend_time=score.candidate.blend_time,
        intermediate=score.candidate.intermediate,
        intermediate_time=score.candidate.intermediate_time,
        particles=score.particles,
        survived=score.survived,
        failed=score.failed,
        unfinished=score.unfinished,
        inconsistent=score.inconsistent,
        tried=score.tried,
        tried_survived=score.tried_survived,
        score=score.score,
        lower_bound=score.lower_bound,
        switch_time=score.candidate.switch_time,
        violated=dict(zip(score.violated, score.violated_count, strict=False)),
    )
