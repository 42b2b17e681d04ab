# SPDX-License-Identifier: Apache-2.0
"""The loop of a trace: observe, plan, control, judge, advance, tick after tick, for all particles together."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.parameters import GAIT, Gait, gait_record
from surefoot.gait.records import PLAN, STATE
from surefoot.gait.settings import PlannerSettings
from surefoot.locomotion.compiled import policy
from surefoot.locomotion.compiled.policy import NONE, schedule_records
from surefoot.locomotion.compiled.records import CONTROL, gains_record
from surefoot.locomotion.compiled.rigid_body import TERMS
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.robot.tree import leg_tree
from surefoot.simulation.mujoco_model import build_model
from surefoot.terrain.world import World
from surefoot.traces.cloud import Particles
from surefoot.traces.judge import Judge
from surefoot.traces.observe import observe, servo_targets
from surefoot.traces.outcome import DIVERGED
from surefoot.traces.plant.contacts import PlantContacts
from surefoot.traces.plant.disturbed import DisturbedPlant as Plant
from surefoot.traces.requirements.settings import GAIT_TRANSITION, RequirementSettings
from surefoot.traces.requirements.view import TraceView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Course:
    """What a rollout of n particles is asked to do.

    Attributes:
        state: where all of them start, before their own errors.
        planner: array of one PLANNER record.
        gaits: the gait in force and the one that comes.
        switch_time: of the gait change, s, planner time; infinity: none comes.
        switch_phase: phase at which the coming gait begins.
        blend_time: s over which it comes; 0: at once.
        command: wanted forward and left speed, m/s, and turn rate, rad/s, (3,).
        friction: that the policy believes in.
        ticks: how long it goes on.
        requirements: what must hold.
    """

    state: RobotState
    planner: np.ndarray
    gaits: tuple[Gait, Gait]
    switch_time: float
    switch_phase: float
    blend_time: float
    command: Array
    friction: float
    ticks: int
    requirements: RequirementSettings = GAIT_TRANSITION


@dataclass(frozen=True)
class Track:
    """What n particles did.

    Attributes:
        alive: which of them held every requirement to the end, (n,).
        violated: what ended each of the others, n long.
        failure_tick: when, (n,); -1 for the others.
        qpos, qvel: at each tick, (n, ticks + 1, 19) and (n, ticks + 1, 18); the last ones are repeated after an end.
        contact: whether each foot bears load at each tick, (n, ticks + 1, 4).
        marks: of each tick, (n, ticks + 1), see `marks`.
        planner: PLANNER records at each tick, before it is planned, (n, ticks + 1); none, (n, 0), unless they were asked for.
        particle_ticks: how many control periods were simulated in all.
    """

    alive: NDArray[np.bool_]
    violated: list[str]
    failure_tick: NDArray[np.int64]
    qpos: Array
    qvel: Array
    contact: NDArray[np.bool_]
    marks: NDArray[np.int64]
    planner: np.ndarray
    particle_ticks: int


class Rollout:
    """Simulates particles in closed loop with the robot's own policy; only the plant is perturbed.

    Args:
        model: the believed robot.
        settings: of the planner; the same as on the robot.
        size: largest number of particles.
        time_step: of the physics, s.
        world: the ground; what the particles draw of it is theirs.

    Attributes:
        period: s between ticks.
    """

    def __init__(
        self, model: RobotModel, settings: PlannerSettings, size: int, time_step: float, world: World | None = None
    ) -> None:
        description = model.description
        self.period = 1.0 / description.control.rate
        self._model, self._size = model, size
        mujoco_model = build_model(model, world or World(), time_step)
        self._steps = max(1, round(self.period / time_step))
        mujoco_model.opt.timestep = self.period / self._steps
        self._time_step = float(mujoco_model.opt.timestep)
        self._simulation = mujoco_model
        self._plant = Plant(model, mujoco_model, size)
        self._contacts = PlantContacts(self._plant)
        self._tree = np.array([leg_tree(model)])
        self._settings = settings.record(description.stand_height)
        self._gains = gains_record(description)
        self._threshold = description.control.foot_force_threshold
        self._judge = Judge(model, mujoco_model, GAIT_TRANSITION, size)
        self._terms = np.zeros(1, TERMS)

    def run(self, course: Course, particles: Particles, noise: Array, keep_planner: bool = False) -> Track:
        """Simulate.

        Args:
            course: what to do.
            particles: n of them.
            noise: (n, ticks or more, channels), see cloud.transient_noise.
            keep_planner: whether the track has the planner's memory of each tick.
        """
        if self._judge.settings != course.requirements:
            self._judge = Judge(self._model, self._simulation, course.requirements, self._size)
        self._judge.start()
        count, ticks, plant = len(particles.indices), course.ticks, self._plant
        seen = self._contacts.of(count)
        height = float(course.planner["ground_height"][0])
        plant.place(particles, course.state, height, course.planner["ground_slope"][0])
        states, plans, controls = np.zeros(count, STATE), np.zeros(count, PLAN), np.zeros(count, CONTROL)
        states["foot_force"] = np.nan
        planner = np.repeat(course.planner, count)
        schedule = schedule_records(count)
        schedule["pending"] = 1 if np.isfinite(course.switch_time) else NONE
        schedule["switch_time"], schedule["switch_phase"] = course.switch_time, course.switch_phase
        schedule["blend_time"] = course.blend_time
        gaits = np.zeros(3, GAIT)
        gaits[0], gaits[1] = (gait_record(gait)[0] for gait in course.gaits)
        errors = _errors(particles)
        delay = np.clip(np.rint(particles.command_delay / self._time_step), 0, self._steps).astype(np.int64)
        targets = np.zeros((count, 12))
        track = Track(
            alive=np.ones(count, np.bool_),
            violated=[""] * count,
            failure_tick=np.full(count, -1),
            qpos=np.zeros((count, ticks + 1, 19)),
            qvel=np.zeros((count, ticks + 1, 18)),
            contact=np.zeros((count, ticks + 1, 4), np.bool_),
            marks=np.zeros((count, ticks + 1), np.int64),
            planner=np.repeat(planner[:, None], ticks + 1 if keep_planner else 0, axis=1),
            particle_ticks=0,
        )
        alive, simulated = track.alive, 0
        for tick in range(ticks + 1):
            qpos, qvel, load = plant.qpos[:count], plant.qvel[:count], plant.load[:count]
            track.qpos[:, tick], track.qvel[:, tick], track.contact[:, tick] = qpos, qvel, load > self._threshold
            if keep_planner:
                track.planner[:, tick] = planner
            if not alive.any():
                for recorded in (track.qpos, track.qvel, track.contact, track.planner):
                    recorded[:, tick:] = recorded[:, tick : tick + 1]
                break
            # The times of the robot's own ticks, so that the planner sees the same numbers.
            time = course.state.time + tick * self.period
            observe(time, qpos, qvel, load, self._threshold, height, errors, noise[:, tick], states, alive)
            policy.plan(self._tree, self._settings, gaits, schedule, planner, states, course.command, course.friction, plans, alive)
            policy.control(self._tree, self._gains, plans, states, self.period, self._terms, controls, alive)
            view = TraceView(qpos, qvel, planner, plans, controls, load, *seen, height)
            for i, name in self._judge.tick(view, plant.advancing, alive):
                _end(track, i, name, tick)
            track.marks[:, tick] = self._judge.marks[:count]
            if tick == ticks:
                break
            servo_targets(controls, plant.stiffness[:count], plant.damping[:count], particles.effort, noise[:, tick], targets, alive)
            # The physics would take a command that is not a number for none at all.
            if not np.isfinite(targets.sum()):
                for broken in np.flatnonzero(alive & ~np.isfinite(targets.sum(axis=1))):
                    _end(track, int(broken), DIVERGED, tick)
            moving = np.flatnonzero(alive)
            if len(moving) > 0:
                # What the servos held before the start is not known: the first command takes effect at once.
                plant.advance(targets, moving, np.zeros_like(delay) if tick == 0 else delay, self._steps)
                simulated += len(moving)
        track.qpos[:, :, 2] += height
        _hold_last_pose(track, course.state)
        return replace(track, particle_ticks=simulated)


def _end(track: Track, particle: int, name: str, tick: int) -> None:
    track.alive[particle], track.violated[particle], track.failure_tick[particle] = False, name, tick


def _hold_last_pose(track: Track, start: RobotState) -> None:
    """Let those whose numbers broke down rest where they were last sound, so that nothing made of their poses breaks down as well."""
    x, y, z, w = start.base_quaternion
    for i in (i for i, name in enumerate(track.violated) if name == DIVERGED):
        end = track.failure_tick[i]
        sound = track.qpos[i, end - 1] if end > 0 else (*start.base_position, w, x, y, z, *start.joint_position)
        track.qpos[i, end:], track.qvel[i, end:] = sound, 0.0


def _errors(particles: Particles) -> Array:
    """The error of the estimate of each particle, (n, 36), in the order that `observe` reads."""
    return np.concatenate(
        (
            particles.base_position, particles.base_orientation, particles.base_velocity, particles.base_rate,
            particles.joint_position, particles.joint_velocity,
        ),
        axis=1,
    )  # fmt: skip
