# SPDX-License-Identifier: Apache-2.0
"""The experiments on inverse dynamics with contact [Zapolsky and Drumwright 2016, sections 7 and 8; Zapolsky et al. 2013, section 3]."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass

from surefoot.evaluation.bench.sample import Machine, this_machine
from surefoot.evaluation.bench.speeds import speeds_of
from surefoot.evaluation.reproduce.contenders import CONTENDERS, NO_SLIP_PEER, Contender
from surefoot.evaluation.reproduce.findings import Finding, Results, slippery_findings, waypoint_findings
from surefoot.evaluation.reproduce.grounds import GROUNDS, LOW, ROUGH, Ground
from surefoot.evaluation.reproduce.tasks import FigureEight, Task, Trot, WaypointTrot
from surefoot.evaluation.reproduce.trial import Measured, run_trial
from surefoot.gait.of_robot import gaits_of
from surefoot.processes import process_pool
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel

SMALL, LARGE = "links", "hyq"
"""Robots of the two sources, or like them."""
WAYPOINT_GAIT = "waypoint_trot"
SLIPPERY = (Ground("friction 0.1", "mujoco", LOW), Ground("friction 1.0", "mujoco", 1.0))
_BY_NAME = {contender.name: contender for contender in (*CONTENDERS, NO_SLIP_PEER)}
_GROUND_BY_NAME = {ground.name: ground for ground in (*GROUNDS, ROUGH, *SLIPPERY)}
LARGE_CONTENDERS = ("joint_pid", NO_SLIP_PEER.name, "two_stage_qp")


@dataclass(frozen=True)
class Order:
    """A trial to be run; plain words, so that it can be sent to another process."""

    robot: str
    contender: str
    ground: str
    task: str
    seconds: float
    seed: int


@dataclass(frozen=True)
class Reproduction:
    """What `reproduce idyn` reports.

    Attributes:
        small, large: trials of the two robots.
        findings: statements of the sources beside ours.
    """

    machine: Machine
    small: tuple[Measured, ...]
    large: tuple[Measured, ...]
    findings: tuple[Finding, ...]


def orders(seconds: float, seed: int, contenders: Sequence[str], surfaces: Sequence[str]) -> list[Order]:
    """Every trial, the small robot's first."""
    grounds = [ground for ground in (*GROUNDS, ROUGH) if ground.surface in surfaces]
    small = [
        Order(SMALL, contender.name, ground.name, "WaypointTrot", seconds, seed)
        for ground in grounds
        for contender in CONTENDERS
        if contender.name in contenders
    ]
    large = [
        Order(LARGE, contender, ground.name, task, min(seconds, length), seed)
        for task, length in (("Trot", 6.0), ("FigureEight", 2.0 * FigureEight().period))
        for ground in SLIPPERY
        for contender in LARGE_CONTENDERS
        if contender in contenders and ground.surface in surfaces
    ]
    return small + large


def reproduce_idyn(
    trials: Sequence[Order], processes: int = 2, progress: Callable[[Order, Measured], None] = lambda order, trial: None
) -> Reproduction:
    """Run trials and hold their numbers against those of the sources.

    Args:
        trials: of `orders`.
        processes: trials at once.
        progress: called after each.
    """
    machine = this_machine()
    measured: dict[Order, Measured] = {}
    for order, trial in _run_all(trials, processes):
        measured[order] = trial
        progress(order, trial)
    small = tuple(measured[order] for order in trials if order.robot == SMALL)
    large = tuple(measured[order] for order in trials if order.robot == LARGE)
    findings = (*waypoint_findings(Results(small)), *slippery_findings(Results(large), SLIPPERY[0].name))
    return Reproduction(machine, small, large, findings)


def _run_all(trials: Sequence[Order], processes: int) -> Iterator[tuple[Order, Measured]]:
    if processes == 1:
        yield from ((order, _run(order)) for order in trials)
        return
    with process_pool(processes) as pool:
        futures = {pool.submit(_run, order): order for order in trials}
        for future in as_completed(futures):
            yield futures[future], future.result()


def _run(order: Order) -> Measured:
    model = load_robot(order.robot)
    contender: Contender = _BY_NAME[order.contender]
    return run_trial(model, contender, _GROUND_BY_NAME[order.ground], _task(order.task, model), order.seconds, order.seed)


def _task(name: str, model: RobotModel) -> Task:
    if name == "WaypointTrot":
        return WaypointTrot.of(gaits_of(model)[WAYPOINT_GAIT])
    if name == "FigureEight":
        return FigureEight()
    return Trot("trot", speeds_of(model)["trot"])
