# SPDX-License-Identifier: Apache-2.0
"""How well a robot walks with noise, delay and the estimator in the loop, on flat ground or any other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from surefoot.errors import UnknownNameError
from surefoot.evaluation.bench.sample import Machine, Proportion, proportion, this_machine
from surefoot.evaluation.bench.speeds import speeds_of
from surefoot.evaluation.closed_loop import ClosedLoop, planner_settings
from surefoot.gait.settings import PlannerSettings
from surefoot.inverse_dynamics.guarded import GuardedController
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.inverse_dynamics.selector import make_controller
from surefoot.locomotion.control import SelectedControl
from surefoot.locomotion.laws import COMPILED
from surefoot.processes import results_of
from surefoot.robot.load import load_robot
from surefoot.rotation import roll_pitch_yaw
from surefoot.terrain.world import World, find_world, read_world

STANDING, SETTLING = 2.0, 2.0
"""s before the gait is taken, while the filter starts, and after it, until the robot has come up to speed."""

SPEED_TOLERANCE, TILT_LIMIT = 0.1, 0.15
"""A good run holds its speed within this part of the command, and its roll and pitch within this, rad."""


FLAT = "flat"
"""Name of the world without anything in the way."""


@dataclass(frozen=True)
class Trial:
    """One run of one gait.

    Attributes:
        speed: mean forward velocity in the heading frame, m/s.
        roll, pitch: largest absolute values, rad.
        fell: whether the base came down to half of its height.
        failures: ticks without an answer of the controller.
    """

    gait: str
    seed: int
    commanded: float
    speed: float
    roll: float
    pitch: float
    fell: bool
    failures: int

    @property
    def good(self) -> bool:
        """Whether it held its speed and its attitude and did not fall."""
        held = abs(self.speed - self.commanded) <= SPEED_TOLERANCE * self.commanded
        return held and max(self.roll, self.pitch) < TILT_LIMIT and not self.fell


@dataclass(frozen=True)
class GaitResult:
    """All runs of one gait; worst values are over all runs that did not fall."""

    gait: str
    commanded: float
    mean_speed: float
    worst_speed_error: float
    worst_roll: float
    worst_pitch: float
    falls: int
    upright: Proportion
    good: Proportion


@dataclass(frozen=True)
class WalkResult:
    """What `bench walk` reports."""

    robot: str
    controller: str
    world: str
    machine: Machine
    seconds: float
    perfect_sensors: bool
    gaits: tuple[GaitResult, ...]
    trials: tuple[Trial, ...]


def bench_walk(
    robot: str,
    seeds: int,
    seconds: float = 10.0,
    processes: int = 2,
    speeds: Mapping[str, float] | None = None,
    perfect_sensors: bool = False,
    progress: Callable[[Trial], None] = lambda trial: None,
    controller: str = COMPILED,
    world: str = FLAT,
    planner: PlannerSettings | None = None,
) -> WalkResult:
    """Run every gait with seeds 0, 1, ... in worker processes.

    Args:
        robot: name or path.
        seeds: how many.
        seconds: measured, after the robot has come up to speed.
        processes: how many at once.
        speeds: m/s by gait; what suits the robot if None.
        perfect_sensors: no noise, no delay, no estimator.
        progress: called with each run when it ends.
        controller: that drives; readable ones run behind their guard.
        world: name or path; where it is rough, each seed has bumps of its own.
        planner: its settings; those of config/gait_planner.yaml if None.

    Raises:
        UnknownNameError: there is no such controller or world.
    """
    find_world(world)
    if controller not in SelectedControl.names():
        raise UnknownNameError("controller", controller, SelectedControl.names())
    machine, model = this_machine(), load_robot(robot)
    wanted = speeds or speeds_of(model)
    calls = [
        partial(run_trial, robot, gait, speed, seed, seconds, perfect_sensors, controller, world, planner)
        for gait, speed in wanted.items()
        for seed in range(seeds)
    ]
    trials = results_of(processes, calls, progress)
    gaits = tuple(summary([trial for trial in trials if trial.gait == gait]) for gait in wanted)
    return WalkResult(model.description.name, controller, world, machine, seconds, perfect_sensors, gaits, tuple(trials))


def run_trial(
    robot: str,
    gait: str,
    speed: float,
    seed: int,
    seconds: float,
    perfect_sensors: bool = False,
    controller: str = COMPILED,
    world: str = FLAT,
    planner: PlannerSettings | None = None,
) -> Trial:
    """Stand, take a gait, come up to speed, and measure."""
    model = load_robot(robot)
    driving = None
    if controller != COMPILED:
        driving = ReferenceController(model, controller=GuardedController(model, make_controller(controller, model)))
    loop = ClosedLoop(
        model, seed, seeded_world(world, seed), perfect_sensors=perfect_sensors, controller=driving, settings=planner or planner_settings()
    )
    loop.run(STANDING)
    loop.change_gait(gait)
    command = (speed, 0.0, 0.0)
    loop.run(SETTLING, command)
    begin = len(loop.course.truth)
    if not loop.fallen:
        loop.run(seconds, command)
    truth = loop.course.truth[begin:] or loop.course.truth[-1:]
    angles = np.array([roll_pitch_yaw(sample.base_quaternion) for sample in truth])
    velocity = np.array([sample.base_linear_velocity[:2] for sample in truth])
    heading = angles[:, 2] - np.array(loop.course.twist[-len(truth) :])
    forward = np.cos(heading) * velocity[:, 0] + np.sin(heading) * velocity[:, 1]
    roll, pitch = np.abs(angles[:, :2]).max(axis=0)
    return Trial(gait, seed, speed, float(forward.mean()), float(roll), float(pitch), loop.fallen, loop.failures)


def seeded_world(world: str, seed: int) -> World:
    """A world by name or path; where it is rough, with the bumps of a seed."""
    ground = read_world(find_world(world))
    return ground if ground.relief is None else ground.model_copy(update={"relief": ground.relief.model_copy(update={"seed": seed})})


def summary(trials: list[Trial]) -> GaitResult:
    """All runs of one gait together."""
    upright = [trial for trial in trials if not trial.fell] or trials
    commanded = trials[0].commanded
    return GaitResult(
        gait=trials[0].gait,
        commanded=commanded,
        mean_speed=float(np.mean([trial.speed for trial in upright])),
        worst_speed_error=max(abs(trial.speed - commanded) / commanded for trial in upright),
        worst_roll=max(trial.roll for trial in upright),
        worst_pitch=max(trial.pitch for trial in upright),
        falls=sum(trial.fell for trial in trials),
        upright=proportion(sum(not trial.fell for trial in trials), len(trials)),
        good=proportion(sum(trial.good for trial in trials), len(trials)),
    )
