# SPDX-License-Identifier: Apache-2.0
"""Traces of a gait change: many perturbed robots take it, and each is judged [Zapolsky 2017, Alg. 1].

The way to the change is common to all: the believed robot is projected along it once, on the ground under its feet, and the
cloud is spread a moment before the change, with the covariance of the estimate and on the ground ahead.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.settings import PlannerSettings
from surefoot.locomotion.policy import state_record
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.traces.cloud import TRANSIENT_CHANNELS, draw_particles, transient_noise
from surefoot.traces.outcome import FAILED, SURVIVED, UNFINISHED, Outcomes, joined
from surefoot.traces.requirements import KEEPS_ITS_SPEED
from surefoot.traces.rollout import Course, Rollout, Track
from surefoot.traces.snapshot import Candidate, Snapshot
from surefoot.traces.uncertainty import NO_UNCERTAINTY, Uncertainty

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
    """

    snapshot: Snapshot
    horizon: float
    seed: int
    uncertainty: Uncertainty


class Tracer:
    """Traces candidates for one robot.

    Args:
        model: the believed robot.
        settings: of the planner; the same as on the robot.
        size: how many particles are stepped together.
        time_step: of the physics, s.

    Attributes:
        period: s between ticks.
    """

    def __init__(self, model: RobotModel, settings: PlannerSettings, size: int = 16, time_step: float = 2e-3) -> None:
        self._model, self._size = model, size
        self._rollout, self._projector = Rollout(model, settings, size, time_step), Rollout(model, settings, 1, time_step)
        self.period = self._rollout.period
        self._projected: tuple[bytes, Track] | None = None

    def ticks(self, rehearsal: Rehearsal, candidate: Candidate) -> tuple[int, int]:
        """Tick of the gait change and number of ticks of a candidate, from the snapshot on."""
        switch = max(0, round((candidate.switch_time - rehearsal.snapshot.state.time) / self.period))
        return switch, switch + round((candidate.blend_time + rehearsal.horizon) / self.period)

    def trace(self, rehearsal: Rehearsal, candidate: Candidate, indices: NDArray[np.int64]) -> Outcomes:
        """Trace one candidate on some particles.

        Args:
            rehearsal: what is traced.
            candidate: the gait change.
            indices: of the particles; more than the tracer's size are traced one group after another.
        """
        if len(indices) > self._size:
            groups = [indices[i : i + self._size] for i in range(0, len(indices), self._size)]
            return joined([self.trace(rehearsal, candidate, group) for group in groups])
        snapshot = rehearsal.snapshot
        switch_tick, ticks = self.ticks(rehearsal, candidate)
        spread_tick = max(0, switch_tick - round(LEAD / self.period))
        way = self._project(snapshot, spread_tick)
        start = replace(snapshot, state=self._state_at(snapshot, way, spread_tick), planner=way.planner[:1, spread_tick].copy())
        particles = draw_particles(self._model, rehearsal.uncertainty, start, rehearsal.seed, indices)
        noise = transient_noise(self._model, rehearsal.uncertainty, rehearsal.seed, indices, ticks - spread_tick + 1)
        track = self._rollout.run(self._course(start, candidate, ticks - spread_tick), particles, noise)
        if 0 <= way.failure_tick[0] <= spread_tick:
            # The believed robot itself does not get as far as the change.
            track.alive[:] = False
            track.violated[:] = way.violated * len(indices)
            track.failure_tick[:] = way.failure_tick[0] - spread_tick
        # The objective is about the new gait alone, not about what it fades in from.
        new_tick = switch_tick + round(candidate.blend_time / self.period)
        return self._outcomes(indices, way, track, spread_tick, switch_tick, new_tick, snapshot.command)

    def _course(self, start: Snapshot, candidate: Candidate, ticks: int) -> Course:
        return Course(
            state=start.state,
            planner=start.planner,
            gaits=(start.gait_from, start.gait_to),
            switch_time=candidate.switch_time,
            switch_phase=candidate.transition_point,
            blend_time=candidate.blend_time,
            command=np.asarray(start.command, dtype=np.float64),
            friction=start.terrain.cautious_friction,
            ticks=ticks,
        )

    def _project(self, snapshot: Snapshot, ticks: int) -> Track:
        """What the believed robot does in its present gait, at least so many ticks from the snapshot on.

        One projection serves every candidate of a rehearsal: it is as long as the latest of them needs.
        """
        state = snapshot.state
        numbers = (state_record(state), snapshot.planner, np.asarray(snapshot.command))
        key = b"".join(part.tobytes() for part in numbers) + repr((snapshot.gait_from, snapshot.terrain, snapshot.terrain_here)).encode()
        if self._projected is not None and self._projected[0] == key and self._projected[1].qpos.shape[1] > ticks:
            return self._projected[1]
        longest = 0 if ticks == 0 else ticks + round(snapshot.gait_from.period / self.period)
        here = replace(snapshot, terrain=snapshot.terrain_here)
        belief = draw_particles(self._model, NO_UNCERTAINTY, here, 0, np.zeros(1, np.int64))
        course = self._course(snapshot, Candidate(0.0, np.inf), longest)
        track = self._projector.run(course, belief, np.zeros((1, longest + 1, TRANSIENT_CHANNELS)))
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
        self, indices: NDArray[np.int64], way: Track, track: Track, spread_tick: int, switch_tick: int, new_tick: int, command: Array
    ) -> Outcomes:
        """The judgement over the whole traces, the common way included."""
        count = len(indices)
        common_path = np.repeat(way.qpos[:, :spread_tick, :7], count, axis=0)
        common_contact = np.repeat(way.contact[:, :spread_tick], count, axis=0)
        path = np.concatenate((common_path, track.qpos[:, :, :7]), axis=1).astype(np.float32)
        verdict = np.where(track.alive, SURVIVED, FAILED)
        violated = list(track.violated)
        met = self._objective_met(path, new_tick, command)
        for i in np.flatnonzero(track.alive & ~met):
            verdict[i], violated[i] = UNFINISHED, KEEPS_ITS_SPEED.name
        failure_time = np.where(verdict == FAILED, (track.failure_tick + spread_tick) * self.period, np.nan)
        return Outcomes(
            indices=indices,
            verdict=verdict,
            violated=tuple(violated),
            failure_time=failure_time,
            base_path=path,
            foot_contact=np.concatenate((common_contact, track.contact), axis=1),
            period=self.period,
            switch_tick=switch_tick,
            particle_seconds=track.particle_ticks * self.period,
        )

    def _objective_met(self, path: NDArray[np.float32], switch_tick: int, command: Array) -> NDArray[np.bool_]:
        """Which particles went where they were told to, in the second half of the new gait."""
        ticks = path.shape[1] - 1
        begin = (switch_tick + ticks) // 2
        w, x, y, z = (path[:, begin, 3 + i].astype(np.float64) for i in range(4))
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        displacement = (path[:, ticks, :2] - path[:, begin, :2]).astype(np.float64)
        forward = np.cos(yaw) * displacement[:, 0] + np.sin(yaw) * displacement[:, 1]
        left = -np.sin(yaw) * displacement[:, 0] + np.cos(yaw) * displacement[:, 1]
        return KEEPS_ITS_SPEED.met(np.stack((forward, left), axis=1), max(1, ticks - begin) * self.period, command)
