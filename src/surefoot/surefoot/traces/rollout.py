# SPDX-License-Identifier: Apache-2.0
"""The loop of a trace: observe, plan, control, judge, advance, tick after tick, for all particles together."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.parameters import GAIT, Gait, gait_record
from surefoot.gait.records import PLAN, STATE
from surefoot.gait.settings import PlannerSettings
from surefoot.locomotion.compiled import policy
from surefoot.locomotion.compiled.policy import NONE, schedule_records
from surefoot.locomotion.compiled.records import CONTROL
from surefoot.locomotion.laws import COMPILED_LAWS, CompiledLaw, LawState
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.robot.tree import leg_tree
from surefoot.servos.settings import BridgeSettings
from surefoot.simulation.mujoco_model import build_model
from surefoot.terrain.world import World
from surefoot.traces.bridge_limits import BridgeLimits
from surefoot.traces.cloud import Particles
from surefoot.traces.cloud.particles import together
from surefoot.traces.judge import Judge
from surefoot.traces.observe import observe, servo_laws
from surefoot.traces.outcome import DIVERGED
from surefoot.traces.plant.contacts import PlantContacts
from surefoot.traces.plant.disturbed import DisturbedPlant
from surefoot.traces.requirements.settings import GAIT_TRANSITION, RequirementSettings
from surefoot.traces.requirements.view import TraceView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Course:
    """What a rollout of n particles is asked to do.

    Attributes:
        state: where all of them start, before their own errors.
        planner: array of one PLANNER record.
        gaits: the gait in force, the one that comes, and those that may be walked on the way.
        switch_time: of the gait change, s, planner time; infinity: none comes.
        switch_phase: phase at which the coming gait begins.
        blend_time: s over which it comes; 0: at once.
        intermediate: which of those that may be walked on the way is; None for none.
        intermediate_time: s from the change to that one to the one from it.
        command: wanted forward and left speed, m/s, and turn rate, rad/s, (3,).
        friction: that the policy believes in under each foot, (4,).
        ticks: how long it goes on.
        law: that drives the particles.
        requirements: what must hold.
    """

    state: RobotState
    planner: np.ndarray
    gaits: tuple[Gait, ...]
    switch_time: float
    switch_phase: float
    blend_time: float
    command: Array
    friction: Array
    ticks: int
    law: LawState
    requirements: RequirementSettings = GAIT_TRANSITION
    intermediate: int | None = None
    intermediate_time: float = 0.0


@dataclass(frozen=True)
class Track:
    """What n particles did.

    Attributes:
        alive: which of them held every requirement to the end, (n,).
        violated: what ended each of the others, n long.
        failure_tick: when, (n,); -1 for the others.
        qpos, qvel: at each tick, (n, ticks + 1, 19) and (n, ticks + 1, 18); the last ones are repeated after an end.
        contact: whether each foot bears load at each tick, (n, ticks + 1, 4).
        twist: yaw of the base from the heading that the planner goes by at each tick, (n, ticks + 1), rad.
        marks: of each tick, (n, ticks + 1), see `marks`.
        planner: PLANNER records at each tick, before it is planned, (n, ticks + 1); none, (n, 0), unless they were asked for.
        memory: of the law, MEMORY records at each tick, before it controls; as many as of the planner.
        particle_ticks: how many control periods were simulated in all.
    """

    alive: NDArray[np.bool_]
    violated: list[str]
    failure_tick: NDArray[np.int64]
    qpos: Array
    qvel: Array
    contact: NDArray[np.bool_]
    twist: Array
    marks: NDArray[np.int64]
    planner: np.ndarray
    memory: np.ndarray
    particle_ticks: int


@dataclass(frozen=True)
class Part:
    """Particles that are asked to do the same.

    Attributes:
        course: what to do.
        particles: n of them.
        noise: (n, ticks or more, channels), see cloud.transient_noise.
    """

    course: Course
    particles: Particles
    noise: Array


class Rollout:
    """Simulates particles in closed loop with the robot's own policy; only the plant is perturbed.

    Args:
        model: the believed robot.
        settings: of the planner; the same as on the robot.
        size: largest number of particles.
        time_step: of the physics, s.
        world: the ground, flat if None; what the particles draw of it is theirs.
        bridge: settings of the servo bridge, whose limits commands pass; None where there is no bridge.
        plant: the kind of plant that moves the particles.

    Attributes:
        period: s between ticks.
    """

    def __init__(
        self,
        model: RobotModel,
        settings: PlannerSettings,
        size: int,
        time_step: float,
        world: World | None,
        bridge: BridgeSettings | None,
        plant: type[DisturbedPlant] = DisturbedPlant,
    ) -> None:
        description = model.description
        self.period = 1.0 / description.control.rate
        self._model, self._size = model, size
        mujoco_model = build_model(model, world or World(), time_step)
        self._steps = max(1, round(self.period / time_step))
        mujoco_model.opt.timestep = self.period / self._steps
        self._time_step = float(mujoco_model.opt.timestep)
        self._simulation = mujoco_model
        self._plant = plant(model, mujoco_model, size)
        self._contacts = PlantContacts(self._plant)
        self._limits = BridgeLimits(model, size, self.period, bridge)
        self._tree = np.array([leg_tree(model)])
        self._settings = settings.record(description.stand_height)
        self._laws = {name: CompiledLaw(model, name) for name in COMPILED_LAWS}
        self._threshold = description.control.foot_force_threshold
        self._judge: Judge | None = None

    def run(self, course: Course, particles: Particles, noise: Array, keep_planner: bool = False) -> Track:
        """Simulate particles that do the same, see `Part`.

        Args:
            course, particles, noise: of them.
            keep_planner: whether the track has the memory of planner and law at each tick.
        """
        return self.run_together([Part(course, particles, noise)], keep_planner)[0]

    def run_together(self, parts: Sequence[Part], keep_planner: bool = False) -> list[Track]:
        """Simulate particles that do different things side by side, none of which minds the others: one track for each part.

        Args:
            parts: of one rehearsal, so that gaits, command, friction, law and requirements are the same in all of them.
            keep_planner: whether the tracks have the memory of planner and law at each tick.
        """
        first, plant = parts[0].course, self._plant
        ends = np.cumsum([0, *(len(part.particles.indices) for part in parts)]).tolist()
        rows = [slice(begin, end) for begin, end in pairwise(ends)]
        owner = np.repeat(np.arange(len(parts)), np.diff(ends))
        count, last = ends[-1], np.array([part.course.ticks for part in parts])[owner]
        longest = int(last.max())
        particles, noise = together([part.particles for part in parts]), _side_by_side(parts, longest)
        judge = self._judge_of(first.requirements)
        torque, speed, geom_position, geom_rotation = self._contacts.of(count)
        planner = np.concatenate([part.course.planner for part in parts])[owner]
        law, memory = self._laws[first.law.name], np.concatenate([part.course.law.memory for part in parts])[owner]
        kept = longest + 1 if keep_planner else 0
        height = planner["ground_height"].copy()
        plant.place(particles, [parts[i].course.state for i in owner.tolist()], height, planner["ground_slope"])
        states, plans, controls = np.zeros(count, STATE), np.zeros(count, PLAN), np.zeros(count, CONTROL)
        states["foot_force"] = np.nan
        schedule = schedule_records(count)
        for row, part in zip(rows, parts, strict=True):
            course = part.course
            schedule["pending"][row] = 1 if np.isfinite(course.switch_time) else NONE
            schedule["switch_time"][row], schedule["switch_phase"][row] = course.switch_time, course.switch_phase
            schedule["blend_time"][row] = course.blend_time
            if course.intermediate is not None:
                schedule["pending"][row], schedule["then"][row] = 2 + course.intermediate, 1
                schedule["then_after"][row] = course.intermediate_time
        gaits = np.zeros(len(first.gaits) + 1, GAIT)
        for i, gait in enumerate(first.gaits):
            gaits[i] = gait_record(gait)[0]
        starts, errors = np.array([part.course.state.time for part in parts])[owner], _errors(particles)
        delay = np.clip(particles.command_delay / self._time_step, 0.0, self._steps)
        targets = np.zeros((count, 12))
        track = Track(
            alive=np.ones(count, np.bool_),
            violated=[""] * count,
            failure_tick=np.full(count, -1),
            qpos=np.zeros((count, longest + 1, 19)),
            qvel=np.zeros((count, longest + 1, 18)),
            contact=np.zeros((count, longest + 1, 4), np.bool_),
            twist=np.zeros((count, longest + 1)),
            marks=np.zeros((count, longest + 1), np.int64),
            planner=np.repeat(planner[:, None], kept, axis=1),
            memory=np.repeat(memory[:, None], kept, axis=1),
            particle_ticks=0,
        )
        self._limits.start()
        qpos, qvel, load, twist = plant.qpos[:count], plant.qvel[:count], plant.load[:count], planner["reference_twist"]
        view = TraceView(qpos, qvel, planner, plans, controls, load, torque, speed, geom_position, geom_rotation, height)
        advancing, stiffness, damping = plant.advancing[:count], plant.stiffness[:count], plant.damping[:count]
        alive, simulated = track.alive, np.zeros(count, np.int64)
        for tick in range(longest + 1):
            track.qpos[:, tick], track.qvel[:, tick], track.contact[:, tick] = qpos, qvel, load > self._threshold
            track.twist[:, tick] = twist
            if keep_planner:
                track.planner[:, tick], track.memory[:, tick] = planner, memory
            going = alive & (tick <= last)
            if not going.any():
                for recorded in (track.qpos, track.qvel, track.contact, track.twist, track.planner, track.memory):
                    recorded[:, tick:] = recorded[:, tick : tick + 1]
                break
            # The times of the robot's own ticks, so that the planner sees the same numbers.
            observe(starts, tick * self.period, qpos, qvel, load, self._threshold, height, errors, noise[:, tick], states, going)
            policy.plan(self._tree, self._settings, gaits, schedule, planner, states, first.command, first.friction, plans, going)
            law.control(plans, states, self.period, memory, controls, going)
            for i, name in judge.tick(view, advancing, going):
                _end(track, i, name, tick)
            track.marks[:, tick] = judge.marks[:count]
            going = alive & (tick < last)
            commands = self._limits.limit(controls, states, going)
            finite = servo_laws(
                commands, particles.servo_stiffness, particles.servo_damping, particles.effort, noise[:, tick], targets, stiffness, damping,
                going,
            )  # fmt: skip
            # The physics would take a command that is not a number for none at all.
            if not finite:
                for broken in np.flatnonzero(going & ~np.isfinite(targets.sum(axis=1))):
                    _end(track, int(broken), DIVERGED, tick)
                going &= alive
            moving = np.flatnonzero(going)
            if len(moving) > 0:
                # What the servos held before the start is not known: the first command takes effect at once.
                plant.advance(targets, moving, np.zeros_like(delay) if tick == 0 else delay, self._steps)
                simulated[moving] += 1
        track.qpos[:, :, 2] += height[:, None]
        tracks = [_cut(track, row, part.course.ticks, int(simulated[row].sum())) for row, part in zip(rows, parts, strict=True)]
        for one, part in zip(tracks, parts, strict=True):
            _hold_last_pose(one, part.course.state)
        return tracks

    def _judge_of(self, requirements: RequirementSettings) -> Judge:
        """A judge who has seen nothing yet."""
        if self._judge is None or self._judge.settings != requirements:
            self._judge = Judge(self._model, self._simulation, requirements, self._size)
        self._judge.start()
        return self._judge


def _side_by_side(parts: Sequence[Part], longest: int) -> Array:
    """The noise of all particles, (n, longest + 1, channels)."""
    if len(parts) == 1:
        return parts[0].noise
    noise = np.zeros((sum(len(part.noise) for part in parts), longest + 1, parts[0].noise.shape[2]))
    begin = 0
    for part in parts:
        rows, ticks = len(part.noise), min(longest + 1, part.noise.shape[1])
        noise[begin : begin + rows, :ticks] = part.noise[:, :ticks]
        begin += rows
    return noise


def _cut(track: Track, row: slice, ticks: int, simulated: int) -> Track:
    """What some of the particles did in their own time."""
    kept = {name: getattr(track, name)[row, : ticks + 1] for name in ("qpos", "qvel", "contact", "twist", "marks", "planner", "memory")}
    return Track(
        alive=track.alive[row], violated=track.violated[row], failure_tick=track.failure_tick[row], particle_ticks=simulated, **kept
    )


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
