# SPDX-License-Identifier: Apache-2.0
"""How many closed-loop particle-seconds a second of machine gives, beside MuJoCo's own open-loop rollout of the same trot."""

import statistics
import time
from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco import rollout
from numpy.typing import NDArray

from surefoot.errors import SurefootError
from surefoot.evaluation.bench.processor_time import processor_time
from surefoot.evaluation.bench.rehearsal import walking_rehearsal
from surefoot.evaluation.bench.sample import Machine, this_machine
from surefoot.evaluation.bench.speeds import speeds_of
from surefoot.evaluation.bench.time_step import TimeStepErrors, time_step_errors
from surefoot.evaluation.closed_loop import ClosedLoop, planner_settings
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.simulation.mujoco_model import build_model
from surefoot.simulation.robot import SimulatedRobot
from surefoot.terrain.world import World
from surefoot.traces.jobs import Job
from surefoot.traces.outcome import Outcomes
from surefoot.traces.plant.plant import Plant
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import LEAD, Rehearsal
from surefoot.traces.workers import WorkerPool

Array = NDArray[np.float64]

TIME_STEP = 2e-3
"""s; that of `traces.tracer`."""
JOB = 16
"""Particles in a job."""
READY_TIMEOUT = 300.0
ROUNDS = 3
"""Of each measurement, ours and the peer in turn; the medians count."""


@dataclass(frozen=True)
class Rate:
    """Simulated seconds of one robot per second of machine.

    Attributes:
        workers: processes, or threads of the rollout.
        particle_seconds: simulated.
        per_wall_second, per_processor_second: the rates.
    """

    workers: int
    particle_seconds: float
    per_wall_second: float
    per_processor_second: float


@dataclass(frozen=True)
class TracesResult:
    """What `bench traces` reports; ours and the peer took turns.

    Attributes:
        closed_loop: traces with the most workers, simulated seconds of one robot per second on the wall.
        open_loop: the same of the peer with as many threads.
        ratio: of the two.
        cores: how many workers, or threads, they had.
        dt: of the physics, s.
        traces: closed loop, perturbed robots, policy at the control rate; with each number of workers.
        rollout: `mujoco.rollout` of the same model and time step: a trot that was recorded before, played back without any policy.
        ratios: of the rates per processor second, traces over rollout, with each number of workers.
        peer: which model the peer ran, the one that is faster for it: that of the traces or that of the simulator.
        time_step_errors: None if they were not asked for.
    """

    robot: str
    machine: Machine
    closed_loop: float
    open_loop: float
    ratio: float
    cores: int
    dt: float
    horizon: float
    particles: int
    traces: tuple[Rate, ...]
    rollout: tuple[Rate, ...]
    ratios: tuple[float, ...]
    peer: str
    time_step_errors: TimeStepErrors | None = None


def bench_traces(
    robot: str, particles: int = 64, horizon: float = 2.0, workers: tuple[int, ...] = (1, 2), with_time_step_errors: bool = False
) -> TracesResult:
    """Trace a walk that becomes a trot at once, and play back a trot of the same length, with each number of workers.

    Args:
        robot: name or path.
        particles: in all.
        horizon: s.
        workers: numbers of processes, and of threads.
        with_time_step_errors: whether to measure what the step size does as well.
    """
    machine, model = this_machine(), load_robot(robot)
    rehearsal = walking_rehearsal(model, horizon, 1)
    candidate = Candidate(0.0, rehearsal.snapshot.state.time + LEAD)
    jobs = [Job(0, candidate, np.arange(first, min(first + JOB, particles))) for first in range(0, particles, JOB)]
    start, controls, simulation = recorded_trot(model, horizon)
    models = {"simulator": simulation, "traces": trace_model(model, simulation)}
    peer = _faster(models, start, controls)
    traces, played = [], []
    for count in sorted(workers):
        pool = WorkerPool(robot, planner_settings(), count, JOB, deadline=READY_TIMEOUT, niceness=0)
        try:
            pool.wait_until_ready(READY_TIMEOUT)
            # The first job of a worker projects the way to the change.
            pool.run(rehearsal, jobs[:1] * count, lambda job, outcomes: None)
            turns = [(_trace(pool, rehearsal, jobs, count), _play(models[peer], start, controls, particles, count)) for _ in range(ROUNDS)]
        finally:
            pool.close()
        traces.append(_median([ours for ours, _ in turns]))
        played.append(_median([theirs for _, theirs in turns]))
    return TracesResult(
        robot=model.description.name,
        machine=machine,
        closed_loop=traces[-1].per_wall_second,
        open_loop=played[-1].per_wall_second,
        ratio=traces[-1].per_wall_second / played[-1].per_wall_second,
        cores=max(workers),
        dt=TIME_STEP,
        horizon=horizon,
        particles=particles,
        traces=tuple(traces),
        rollout=tuple(played),
        ratios=tuple(ours.per_processor_second / theirs.per_processor_second for ours, theirs in zip(traces, played, strict=True)),
        peer=peer,
        time_step_errors=time_step_errors(model, TIME_STEP) if with_time_step_errors else None,
    )


def trace_model(model: RobotModel, recorded: mujoco.MjModel) -> mujoco.MjModel:
    """The believed robot as the traces simulate it, with the servo gains of a recorded one."""
    simulation = Plant(model, build_model(model, World(), TIME_STEP), 1).simulation
    simulation.actuator_biasprm[:] = recorded.actuator_biasprm
    return simulation


def recorded_trot(model: RobotModel, seconds: float) -> tuple[Array, Array, mujoco.MjModel]:
    """A trot under perfect sensors: the state that it starts from, the control at each physics step, and the simulation.

    Played back from that state, the controls give the same trot again, to the bit.
    """
    robot = SimulatedRobot(model, World(), 0, TIME_STEP, perfect_sensors=True)
    loop = ClosedLoop(model, 0, physics=robot)
    speed = speeds_of(model)["trot"]
    loop.run(0.2)
    loop.change_gait("trot")
    loop.run(1.0, (speed, 0.0, 0.0))
    physics, data = robot.mujoco_model, robot.data
    start = np.empty(mujoco.mj_stateSize(physics, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(physics, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    steps = round(loop.robot.period / TIME_STEP)
    delay = min(steps, round(model.description.control.command_delay / TIME_STEP))
    given = [data.ctrl.copy()]
    for _ in range(round(seconds / loop.robot.period)):
        loop.run(loop.robot.period, (speed, 0.0, 0.0))
        given.append(data.ctrl.copy())
    # Each command takes effect some steps late, and the one before it lasts until then.
    controls = np.repeat(np.array(given), steps, axis=0)[steps - delay : -delay or None]
    return start, controls[: round(seconds / TIME_STEP)], physics


def _faster(models: dict[str, mujoco.MjModel], start: Array, controls: Array) -> str:
    """Name of the model on which the trot takes least processor time."""
    best = dict.fromkeys(models, 0.0)
    for _ in range(ROUNDS):
        for name, simulation in models.items():
            best[name] = max(best[name], _play(simulation, start, controls, 4, 1).per_processor_second)
    return max(best, key=lambda name: best[name])


def _trace(pool: WorkerPool, rehearsal: Rehearsal, jobs: list[Job], count: int) -> Rate:
    answers: list[Outcomes] = []
    before, begin = processor_time(pool.process_ids), time.perf_counter()
    pool.run(rehearsal, jobs, lambda job, outcomes: answers.append(outcomes))
    wall = time.perf_counter() - begin
    simulated = [outcomes.particle_seconds for outcomes in answers]
    if not all(simulated):
        reason = next(outcomes.violated[0] for outcomes in answers if not outcomes.particle_seconds)
        raise SurefootError(f"{simulated.count(0.0)} of {len(jobs)} jobs were not traced ({reason}), so there is no rate; run it again")
    return _rate(count, sum(simulated), wall, processor_time(pool.process_ids) - before)


def _median(rates: list[Rate]) -> Rate:
    wall, processor = (statistics.median(getattr(rate, name) for rate in rates) for name in ("per_wall_second", "per_processor_second"))
    return Rate(rates[0].workers, rates[0].particle_seconds, wall, processor)


def _play(simulation: mujoco.MjModel, start: Array, controls: Array, particles: int, threads: int) -> Rate:
    data = [mujoco.MjData(simulation) for _ in range(threads)]
    with rollout.Rollout(nthread=threads) as player:
        player.rollout(simulation, data, np.tile(start, (threads, 1)), np.tile(controls[:10], (threads, 1, 1)))
        many = np.tile(start, (particles, 1)), np.broadcast_to(controls, (particles, *controls.shape)).copy()
        processor, begin = time.process_time(), time.perf_counter()
        player.rollout(simulation, data, *many)
        wall = time.perf_counter() - begin
        used = time.process_time() - processor
    return _rate(threads, particles * len(controls) * simulation.opt.timestep, wall, used)


def _rate(workers: int, simulated: float, wall: float, processor: float) -> Rate:
    return Rate(workers, simulated, simulated / wall, simulated / max(processor, 1e-9))
