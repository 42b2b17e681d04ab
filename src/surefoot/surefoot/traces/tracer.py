# SPDX-License-Identifier: Apache-2.0
"""Traces of a gait change: many perturbed robots take it, and each is judged [Zapolsky 2017, Alg. 1].

The way to the change is common to all: the believed robot is projected along it once, on the ground under its feet, and the
cloud is spread a moment before the change, with the covariance of the estimate and on the ground ahead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.settings import PlannerSettings
from surefoot.locomotion.friction import friction_under_feet
from surefoot.locomotion.laws import LawState
from surefoot.locomotion.policy import state_record
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.servos.settings import bridge_settings
from surefoot.terrain.world import World
from surefoot.traces.cloud import TRANSIENT_CHANNELS, draw_particles, transient_noise
from surefoot.traces.cloud.uncertainty import NO_UNCERTAINTY, Uncertainty
from surefoot.traces.findings.events import find_events
from surefoot.traces.outcome import FAILED, IMPOSSIBLE_START, INCONSISTENT, SURVIVED, UNFINISHED, Outcomes, joined
from surefoot.traces.plant.disturbed import DisturbedPlant
from surefoot.traces.requirements.finished import FinishedTraces
from surefoot.traces.requirements.plugins import Condition, holds, spoken
from surefoot.traces.requirements.settings import GAIT_TRANSITION, RequirementSettings
from surefoot.traces.rollout import Course, Part, Rollout, Track
from surefoot.traces.snapshot import Candidate, Snapshot

Array = NDArray[np.float64]

LEAD = 0.2
"""How long before the change the cloud is spread, s: the particles are to be themselves when they take it."""


@dataclass(frozen=True)
class Rehearsal:
    """What is to be traced, beside the candidate.

    Attributes:
        snapshot: where every trace starts.
        horizon: s of the new gait.
        seed: of the cloud.
        uncertainty: of the cloud.
        requirements: what a trace must hold and reach.
    """

    snapshot: Snapshot
    horizon: float
    seed: int
    uncertainty: Uncertainty
    requirements: RequirementSettings = GAIT_TRANSITION


class Tracer:
    """Traces candidates for one robot.

    Args:
        model: the believed robot.
        settings: of the planner; the same as on the robot.
        size: how many particles are stepped together.
        time_step: of the physics, s.
        world: the ground; flat if None.
        limited: whether commands pass the limits of the servo bridge, as on the robot; the robots of the sources have no such gate.
        plant: the kind of plant that moves the particles.

    Attributes:
        size: how many particles are stepped together at most.
        period: s between ticks.
    """

    def __init__(
        self,
        model: RobotModel,
        settings: PlannerSettings,
        size: int = 16,
        time_step: float = 2e-3,
        world: World | None = None,
        limited: bool = True,
        plant: type[DisturbedPlant] = DisturbedPlant,
    ) -> None:
        self._model, self.size = model, size
        bridge = bridge_settings() if limited else None
        self._rollout, self._projector = (Rollout(model, settings, count, time_step, world, bridge, plant) for count in (size, 1))
        self.period = self._rollout.period
        self._projected: tuple[bytes, Track] | None = None
        self._reached = (GAIT_TRANSITION, GAIT_TRANSITION.objective_conditions(model))

    def ticks(self, rehearsal: Rehearsal, candidate: Candidate) -> tuple[int, int]:
        """Tick of the gait change and number of ticks of a candidate, from the snapshot on."""
        switch = max(0, round((candidate.switch_time - rehearsal.snapshot.state.time) / self.period))
        return switch, switch + round((candidate.change_time + rehearsal.horizon) / self.period)

    def trace(self, rehearsal: Rehearsal, candidate: Candidate, indices: NDArray[np.int64]) -> Outcomes:
        """Trace one candidate on some particles.

        Args:
            rehearsal: what is traced.
            candidate: the gait change.
            indices: of the particles; more than the tracer's size are traced one group after another.
        """
        if len(indices) > self.size:
            groups = [indices[i : i + self.size] for i in range(0, len(indices), self.size)]
            return joined([self.trace(rehearsal, candidate, group) for group in groups])
        return self.trace_together(rehearsal, [(candidate, indices)])[0]

    def trace_together(self, rehearsal: Rehearsal, wanted: Sequence[tuple[Candidate, NDArray[np.int64]]]) -> list[Outcomes]:
        """Trace several candidates side by side, which is quicker than one after the other and gives the same to the last bit.

        Args:
            rehearsal: what is traced.
            wanted: candidates and the particles of each, together no more than the tracer's size.
        """
        # One projection serves all of them.
        way = self._project(rehearsal, max(self._spread_tick(rehearsal, candidate) for candidate, _ in wanted))
        prepared = [self._prepared(rehearsal, way, candidate, indices) for candidate, indices in wanted]
        tracks = self._rollout.run_together([part for _, part in prepared])
        results = []
        for (candidate, indices), (spread_tick, part), track in zip(wanted, prepared, tracks, strict=True):
            if 0 <= way.failure_tick[0] <= spread_tick:
                # The believed robot itself does not get as far as the change.
                track.alive[:] = False
                track.violated[:] = way.violated * len(indices)
                track.failure_tick[:] = way.failure_tick[0] - spread_tick
            switch_tick, _ = self.ticks(rehearsal, candidate)
            # The objective is about the new gait alone, not about what it comes through and fades in from.
            new_tick = switch_tick + round(candidate.change_time / self.period)
            outcomes = self._outcomes(rehearsal, indices, way, track, spread_tick, switch_tick, new_tick)
            results.append(replace(outcomes, draws=part.particles.named()[1]))
        return results

    def _spread_tick(self, rehearsal: Rehearsal, candidate: Candidate) -> int:
        """Tick at which the cloud is spread."""
        return max(0, self.ticks(rehearsal, candidate)[0] - round(LEAD / self.period))

    def _prepared(self, rehearsal: Rehearsal, way: Track, candidate: Candidate, indices: NDArray[np.int64]) -> tuple[int, Part]:
        """The tick of the way to a change at which the cloud is spread, and what the particles are asked to do from there."""
        snapshot = rehearsal.snapshot
        _, ticks = self.ticks(rehearsal, candidate)
        spread_tick = self._spread_tick(rehearsal, candidate)
        start = replace(
            snapshot,
            state=self._state_at(snapshot, way, spread_tick),
            planner=way.planner[:1, spread_tick].copy(),
            law=LawState(snapshot.law.name, way.memory[:1, spread_tick].copy()),
        )
        particles = draw_particles(self._model, rehearsal.uncertainty, start, rehearsal.seed, indices)
        noise = transient_noise(self._model, rehearsal.uncertainty, rehearsal.seed, indices, ticks - spread_tick + 1)
        return spread_tick, Part(self._course(start, candidate, ticks - spread_tick, rehearsal.requirements), particles, noise)

    def _course(self, start: Snapshot, candidate: Candidate, ticks: int, requirements: RequirementSettings) -> Course:
        return Course(
            state=start.state,
            planner=start.planner,
            gaits=(start.gait_from, start.gait_to, *start.intermediates),
            switch_time=candidate.switch_time,
            switch_phase=candidate.transition_point,
            blend_time=candidate.blend_time,
            intermediate=[gait.name for gait in start.intermediates].index(candidate.intermediate) if candidate.intermediate else None,
            intermediate_time=candidate.intermediate_time,
            command=np.asarray(start.command, dtype=np.float64),
            friction=friction_under_feet(start.terrain.cautious_friction, start.state.foot_friction),
            ticks=ticks,
            law=start.law,
            requirements=requirements,
        )

    def _project(self, rehearsal: Rehearsal, ticks: int) -> Track:
        """What the believed robot does in its present gait, at least so many ticks from the snapshot on.

        It serves every candidate of a rehearsal that needs no more. Where one does, the next projection is as long as any may need that
        waits for another point of the cycle.
        """
        snapshot, state = rehearsal.snapshot, rehearsal.snapshot.state
        numbers = (state_record(state), snapshot.planner, np.asarray(snapshot.command), state.foot_friction, snapshot.law.memory)
        grounds, motors = (snapshot.terrain, snapshot.terrain_here), rehearsal.uncertainty.motors
        words = (snapshot.law.name, snapshot.gait_from, grounds, rehearsal.requirements, motors)
        key = b"".join(part.tobytes() for part in numbers) + repr(words).encode()
        longest = ticks
        if self._projected is not None and self._projected[0] == key:
            if self._projected[1].qpos.shape[1] > ticks:
                return self._projected[1]
            longest += round(snapshot.gait_from.period / self.period)
        here = replace(snapshot, terrain=snapshot.terrain_here)
        believed = NO_UNCERTAINTY.model_copy(update={"motors": rehearsal.uncertainty.motors})
        belief = draw_particles(self._model, believed, here, 0, np.zeros(1, np.int64))
        course = self._course(snapshot, Candidate(0.0, np.inf), longest, rehearsal.requirements)
        track = self._projector.run(course, belief, np.zeros((1, longest + 1, TRANSIENT_CHANNELS)), keep_planner=True)
        self._projected = (key, track)
        return track

    def _state_at(self, snapshot: Snapshot, way: Track, tick: int) -> RobotState:
        """The projected state at a tick, with the covariance of the estimate."""
        if tick == 0:
            return snapshot.state
        position, velocity = way.qpos[0, tick], way.qvel[0, tick]
        w, x, y, z = position[3:7]
        spin = velocity[3:6]
        axis = np.array((x, y, z))
        turned = 2.0 * np.cross(axis, spin)
        return replace(
            snapshot.state,
            time=snapshot.state.time + tick * self.period,
            base_position=position[:3].copy(),
            base_quaternion=np.array((x, y, z, w)),
            base_linear_velocity=velocity[:3].copy(),
            base_angular_velocity=spin + w * turned + np.cross(axis, turned),
            joint_position=position[7:].copy(),
            joint_velocity=velocity[6:].copy(),
            contact_probability=way.contact[0, tick].astype(np.float64),
        )

    def _outcomes(
        self, rehearsal: Rehearsal, indices: NDArray[np.int64], way: Track, track: Track, spread_tick: int, switch_tick: int, new_tick: int
    ) -> Outcomes:
        """The judgement over the whole traces, the common way included."""
        count, ticks = len(indices), spread_tick + track.marks.shape[1] - 1
        common_path = np.repeat(way.qpos[:, :spread_tick, :7], count, axis=0)
        common_contact = np.repeat(way.contact[:, :spread_tick], count, axis=0)
        marks = np.concatenate((np.repeat(way.marks[:, :spread_tick], count, axis=0), track.marks), axis=1)
        path = np.concatenate((common_path, track.qpos[:, :, :7]), axis=1).astype(np.float32)
        verdict = np.where(track.alive, SURVIVED, FAILED)
        violated = list(track.violated)
        end_position, end_velocity = track.qpos[:, -1].copy(), track.qvel[:, -1].copy()
        twist = np.concatenate((np.repeat(way.twist[:, :spread_tick], count, axis=0), track.twist), axis=1)
        command = np.asarray(rehearsal.snapshot.command, np.float64)
        finished = FinishedTraces(self._model, path, twist, end_position, end_velocity, new_tick, self.period, command)
        for name, condition in self._objectives(rehearsal.requirements).items():
            for i in np.flatnonzero((verdict == SURVIVED) & ~_met(condition, finished, count)):
                verdict[i], violated[i] = UNFINISHED, spoken(name)
        verdict[[name == IMPOSSIBLE_START for name in violated]] = INCONSISTENT
        end_tick = np.where(track.alive, ticks, track.failure_tick + spread_tick)
        return Outcomes(
            indices=indices,
            verdict=verdict,
            violated=tuple(violated),
            failure_time=np.where(verdict == FAILED, end_tick * self.period, np.nan),
            base_path=path,
            foot_contact=np.concatenate((common_contact, track.contact), axis=1),
            period=self.period,
            switch_tick=switch_tick,
            particle_seconds=track.particle_ticks * self.period,
            end_position=end_position,
            end_velocity=end_velocity,
            events=find_events(marks, indices, end_tick, self.period),
        )

    def _objectives(self, requirements: RequirementSettings) -> dict[str, Condition]:
        if self._reached[0] != requirements:
            self._reached = (requirements, requirements.objective_conditions(self._model))
        return self._reached[1]


def _met(condition: Condition, traces: FinishedTraces, count: int) -> NDArray[np.bool_]:
    """Which traces reached an objective; one that fails vouches for nobody."""
    try:
        return np.broadcast_to(holds(np.asarray(condition(traces))), (count,))
    except Exception:  # A trace goes on whatever another package raises.
        return np.zeros(count, np.bool_)
