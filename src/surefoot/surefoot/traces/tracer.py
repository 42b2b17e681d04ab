# SPDX-License-Identifier: Apache-2.0
"""Traces: many perturbed robots simulated in closed loop with the robot's own policy [Zapolsky 2017, Alg. 1].

The policy believes in the nominal robot and sees a noisy, delayed estimate; only the plant is perturbed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.parameters import GAIT, gait_record
from surefoot.gait.records import PLAN, STATE
from surefoot.gait.settings import PlannerSettings
from surefoot.locomotion.compiled import policy
from surefoot.locomotion.compiled.policy import SCHEDULE
from surefoot.locomotion.compiled.records import CONTROL, gains_record
from surefoot.locomotion.compiled.rigid_body import TERMS
from surefoot.robot.model import RobotModel
from surefoot.robot.tree import leg_tree
from surefoot.simulation.mujoco_model import build_model
from surefoot.terrain.world import World
from surefoot.traces.cloud import Particles, draw_particles, transient_noise
from surefoot.traces.observe import observe, servo_targets
from surefoot.traces.outcome import FAILED, SURVIVED, UNFINISHED, Outcomes
from surefoot.traces.plant import Plant
from surefoot.traces.requirements import DIVERGED, KEEPS_ITS_SPEED, TraceView, standard_requirements
from surefoot.traces.snapshot import Candidate, Snapshot
from surefoot.traces.uncertainty import Uncertainty

Array = NDArray[np.float64]


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
    """

    def __init__(self, model: RobotModel, settings: PlannerSettings, size: int = 16, time_step: float = 2e-3) -> None:
        self._model, self._size = model, size
        description = model.description
        self.period = 1.0 / description.control.rate
        self._mujoco = build_model(model, World(), time_step)
        self._steps = max(1, round(self.period / time_step))
        self._mujoco.opt.timestep = self.period / self._steps
        self._plant = Plant(model, self._mujoco, size)
        self._tree = np.array([leg_tree(model)])
        self._settings = settings.record(description.stand_height)
        self._gains = gains_record(description)
        self._threshold = description.control.foot_force_threshold
        self._requirements = standard_requirements(model)
        self._terms = np.zeros(1, TERMS)

    def ticks(self, rehearsal: Rehearsal, candidate: Candidate) -> tuple[int, int]:
        """Tick of the gait change and number of ticks of a candidate."""
        switch = max(0, round((candidate.switch_time - rehearsal.snapshot.state.time) / self.period))
        return switch, switch + round(rehearsal.horizon / self.period)

    def trace(self, rehearsal: Rehearsal, candidate: Candidate, indices: NDArray[np.int64]) -> Outcomes:
        """Trace one candidate on some particles.

        Args:
            rehearsal: what is traced.
            candidate: the gait change.
            indices: of the particles, at most as many as the tracer's size.
        """
        count = len(indices)
        snapshot = rehearsal.snapshot
        switch_tick, ticks = self.ticks(rehearsal, candidate)
        particles = draw_particles(self._model, rehearsal.uncertainty, snapshot, rehearsal.seed, indices)
        noise = transient_noise(self._model, rehearsal.uncertainty, rehearsal.seed, indices, ticks + 1)
        height = float(snapshot.planner["ground_height"][0])
        plant = self._plant
        plant.place(particles, snapshot.state, height)
        states, plans, controls = np.zeros(count, STATE), np.zeros(count, PLAN), np.zeros(count, CONTROL)
        planner = np.repeat(snapshot.planner, count)
        schedule = np.zeros(count, SCHEDULE)
        schedule["pending"], schedule["switch_time"], schedule["switch_phase"] = 1, candidate.switch_time, candidate.transition_point
        gaits = np.zeros(2, GAIT)
        gaits[0], gaits[1] = gait_record(snapshot.gait_from)[0], gait_record(snapshot.gait_to)[0]
        errors = _errors(particles)
        friction, command = snapshot.terrain.cautious_friction, np.asarray(snapshot.command, dtype=np.float64)

        alive = np.ones(count, np.bool_)
        violated = [""] * count
        failure_time = np.full(count, np.nan)
        path = np.zeros((count, ticks + 1, 7), np.float32)
        contact = np.zeros((count, ticks + 1, 4), np.bool_)
        targets = np.zeros((count, 12))
        delay = np.clip(np.rint(particles.command_delay / self._mujoco.opt.timestep), 0, self._steps).astype(np.int64)
        simulated = 0.0
        for tick in range(ticks + 1):
            qpos, qvel, load = plant.qpos[:count], plant.qvel[:count], plant.load[:count]
            path[:, tick, :] = qpos[:, :7]
            contact[:, tick] = load > self._threshold
            if tick == ticks or not alive.any():
                path[:, tick:], contact[:, tick:] = path[:, tick : tick + 1], contact[:, tick : tick + 1]
                break
            # The times of the robot's own ticks, so that the planner sees the same numbers.
            time = snapshot.state.time + tick * self.period
            observe(time, qpos, qvel, load, self._threshold, height, errors, noise[:, tick], states, alive)
            policy.plan(self._tree, self._settings, gaits, schedule, planner, states, command, friction, plans, alive)
            policy.control(self._tree, self._gains, plans, states, self.period, self._terms, controls, alive)
            self._judge(qpos, qvel, planner, controls, alive, violated, failure_time, tick)
            servo_targets(
                controls, plant.stiffness[:count], plant.damping[:count], particles.effort, noise[:, tick], targets, alive
            )
            moving = np.flatnonzero(alive)
            if len(moving) == 0:
                continue
            plant.advance(targets, moving, np.zeros_like(delay) if tick == 0 else delay, self._steps)
            simulated += len(moving) * self.period
        path[:, :, 2] += height
        verdict = np.where(alive, SURVIVED, FAILED)
        self._check_objective(path, alive, switch_tick, ticks, command, verdict, violated)
        return Outcomes(
            indices, verdict, tuple(violated), failure_time, path, contact, self.period, switch_tick, simulated
        )

    def _judge(
        self, qpos: Array, qvel: Array, planner: np.ndarray, controls: np.ndarray, alive: NDArray[np.bool_], violated: list[str],
        failure_time: Array, tick: int,
    ) -> None:  # fmt: skip
        """End the traces that violate a requirement at this tick, and keep which one and when."""
        w, x, y, z = qpos[:, 3], qpos[:, 4], qpos[:, 5], qpos[:, 6]
        roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
        pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
        view = TraceView(qpos[:, :3], roll, pitch, qvel[:, :3], qpos[:, 7:], planner, controls)
        finite = np.isfinite(qpos).all(axis=1) & np.isfinite(qvel).all(axis=1) & self._plant.advancing[: len(qpos)]
        for i in np.flatnonzero(alive & ~finite):
            alive[i], violated[i], failure_time[i] = False, DIVERGED, tick * self.period
        for requirement in self._requirements:
            # A witness that is not a number is not a witness: it counts as violated.
            broken = alive & ~(requirement.witness(view) >= 0.0)
            for i in np.flatnonzero(broken):
                alive[i], violated[i], failure_time[i] = False, requirement.name, tick * self.period

    def _check_objective(
        self, path: NDArray[np.float32], alive: NDArray[np.bool_], switch_tick: int, ticks: int, command: Array,
        verdict: NDArray[np.int64], violated: list[str],
    ) -> None:  # fmt: skip
        """Mark the survivors that did not go where they were told to as unfinished."""
        begin = (switch_tick + ticks) // 2
        w, x, y, z = (path[:, begin, 3 + i].astype(np.float64) for i in range(4))
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        displacement = (path[:, ticks, :2] - path[:, begin, :2]).astype(np.float64)
        travelled = np.stack(
            (
                np.cos(yaw) * displacement[:, 0] + np.sin(yaw) * displacement[:, 1],
                -np.sin(yaw) * displacement[:, 0] + np.cos(yaw) * displacement[:, 1],
            ),
            axis=1,
        )
        met = KEEPS_ITS_SPEED.met(travelled, (ticks - begin) * self.period, command)
        for i in np.flatnonzero(alive & ~met):
            verdict[i], violated[i] = UNFINISHED, KEEPS_ITS_SPEED.name


def _errors(particles: Particles) -> Array:
    """The error of the estimate of each particle, (n, 36), in the order that `observe` reads."""
    return np.concatenate(
        (
            particles.base_position, particles.base_orientation, particles.base_velocity, particles.base_rate,
            particles.joint_position, particles.joint_velocity,
        ),
        axis=1,
    )  # fmt: skip
